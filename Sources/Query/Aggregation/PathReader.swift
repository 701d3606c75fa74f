import ObjectModel
import Rows

/// Reads the one value that a path leads to. One thread at a time uses it.
package final class PathReader {
    /// The path.
    package let path: ValuePath
    /// How the value is stored.
    package let storage: ElementStorage
    private let walker: PathWalker
    private let sink = TakingSink()

    /// Makes a reader; `path` leads to one value.
    package init(_ path: ValuePath, schema: RowSchema) {
        self.path = path
        storage = path.type.storage
        walker = PathWalker(path, schema: schema)
    }

    /// Hands over an object's value as it is stored, or null as nil; it is valid within `body`.
    package func read<Result>(
        row: RowView, key: UInt64, source: any ObjectSource,
        _ body: (UnsafeRawBufferPointer?) -> Result
    ) -> Result? {
        var result: Result?
        withoutActuallyEscaping(body) { body in
            sink.take = { address, count in
                result = body(
                    address.map { UnsafeRawBufferPointer(start: $0, count: count) })
            }
            walker.walk(row, key, source, sink)
            sink.take = nil
        }
        return result
    }

    private final class TakingSink: ValueSink {
        var take: ((UnsafeRawPointer?, Int) -> Void)?

        override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
            take?(address, count)
            return false
        }
    }
}
