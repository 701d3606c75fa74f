import Bytes

/// Gives each value of a column a code: how many different ones came before it. One thread at a time uses it.
class GroupCoder {
    /// The column.
    let reference: ColumnReference
    private(set) final var column: [ColumnChunk?] = []

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

    /// The chunk of a batch.
    final func chunk(of batch: ColumnBatch) -> ColumnChunk? {
        batch.chunk < column.count ? column[batch.chunk] : nil
    }

    /// Sets the codes of a batch, which has no exceptions.
    func encode(_ batch: ColumnBatch, into codes: UnsafeMutablePointer<UInt32>) {}

    /// The codes here of the values that have codes in a part, by these.
    func codes(of part: GroupCoder) -> [UInt32] { [] }

    /// Whether several codes may have equal sort bytes.
    var hasEqualValues: Bool { false }

    /// Appends the sort bytes of the value of a code.
    func append(_ code: Int, to buffer: ByteBuffer) {}
}
