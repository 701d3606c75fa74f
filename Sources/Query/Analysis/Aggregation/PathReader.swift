import HoldfastRows

/// Reads the one value that a path leads to. One thread at a time uses it.
package final class PathReader {
    package let path: ValuePath
    private let walker: PathWalker
    private let sink = SingleSink()

    /// Makes a reader; `path` leads to one value.
    package init(_ path: ValuePath, schema: RowSchema) {
        self.path = path
        walker = PathWalker(path, schema: schema)
    }

    /// An object's value as it is stored, nil for null; valid until the next one is read.
    package func value(
        row: RowView, key: UInt64, source: any ObjectSource
    ) -> UnsafeRawBufferPointer? {
        sink.value = nil
        walker.walk(row, key, source, sink)
        return sink.value
    }
}
