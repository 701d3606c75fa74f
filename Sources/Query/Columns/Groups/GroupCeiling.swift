import Rows

/// What is known, before all groups are, of where a page of the first ones ends: objects whose first value is greater are left
/// out, so that there are hardly more groups than are wanted. One thread at a time uses it, but for ``init(as:)``.
///
/// As many groups as are wanted that end at a value are enough to know it, though more objects come to them later, and
/// smaller ones between them. It only falls.
final class GroupCeiling {
    /// The page.
    let page: GroupPage
    /// The order of the values that groups are made by first.
    private let order: ColumnOrder
    private var isBound = false
    private var value: ColumnOrder.RankedKey?
    private var nextGroupCount = countsWorthLooking.lowerBound

    /// With fewer groups nobody looks for it. With more neither: it has left out little so far, as where values fall from
    /// object to object, and nobody looks at the time meanwhile.
    private static let countsWorthLooking = 1024...1 << 18
    /// So many times more groups than are wanted, or than there were the last time, are worth a look at all of them.
    private static let growth = 2

    /// Nil for a page that only all groups tell, and for keys whose order columns do not have.
    init?(_ page: GroupPage, by keys: [GroupKey], schema: RowSchema) {
        guard page.countMax != nil, !page.selection.needsAll, let first = keys.first,
            first.isPlain, first.path.ownMember != nil,
            let order = ColumnOrder([SortKey(path: first.path)], schema: schema),
            order.farClasses.isEmpty
        else { return nil }
        self.page = page
        self.order = order
    }

    /// Makes one of the same that knows nothing, for another thread; any thread.
    init(as other: GroupCeiling) {
        page = other.page
        order = other.order
        isBound = other.isBound
    }

    /// Takes the column of a snapshot.
    func bind(to columns: BoundColumns) {
        isBound = order.bind(to: columns, byteCountMax: 0, isInTime: { true })
    }

    /// Removes the objects above it from a chunk's result.
    func narrow(_ chunk: Int, _ frame: ColumnFrame) {
        if let value { order.narrow(chunk, frame, upTo: value) }
    }

    /// Whether there are so many more groups than are wanted that it can be found.
    func isWorthLooking(_ groupCount: Int) -> Bool {
        guard isBound, groupCount >= nextGroupCount,
            groupCount <= Self.countsWorthLooking.upperBound,
            let countMax = page.countMax, groupCount / Self.growth >= countMax
        else { return false }
        nextGroupCount = groupCount * Self.growth
        return true
    }

    /// Takes the sort bytes of the first value of the last group of the page.
    func lower(to sortBytes: [UInt8]) {
        // Where they were cut, others may be equal that are greater.
        if let found = order.start(sortBytes: sortBytes, key: .max) { value = found.ranked }
    }
}
