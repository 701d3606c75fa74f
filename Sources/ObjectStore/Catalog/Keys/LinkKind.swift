import HoldfastRows

/// The property that holds a link, and the link's target.
struct LinkKind: Hashable {
    var property: UInt32
    var targetClass: Int
    var targetKey: UInt64

    /// Negative, zero or positive as it comes before, is, or comes after another.
    func order(_ other: LinkKind) -> Int {
        if targetKey != other.targetKey { return targetKey < other.targetKey ? -1 : 1 }
        if property != other.property { return property < other.property ? -1 : 1 }
        return targetClass - other.targetClass
    }
}

extension RowSchema {
    /// Counts the links of each kind that an object has.
    func linkCounts(
        of rowClass: RowClass, in row: RowView, _ source: any OverflowSource
    ) -> [LinkKind: UInt32] {
        var counts: [LinkKind: UInt32] = [:]
        forEachLink(of: rowClass, in: row, source) { property, targetClass, targetKey in
            let kind = LinkKind(
                property: property, targetClass: targetClass, targetKey: targetKey)
            counts[kind, default: 0] += 1
        }
        return counts
    }
}
