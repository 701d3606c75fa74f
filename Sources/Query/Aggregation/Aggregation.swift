import Bytes
import Rows

/// Calculates operations over objects that are handed to it one after the other, of all of them or of each
/// group with the same values. One thread at a time uses it.
///
/// Of groups it keeps the first ones in their order, so many as are asked for: its memory does not grow with
/// the number of groups, unless all are.
package final class Aggregation {
    /// The state of a group of objects with the same values.
    package struct Group {
        /// The values, encoded so that bytes are ordered as values are.
        package let sortBytes: [UInt8]
        /// The object key of one of the objects.
        package let key: UInt64
        /// How many objects there are.
        package internal(set) var count = 0
        var states: [AggregateState]

        /// The states of the `values` operations, in their order.
        package var results: [AggregateState.Result] { states.map(\.result) }

        /// The result of one of them.
        func result(_ index: Int) -> AggregateState.Result { states[index].result }
    }

    private final class StateSink: ValueSink {
        var state: AggregateState?

        override func receive(_ address: UnsafeRawPointer?, _ count: Int) -> Bool {
            state?.add(address, count)
            return true
        }
    }

    private struct Operation {
        let walker: PathWalker
        let sink = StateSink()
        /// A property of the object itself, of a fixed width.
        let direct: (rowClass: RowClass, member: Int, width: Int)?
        let kind: AggregateOperation.Kind
        /// Stands in a group while that of the group is elsewhere.
        let initial: AggregateState
    }

    /// The operations, and the keys of the groups.
    private let asked: [AggregateOperation]
    private let by: [GroupKey]
    private let schema: RowSchema
    private let operations: [Operation]
    private let evaluator: GroupKeyEvaluator
    private let isGrouped: Bool
    private let page: GroupPage
    private let after: [UInt8]?
    private let groupCountMax: Int?
    private let byteCountMax: Int
    private var groups: [Group] = []
    /// By hash.
    private var groupIndexes: [UInt128: Int] = [:]
    /// No group behind this one is wanted.
    private var ceiling: [UInt8]?
    private var byteCount = 0

    /// Makes an aggregation.
    ///
    /// - Parameters:
    ///   - operations: What is asked.
    ///   - by: What the objects of a group have in common; empty for one group of all.
    ///   - page: Which groups are wanted; more are made where only all of them tell which these are.
    ///   - byteCountMax: Memory for them.
    ///   - schema: Of the rows.
    package init(
        _ operations: [AggregateOperation], by: [GroupKey], page: GroupPage, byteCountMax: Int,
        schema: RowSchema
    ) {
        asked = operations
        self.by = by
        self.schema = schema
        self.operations = operations.compactMap { operation in
            guard let path = operation.kind.path, let initial = AggregateState(operation.kind)
            else { return nil }
            let storage = path.type.storage
            var direct: (RowClass, Int, Int)?
            if let member = path.ownMember, let width = storage.fixedByteCount {
                direct = (schema.classes[path.lastClass], member, width)
            }
            return Operation(
                walker: PathWalker(path, schema: schema), direct: direct, kind: operation.kind,
                initial: initial)
        }
        evaluator = GroupKeyEvaluator(by, schema: schema)
        isGrouped = !by.isEmpty
        self.page = page
        after = page.beforehand.after
        groupCountMax = page.beforehand.countMax
        self.byteCountMax = byteCountMax
        if by.isEmpty { groups = [makeGroup([], 0)] }
    }

    /// The memory of a group, without what its states hold.
    static func byteCount(ofGroup sortByteCount: Int, operationCount: Int) -> Int {
        160 + sortByteCount + 160 * operationCount
    }

    private func byteCountOfGroup(_ sortBytes: [UInt8]) -> Int {
        Self.byteCount(ofGroup: sortBytes.count, operationCount: operations.count)
    }

    private func makeGroup(_ sortBytes: [UInt8], _ key: UInt64) -> Group {
        byteCount += byteCountOfGroup(sortBytes)
        return Group(
            sortBytes: sortBytes, key: key,
            states: operations.compactMap { AggregateState($0.kind) })
    }

    /// Takes an object, once for each group that it counts in.
    ///
    /// - Returns: Whether there is memory for more.
    package func add(row: RowView, key: UInt64, source: any ObjectSource) -> Bool {
        guard isGrouped else {
            add(row, key, source, to: 0)
            return byteCount <= byteCountMax
        }
        evaluator.forEach(row: row, key: key, source: source) { bytes in
            if let index = groupIndex(bytes, key) { add(row, key, source, to: index) }
        }
        return byteCount <= byteCountMax
    }

    private func add(
        _ row: RowView, _ key: UInt64, _ source: any ObjectSource, to groupIndex: Int
    ) {
        groups[groupIndex].count += 1
        for index in operations.indices {
            if let direct = operations[index].direct {
                let field = direct.rowClass.field(direct.member, in: row)
                guard !field.isNull else { continue }
                let before = groups[groupIndex].states[index].byteCount
                groups[groupIndex].states[index].add(field.slot, direct.width)
                byteCount += groups[groupIndex].states[index].byteCount - before
                continue
            }
            let operation = operations[index]
            let before = groups[groupIndex].states[index].byteCount
            // Moved to the sink and back, so that nothing that it holds is copied.
            operation.sink.state = groups[groupIndex].states[index]
            groups[groupIndex].states[index] = operation.initial
            operation.walker.walk(row, key, source, operation.sink)
            if let state = operation.sink.state {
                groups[groupIndex].states[index] = state
                byteCount += state.byteCount - before
            }
            operation.sink.state = nil
        }
    }

    /// The same over columns; nil for what they do not calculate.
    package func makeColumns() -> ColumnAggregation? {
        ColumnAggregation(asked, by: by, schema: schema)
    }

    /// The one property of the class that groups are made by and how many are wanted, where objects are counted only.
    package var countedOnly: (member: Int, after: [UInt8]?, countMax: Int)? {
        guard let groupCountMax, operations.isEmpty, by.count == 1, by[0].isPlain,
            let member = by[0].path.ownMember
        else { return nil }
        return (member, after, groupCountMax)
    }

    /// Adds objects that were counted elsewhere, of which one is known.
    ///
    /// - Returns: Whether there is memory for more.
    package func add(_ count: Int, of sortBytes: [UInt8], key: UInt64) -> Bool {
        if let index = sortBytes.withUnsafeBytes({ groupIndex($0, key) }) {
            groups[index].count += count
        }
        return byteCount <= byteCountMax
    }

    /// The groups of what was calculated over columns; nil when there is too little memory for these at once, or time.
    ///
    /// - `isAll`: Whether no other objects follow.
    package func groups(
        of columns: ColumnAggregation, isAll: Bool, within budget: Budget
    ) -> [Group]? {
        columns.finish(
            isAll ? page : page.beforehand, byteCountMax: byteCountMax, within: budget)
    }

    /// Adds groups that were calculated over columns, before anything else.
    ///
    /// - `isAll`: Whether nothing follows.
    /// - Returns: Whether there is memory for more.
    package func add(_ calculated: [Group], isAll: Bool) -> Bool {
        if isAll {
            groups = calculated
            byteCount = 0
            for group in groups { byteCount += byteCountOfGroup(group.sortBytes) }
            return byteCount <= byteCountMax
        }
        for group in calculated {
            let index =
                isGrouped
                ? group.sortBytes.withUnsafeBytes { groupIndex($0, group.key) } : 0
            guard let index else { continue }
            groups[index].count += group.count
            for (position, state) in group.states.enumerated() {
                let before = groups[index].states[position].byteCount
                groups[index].states[position].add(state)
                byteCount += groups[index].states[position].byteCount - before
            }
        }
        return byteCount <= byteCountMax
    }

    /// The index of the group with some sort bytes; nil when it is not wanted.
    private func groupIndex(_ bytes: UnsafeRawBufferPointer, _ key: UInt64) -> Int? {
        if let after, after.withUnsafeBytes({ compareKeys(bytes, $0) }) <= 0 { return nil }
        if let ceiling, ceiling.withUnsafeBytes({ compareKeys(bytes, $0) }) > 0 { return nil }
        let hash = SipHash128.number(bytes)
        if let groupIndex = groupIndexes[hash] { return groupIndex }
        if let groupCountMax, groups.count >= 2 * (groupCountMax + 8) { keepFirst(groupCountMax) }
        if let ceiling, ceiling.withUnsafeBytes({ compareKeys(bytes, $0) }) > 0 { return nil }
        groupIndexes[hash] = groups.count
        groups.append(makeGroup(Array(bytes), key))
        return groups.count - 1
    }

    /// Forgets the groups behind those that are wanted.
    private func keepFirst(_ groupCountMax: Int) {
        sort()
        for group in groups[groupCountMax...] {
            byteCount -= byteCountOfGroup(group.sortBytes)
            for state in group.states { byteCount -= state.byteCount }
        }
        groups.removeLast(groups.count - groupCountMax)
        ceiling = groups.last?.sortBytes
        groupIndexes.removeAll(keepingCapacity: true)
        for (groupIndex, group) in groups.enumerated() {
            groupIndexes[group.sortBytes.withUnsafeBytes { SipHash128.number($0) }] = groupIndex
        }
    }

    private func sort() {
        groups.sort { a, b in
            a.sortBytes.withUnsafeBytes { left in
                b.sortBytes.withUnsafeBytes { compareKeys(left, $0) < 0 }
            }
        }
    }

    /// The groups in their order, at most so many as are wanted, or all in whatever order; call it once, at the end.
    package func finish() -> [Group] {
        guard isGrouped, let groupCountMax else { return groups }
        sort()
        return Array(groups.prefix(groupCountMax))
    }
}
