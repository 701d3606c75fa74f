import Bytes

/// Gives each value of a column a code: how many different ones came before it. One thread at a time uses it.
class GroupCoder {
    /// The column.
    let reference: ColumnReference
    private(set) final var column: [ColumnChunk?] = []
    private final let buffer = ByteBuffer(capacity: 64)

    init(_ reference: ColumnReference) { self.reference = reference }

    /// Takes the column of a snapshot.
    func bind(to columns: BoundColumns) { column = columns.column(reference) }

    /// A coder of the same column without any codes, for another thread.
    func makePart() -> GroupCoder { GroupCoder(reference) }

    /// Takes the column that another one has.
    final func bind(as other: GroupCoder) { column = other.column }

    /// How many codes there are.
    var count: Int { 0 }

    /// Bytes of memory that the codes take.
    var byteCount: Int { 0 }

    /// The column's chunk of a number.
    final func chunk(_ index: Int) -> ColumnChunk? {
        index < column.count ? column[index] : nil
    }

    /// Sets the codes of a batch, which has no exceptions: where the column has collections, those of its elements.
    final func encode(_ batch: ColumnBatch, into codes: UnsafeMutablePointer<UInt32>) {
        let chunk = chunk(batch.chunk)
        if let collections = chunk as? CollectionChunk {
            encode(collections.elements, batch.elements, into: codes)
        } else {
            encode(chunk, batch.positions, into: codes)
        }
    }

    /// Sets the codes of the values at some positions of a chunk, at most ``ColumnBatch/countMax``, none of which is an
    /// exception.
    func encode(
        _ chunk: ColumnChunk?, _ positions: UnsafeBufferPointer<Int32>,
        into codes: UnsafeMutablePointer<UInt32>
    ) {}

    /// The codes here of the values that have codes in a part, by these.
    func codes(of part: GroupCoder) -> [UInt32] { [] }

    /// Whether several codes may have equal sort bytes.
    var hasEqualValues: Bool { false }

    /// Appends the sort bytes of the value of a code.
    func append(_ code: Int, to buffer: ByteBuffer) {}

    /// Compares the values of two codes as their sort bytes are: negative, 0 or positive.
    func order(_ a: Int, _ b: Int) -> Int {
        buffer.removeAll()
        append(a, to: buffer)
        let end = buffer.count
        append(b, to: buffer)
        return compareKeys(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[..<end]),
            UnsafeRawBufferPointer(rebasing: buffer.bytes[end...]))
    }
}
