import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// Which groups are wanted, and in which order.
package struct GroupSelection: Hashable, Sendable {
    /// The condition on their figures; nil for all.
    package var condition: GroupCondition?
    /// The order; nil for that of their values.
    package var order: GroupOrder?

    private static let stepsOfGroup = 4

    /// Makes a selection of all groups in their own order.
    package init() {}

    /// Whether all groups have to be known before the first is.
    package var needsAll: Bool { condition != nil || order != nil }

    /// The first groups that are wanted, in their order. Cost: an order key for each group.
    ///
    /// - `groups`: All of them, or the first in the order of their values where that is enough.
    /// - `after`: The ``position(of:)`` that only later groups are wanted of; nil for all.
    /// - Returns: Nil once the budget has failed.
    package func first(
        of groups: [Aggregation.Group], after: [UInt8]?, countMax: Int, within budget: Budget
    ) throws(GroupFigure.Overflow) -> [Aggregation.Group]? {
        guard needsAll else { return Array(groups.prefix(countMax)) }
        var heap = BoundedHeap<(position: [UInt8], index: Int)>(countMax: countMax)
        let buffer = ByteBuffer(capacity: 128)
        let sinks = order?.makeSinks() ?? []
        for (index, group) in groups.enumerated() {
            if !budget.spend(Self.stepsOfGroup) { return nil }
            if let condition, try !condition.holds(of: group) { continue }
            buffer.removeAll()
            try append(group, by: sinks, to: buffer)
            if let after, !Self.isLess(after, buffer.bytes) { continue }
            if heap.isFull, Self.isLess(heap.worst.position, buffer.bytes) { continue }
            _ = heap.insert((buffer.array, index)) {
                $0.position.lexicographicallyPrecedes($1.position)
            }
        }
        return heap.sorted(within: budget) {
            $0.position.lexicographicallyPrecedes($1.position)
        }?.map { groups[$0.index] }
    }

    /// Where a group stands in the order, for ``first(of:after:countMax:)``.
    package func position(of group: Aggregation.Group) throws(GroupFigure.Overflow) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 128)
        try append(group, by: order?.makeSinks() ?? [], to: buffer)
        return buffer.array
    }

    private func append(
        _ group: Aggregation.Group, by sinks: [KeySink], to buffer: ByteBuffer
    ) throws(GroupFigure.Overflow) {
        guard let order else { return buffer.append(group.sortBytes) }
        try order.append(group, by: sinks, to: buffer)
    }

    private static func isLess(_ a: [UInt8], _ b: UnsafeRawBufferPointer) -> Bool {
        a.withUnsafeBytes { compareKeys($0, b) < 0 }
    }
}

/// An order of groups by figures; groups with equal figures are in the groups' own order.
package struct GroupOrder: Hashable, Sendable {
    private struct Key: Hashable, Sendable {
        var figure: GroupFigure
        var isAscending: Bool
    }

    private let keys: [Key]

    /// How many figures are compared.
    package var count: Int { keys.count }

    /// Whether groups with fewer objects come first, where only their number decides; nil for other orders.
    var isByCountAscending: Bool? {
        guard keys.count == 1, keys[0].figure.resultIndex == nil else { return nil }
        return keys[0].isAscending
    }

    /// Reads a list such as `-count,avg(age)`.
    ///
    /// - Throws: ``QueryError`` with the column in `list`.
    package static func parse(
        list: String, operations: [AggregateOperation]
    ) throws(QueryError) -> GroupOrder {
        let source = SourceText(list)
        let figures = GroupFigure.all(of: operations)
        return GroupOrder(
            keys: try source.items.map { (item) throws(QueryError) in
                let isDescending = source[item.lowerBound] == UInt8(ascii: "-")
                let name = source.text(item.lowerBound + (isDescending ? 1 : 0), item.upperBound)
                guard let figure = figures.first(where: { $0.name.isSame(as: name) }) else {
                    throw source.fault(
                        .syntax,
                        "'order' takes 'count' and the operations of 'op' as they are written there, with a "
                            + "minus for descending order; '\(name)' is not one of them.",
                        at: item.lowerBound, hint: NearestName.of(name, among: figures.map(\.name)))
                }
                return Key(figure: figure, isAscending: !isDescending)
            })
    }

    /// Makes sinks for the figures of groups, to be used for many of them.
    func makeSinks() -> [KeySink] { keys.map { KeySink(ElementStorage($0.figure.type)) } }

    /// Appends a group's figures and values, so that comparing bytes compares groups.
    func append(
        _ group: Aggregation.Group, by sinks: [KeySink], to buffer: ByteBuffer
    ) throws(GroupFigure.Overflow) {
        for (key, sink) in zip(keys, sinks) {
            let start = buffer.count
            try key.figure.withValue(of: group) { address, count in
                _ = sink.receive(address, count)
                sink.append(to: buffer)
            }
            if !key.isAscending { SortEvaluator.invert(from: start, in: buffer) }
        }
        buffer.append(group.sortBytes)
    }
}
