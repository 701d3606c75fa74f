import Bytes
import Rows

/// The sort bytes of values behind to-one links: each object that is linked to is read once, when the first link to it is
/// met. One thread at a time uses it.
final class LinkedSortBytes {
    let coder: LinkGroupCoder
    private let isAscending: Bool
    /// The sort bytes of all codes, one behind the other.
    private let buffer = ByteBuffer(capacity: 1024)
    /// Where those of each code begin, and at last where the next ones will.
    private var starts = [0]
    private var ranks: [UInt128] = []
    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    /// Nil where no to-one link comes first.
    init?(_ key: SortKey, schema: RowSchema) {
        guard let coder = LinkGroupCoder(key.path, schema: schema) else { return nil }
        self.coder = coder
        isAscending = key.isAscending
    }

    deinit { codes.deallocate() }

    func bind(to columns: BoundColumns) { coder.bind(to: columns) }

    /// Bytes of memory that it takes.
    var byteCount: Int { coder.byteCount + buffer.count + 24 * ranks.count }

    func appendRanks(_ batch: ColumnBatch, to ranks: SortRanks) {
        coder.encode(batch, into: codes)
        readNew()
        self.ranks.withUnsafeBufferPointer { own in
            for index in batch.positions.indices {
                let code = Int(codes[index])
                ranks.append(
                    own[code], starts[code + 1] - starts[code], at: index, isAscending: true)
            }
        }
    }

    /// Reads what new codes stand for.
    private func readNew() {
        while ranks.count < coder.count {
            let start = buffer.count
            coder.append(ranks.count, to: buffer)
            if !isAscending { SortEvaluator.invert(from: start, in: buffer) }
            ranks.append(
                SortEntry.rank(of: UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])))
            starts.append(buffer.count)
        }
    }

    /// Appends the sort bytes of what the link at a position leads to.
    func append(_ position: Int, of chunk: ColumnChunk?, to other: ByteBuffer) {
        var link: Int64?
        if let chunk = chunk as? NumberChunk, chunk.nulls?[position] ?? 0 == 0 {
            link = chunk.value(position)
        }
        let code = Int(coder.code(of: link))
        readNew()
        other.append(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[starts[code]..<starts[code + 1]]))
    }
}
