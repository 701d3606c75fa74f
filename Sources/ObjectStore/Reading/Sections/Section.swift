import HoldfastRows

/// The objects of a result that have one key in common. Its rows are valid as long as the view is open.
package struct Section {
    /// One of the objects, which has the key as it is written.
    package internal(set) var any: (key: UInt64, row: RowView)
    /// How many objects there are.
    package internal(set) var count = 0
    /// The first of them, in the order of the result.
    package internal(set) var objects: [(key: UInt64, row: RowView)] = []
    /// Where it stands: pages go on behind it.
    package internal(set) var position: QueryPosition
}

/// A page of sections.
package struct SectionPage {
    /// The sections in order.
    package internal(set) var sections: [Section] = []
    /// Whether more come behind them.
    package internal(set) var hasMore = false
    /// How many there are in all, if that was asked for.
    package internal(set) var total: Int?
}
