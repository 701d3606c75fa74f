import HoldfastBytes
import HoldfastRows

/// Rows that wait to be added to an aggregation: their keys, and the sort bytes of the groups that they count in. One thread
/// at a time uses it.
final class RowBatch {
    /// Makes the sort bytes of the groups that a row counts in: of one without bytes where there are no groups.
    let evaluator: GroupKeyEvaluator
    private let keys = BatchRoom<UInt64>()
    private let positions = BatchRoom<Int32>()
    /// Each position once.
    private let all = BatchRoom<Int32>()
    private let groups = ValueCollector(.texts(.data), textByteCountMax: .max)
    private let meter = ColumnMeter()
    private var rowCount = 0
    private var count = 0

    init(_ question: Aggregation.Question) {
        evaluator = GroupKeyEvaluator(question.by, schema: question.schema)
        for index in 0..<ColumnBatch.countMax { all.start[index] = Int32(index) }
    }

    /// Whether there is no room for another group of a row.
    var isFull: Bool { count == ColumnBatch.countMax }

    func append(_ key: UInt64) {
        keys.start[rowCount] = key
        rowCount += 1
    }

    /// Appends a group of the last row.
    func appendGroup(_ sortBytes: UnsafeRawBufferPointer) {
        positions.start[count] = Int32(rowCount - 1)
        count += 1
        if let start = sortBytes.baseAddress { groups.append(start, sortBytes.count) }
    }

    /// The rows, one for each of their groups; nil without any.
    var batch: ColumnBatch? {
        guard count > 0 else { return nil }
        return ColumnBatch(
            chunk: 0, positions: UnsafeBufferPointer(start: positions.start, count: count),
            keys: UnsafePointer(keys.start))
    }

    /// Sets the codes of the groups.
    func encode(by coder: DictionaryEncoder, into codes: UnsafeMutablePointer<UInt32>) {
        coder.encode(
            groups.seal(meter), UnsafeBufferPointer(start: all.start, count: count), into: codes)
    }

    func removeAll() {
        groups.removeAll()
        (rowCount, count) = (0, 0)
    }
}

/// Keys of groups made ready for rows. One thread at a time uses it.
package final class GroupKeyEvaluator {
    /// A value of a group, as a reply shows it.
    package enum Shown {
        /// The value that is stored where the path of the key leads; nil for null.
        case value([UInt8]?, ValuePath)
        /// The calculated value; null without one.
        case calculated(AggregateState.Result)
    }

    private let keys: [GroupKey]
    private let walkers: [PathWalker]
    private let sinks: [GroupKeySink]
    /// The key that has several values.
    private let many: Int?
    private let buffer = ByteBuffer(capacity: 128)

    /// Makes keys ready.
    package init(_ keys: [GroupKey], schema: RowSchema) {
        self.keys = keys
        walkers = keys.map { PathWalker($0.path, schema: schema) }
        sinks = keys.map { GroupKeySink($0) }
        many = keys.firstIndex(where: \.path.isMany)
    }

    /// Hands over the ``Aggregation/Group/sortBytes`` of each group that an object counts in: one, or one for each
    /// element of the collection that a key goes through.
    func forEach(
        row: RowView, key: UInt64, source: any ObjectSource,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        for (walker, sink) in zip(walkers, sinks) { sink.take(walker, row, key, source) }
        for index in 0..<(many.map { sinks[$0].count } ?? 1) {
            append(index)
            body(buffer.bytes)
        }
    }

    /// Makes the bytes of a group in ``buffer``; `index` is that of the element.
    private func append(_ index: Int) {
        buffer.removeAll()
        for sink in sinks { sink.append(index, to: buffer) }
    }

    /// The values of a group, read from its object.
    package func values(
        of group: Aggregation.Group, row: RowView, source: any ObjectSource
    ) -> [Shown] {
        var element = 0
        if let many {
            for (walker, sink) in zip(walkers, sinks) { sink.take(walker, row, group.key, source) }
            let found = (0..<sinks[many].count).first { index in
                append(index)
                return group.sortBytes.withUnsafeBytes { compareKeys(buffer.bytes, $0) == 0 }
            }
            element = found ?? 0
        }
        return keys.indices.map { index in
            let copy = sinks[index].take(
                walkers[index], row, group.key, source, copying: index == many ? element : 0)
            guard keys[index].part == .value else { return .calculated(copy ?? .none) }
            guard case .stored(let bytes, _)? = copy else { return .value(nil, keys[index].path) }
            return .value(bytes, keys[index].path)
        }
    }
}
