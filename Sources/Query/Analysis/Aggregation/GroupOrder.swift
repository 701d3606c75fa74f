import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// An order of groups by figures; those with the same ones are in the groups' own order.
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
                            + "minus for descending order; '\(name)' is none of them.",
                        at: item.lowerBound,
                        hint: NearestName.of(name, among: figures.map(\.name)))
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
