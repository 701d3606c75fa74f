/// One of the properties of a ``ColumnOrder``.
class ColumnOrderPart {
    /// The column.
    let reference: ColumnReference
    /// Whether the least value comes first.
    final let isAscending: Bool
    /// The bits of a rank.
    final var width = 65
    private var column: [ColumnChunk?] = []

    init(_ reference: ColumnReference, isAscending: Bool) {
        self.reference = reference
        self.isAscending = isAscending
    }

    /// A rank with all bits.
    @inline(__always)
    final var greatestRank: UInt128 { UInt128.max &>> UInt128(128 - width) }

    /// The bits in which ranks differ from those of a rising order: all where it falls, none where it rises.
    @inline(__always)
    final var turnedBits: UInt128 { isAscending ? 0 : greatestRank }

    /// The class of which every object may be read to find ranks; nil where the column has all.
    var farClass: Int? { nil }

    /// Bytes of memory that is taken beside the column.
    final var byteCount = 0

    /// Takes the column of a snapshot; false where that has no such order.
    func bind(to columns: BoundColumns, byteCountMax: Int, isInTime: () -> Bool) -> Bool {
        column = columns.column(reference)
        return true
    }

    /// A chunk of the column; nil where it has no objects.
    final func chunk(_ index: Int) -> ColumnChunk? { index < column.count ? column[index] : nil }

    /// How many chunks there are.
    final var chunkCount: Int { column.count }

    /// Whether an object has a value that is not in the column.
    final var hasExceptions: Bool { column.contains { $0?.exceptions != nil } }

    /// Appends the ranks of some objects' values to those of the properties before: less for one that comes before.
    func appendRanks(
        _ batch: ColumnBatch, to ranks: UnsafeMutablePointer<UInt128>
    ) {}

    /// The rank of the value whose sort bytes others follow, and how many bytes these are; nil for these where no object has
    /// the value, and for both where they are none.
    func rank(of sortBytes: ArraySlice<UInt8>) -> (rank: UInt128, byteCount: Int?)? { nil }

    /// Sets each position of `mask` that a chunk's result has to whether its value does not come after a rank; false where
    /// nothing is known. What stands at exceptions and elsewhere is not to be used.
    func narrow(
        _ chunk: ColumnChunk, _ frame: ColumnFrame, upTo rank: UInt128,
        into mask: UnsafeMutablePointer<UInt8>
    ) -> Bool { false }
}
