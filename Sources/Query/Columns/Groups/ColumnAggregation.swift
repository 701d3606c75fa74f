import Bytes
import ObjectModel
import Rows

/// An aggregation over columns: what ``Aggregation`` does row by row, batch by batch. One thread at a time uses it,
/// but for ``makePart()``.
///
/// Groups are told apart by the values as columns have them, those behind a link by the link; only in the end are they
/// put in order, and those joined whose links lead to equal values. Objects with a value that is not in its column are
/// left to the rows.
package final class ColumnAggregation: @unchecked Sendable {
    // Unchecked: other threads call `makePart` alone, which reads what was set before they came.

    /// An operation on values, and who calculates it.
    private struct Operation {
        let kind: AggregateOperation.Kind
        let accumulator: Int
    }

    private let operations: [Operation]
    private let coders: [GroupCoder]
    private let accumulators: [ColumnAccumulator]
    /// The groups that coders make together, of each but the first: numbers of the group of those before and its code.
    private var tables: [CodeTable] = []
    private var counts: [Int] = []
    /// The least key of the objects of each group.
    private var keys: [UInt64] = []
    private var lastChunk = 0
    private let positions = UnsafeMutablePointer<Int32>.allocate(capacity: ColumnBatch.countMax)
    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)
    private let ownCodes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    /// Makes an aggregation; nil for what columns do not calculate.
    package init?(_ operations: [AggregateOperation], by: [ValuePath], schema: RowSchema) {
        var made: [Operation] = []
        var accumulators: [ColumnAccumulator] = []
        for operation in operations where operation.kind != .count {
            guard
                let accumulator = Self.accumulator(
                    operation.kind, isGrouped: !by.isEmpty, schema)
            else { return nil }
            let index = accumulators.firstIndex { $0.isLike(accumulator) }
            if let index {
                accumulators[index].wishes.formUnion(accumulator.wishes)
            } else {
                accumulators.append(accumulator)
            }
            made.append(
                Operation(kind: operation.kind, accumulator: index ?? accumulators.count - 1))
        }
        var coders: [GroupCoder] = []
        for path in by {
            guard let coder = Self.coder(path, schema) else { return nil }
            coders.append(coder)
        }
        self.operations = made
        self.accumulators = accumulators
        self.coders = coders
        begin()
    }

    /// Makes one for ``firstKeys``, which tells objects apart by properties of the class itself; nil for any other.
    package convenience init?(distinct keys: [SortKey], schema: RowSchema) {
        guard keys.allSatisfy({ $0.path.ownMember != nil && $0.path.type.storage != .link }) else {
            return nil
        }
        self.init([], by: keys.map(\.path), schema: schema)
    }

    private init(partOf whole: ColumnAggregation) {
        operations = whole.operations
        coders = whole.coders.map { own in
            let coder = own.makePart()
            coder.bind(as: own)
            return coder
        }
        accumulators = whole.accumulators.map { own in
            let accumulator = own.makePart()
            accumulator.bind(as: own)
            return accumulator
        }
        begin()
    }

    deinit {
        positions.deallocate()
        codes.deallocate()
        ownCodes.deallocate()
    }

    private func begin() {
        tables = coders.dropFirst().map { _ in CodeTable() }
        guard coders.isEmpty else { return }
        counts = [0]
        keys = [0]
        for accumulator in accumulators { accumulator.grow(to: 1) }
    }

    private static func accumulator(
        _ kind: AggregateOperation.Kind, isGrouped: Bool, _ schema: RowSchema
    ) -> ColumnAccumulator? {
        guard let path = kind.path else { return nil }
        if case .distinctCount = kind {
            guard let coder = coder(path, schema) else { return nil }
            return DistinctAccumulator(coder, path, isGrouped: isGrouped)
        }
        if case .values(let function, _) = kind, let coder = LinkGroupCoder(path, schema: schema) {
            return LinkedAccumulator(
                coder, path, isGrouped: isGrouped, ColumnAccumulator.Wishes(function))
        }
        guard let member = path.ownMember else { return nil }
        let reference = ColumnReference(classIndex: path.lastClass, member: member)
        switch (kind, path.type.storage) {
        case (.values(let function, _), .int), (.values(let function, _), .date):
            return NumberAccumulator(reference, ColumnAccumulator.Wishes(function))
        case (.values(let function, _), .double), (.values(let function, _), .float):
            return DoubleAccumulator(reference, ColumnAccumulator.Wishes(function))
        case (.percentile, .int), (.percentile, .double), (.percentile, .float):
            return RankedAccumulator(reference, isGrouped: isGrouped)
        default: return nil
        }
    }

    private static func coder(_ path: ValuePath, _ schema: RowSchema) -> GroupCoder? {
        if let member = path.ownMember {
            let reference = ColumnReference(classIndex: path.lastClass, member: member)
            return switch path.type.storage {
            case .int, .bool, .date, .double, .float:
                NumberGroupCoder(reference, path.type.storage)
            case .string, .data, .uuid, .objectID: TextGroupCoder(reference, path.type.storage)
            default: nil
            }
        }
        return LinkGroupCoder(path, schema: schema)
    }

    /// The columns that it needs.
    package var references: Set<ColumnReference> {
        Set(coders.map(\.reference) + accumulators.map(\.reference))
    }

    /// Takes the columns of a snapshot.
    package func bind(to columns: BoundColumns) {
        for coder in coders { coder.bind(to: columns) }
        for accumulator in accumulators { accumulator.bind(to: columns) }
    }

    /// An aggregation of the same that has seen nothing, for another thread; any thread.
    package func makePart() -> ColumnAggregation { ColumnAggregation(partOf: self) }

    /// How many objects it has seen.
    package var objectCount: Int { counts.reduce(0, +) }

    /// How many groups there are.
    package var groupCount: Int { counts.count }

    /// Bytes of memory that the groups take.
    package var byteCount: Int {
        counts.count * 16 + accumulators.reduce(0) { $0 + $1.byteCount }
            + coders.reduce(0) { $0 + $1.byteCount } + tables.reduce(0) { $0 + $1.byteCount }
    }

    /// Which positions of a chunk have a value that is not in its column, a mask for each column that has such.
    package func exceptions(of chunk: Int) -> [UnsafePointer<UInt8>] {
        coders.compactMap { coder in
            chunk < coder.column.count ? coder.column[chunk]?.exceptions : nil
        } + accumulators.compactMap { $0.exceptions(of: chunk) }
    }

    // MARK: Adding

    /// Adds the objects of a chunk's result, which has no exceptions.
    package func add(_ chunk: Int, _ frame: ColumnFrame) {
        defer { lastChunk = max(lastChunk, chunk) }
        let isWhole = frame.count == ColumnChunk.keyCount
        var position = 0
        while position < ColumnChunk.keyCount {
            var count = 0
            if isWhole {
                count = ColumnBatch.countMax
                for index in 0..<count { positions[index] = Int32(position + index) }
                position += count
            } else {
                let end = min(position + ColumnBatch.countMax, ColumnChunk.keyCount)
                while position < end {
                    positions[count] = Int32(position)
                    count += Int(frame.mask[position])
                    position += 1
                }
            }
            if count == 0 { continue }
            add(
                ColumnBatch(
                    chunk: chunk, positions: UnsafeBufferPointer(start: positions, count: count),
                    isOfAll: isWhole))
        }
    }

    private func add(_ batch: ColumnBatch) {
        guard let first = coders.first else {
            counts[0] += batch.positions.count
            for accumulator in accumulators { accumulator.add(batch, nil) }
            return
        }
        first.encode(batch, into: codes)
        for (coder, table) in zip(coders.dropFirst(), tables) {
            coder.encode(batch, into: ownCodes)
            for index in batch.positions.indices {
                codes[index] = table.code(of: Self.pair(codes[index], ownCodes[index]))
            }
        }
        // Groups come in the order of their numbers.
        for index in batch.positions.indices where Int(codes[index]) == counts.count {
            addGroup(of: batch.key(index))
        }
        if batch.chunk < lastChunk {
            for index in batch.positions.indices {
                let group = Int(codes[index])
                keys[group] = min(keys[group], batch.key(index))
            }
        }
        counts.withUnsafeMutableBufferPointer { counts in
            for index in batch.positions.indices { counts[Int(codes[index])] += 1 }
        }
        for accumulator in accumulators { accumulator.add(batch, codes) }
    }

    private static func pair(_ group: UInt32, _ code: UInt32) -> Int64 {
        Int64(group) << 32 | Int64(code)
    }

    private func addGroup(of key: UInt64) {
        counts.append(0)
        keys.append(key)
        for accumulator in accumulators { accumulator.grow(to: counts.count) }
    }

    /// The codes of a group.
    private func codes(of group: Int) -> [Int] {
        var codes: [Int] = []
        var group = group
        for table in tables.reversed() {
            let pair = table.numbers[group]
            codes.append(Int(UInt32(truncatingIfNeeded: pair)))
            group = Int(pair >> 32)
        }
        return (codes + [group]).reversed()
    }

    /// Adds what a part has seen.
    package func add(_ part: ColumnAggregation) {
        guard !coders.isEmpty else {
            return add(part, to: [0])
        }
        let coded = zip(coders, part.coders).map { $0.codes(of: $1) }
        add(
            part,
            to: part.counts.indices.map { group in
                let codes = zip(part.codes(of: group), coded).map { $1[$0] }
                return self.group(codes, of: part.keys[group])
            })
    }

    /// The group of some codes, of which an object is known.
    private func group(_ codes: [UInt32], of key: UInt64) -> UInt32 {
        var group = codes[0]
        for (table, code) in zip(tables, codes.dropFirst()) {
            group = table.code(of: Self.pair(group, code))
        }
        if Int(group) == counts.count { addGroup(of: key) }
        keys[Int(group)] = min(keys[Int(group)], key)
        return group
    }

    private func add(_ part: ColumnAggregation, to groups: [UInt32]) {
        for (count, group) in zip(part.counts, groups) { counts[Int(group)] += count }
        for (own, other) in zip(accumulators, part.accumulators) { own.add(other, to: groups) }
    }

    // MARK: Results

    /// The key of the first object of each group, rising.
    package var firstKeys: [UInt64] { keys.sorted() }

    /// The first groups in their order, or all in whatever order.
    ///
    /// - `isWhole`: Whether no values are added to them elsewhere.
    /// - `after`: ``Aggregation/Group/sortBytes`` that only later groups are wanted of; nil for all.
    /// - `countMax`: How many are wanted; nil for all.
    /// - `byteCountMax`: Memory for them.
    /// - `isInTime`: Asked now and then.
    /// - Returns: Nil when there is too little memory or time.
    package func finish(
        isWhole: Bool, after: [UInt8]?, countMax: Int?, byteCountMax: Int, isInTime: () -> Bool
    ) -> [Aggregation.Group]? {
        var left = byteCountMax - byteCount
        guard !coders.isEmpty else {
            let isReady = settle(isWhole: isWhole, byteCountMax: left, isInTime: isInTime)
            return isReady ? [makeGroup(0, [], isWhole: isWhole)] : nil
        }
        var values: [CodedValues] = []
        for coder in coders {
            guard let own = CodedValues(coder, byteCountMax: left, goesOn: isInTime) else {
                return nil
            }
            left -= own.byteCount
            values.append(own)
        }
        var joined: (whole: ColumnAggregation, firsts: [Int])?
        if values.contains(where: \.hasEqual) {
            left -= byteCount
            if left < 0 { return nil }
            joined = self.joined(values)
        }
        let whole = joined?.whole ?? self
        // Of one coder alone the groups are its codes.
        var groupCodes: [UInt32] = []
        if joined != nil || coders.count > 1 {
            for group in joined?.firsts ?? Array(counts.indices) {
                for code in codes(of: group) {
                    groupCodes.append(UInt32(truncatingIfNeeded: code))
                }
            }
        }
        let order = CodeOrder(values, codes: groupCodes)
        guard whole.settle(isWhole: isWhole, byteCountMax: left, isInTime: isInTime) else {
            return nil
        }
        let groupByteCount = Aggregation.byteCount(ofGroup: 0, operationCount: operations.count)
        if countMax == nil, whole.counts.count * groupByteCount > left { return nil }
        let wanted = whole.counts.indices.lazy.filter { group in
            after.map { order.isBehind(group, $0) } ?? true
        }
        var groups: [Aggregation.Group] = []
        func make(_ group: Int) -> Bool {
            groups.append(whole.makeGroup(group, order.bytes(of: group), isWhole: isWhole))
            return !groups.count.isMultiple(of: Self.groupsUnseen) || isInTime()
        }
        guard let countMax else { return wanted.allSatisfy(make) ? groups : nil }
        var heap = BoundedHeap<Int>(countMax: countMax)
        for group in wanted { _ = heap.insert(group, isBefore: order.isBefore) }
        return heap.sorted(order.isBefore).allSatisfy(make) ? groups : nil
    }

    /// So many groups are made between two looks at the time.
    private static let groupsUnseen = 64

    private func settle(isWhole: Bool, byteCountMax: Int, isInTime: () -> Bool) -> Bool {
        let before = byteCount
        guard byteCountMax >= 0 else { return false }
        return accumulators.allSatisfy { accumulator in
            accumulator.settle(
                isWhole: isWhole, byteCountMax: byteCountMax - (byteCount - before),
                isInTime: isInTime)
        }
    }

    /// The groups with those joined whose values are equal, and which one each of them was first.
    private func joined(
        _ values: [CodedValues]
    ) -> (whole: ColumnAggregation, firsts: [Int]) {
        let whole = makePart()
        let table = CodeTable()
        var firsts: [Int] = []
        let groups = counts.indices.map { group in
            var codes = zip(codes(of: group), values).map { $1.firstEqual(to: $0) }
            codes[0] = table.code(of: Int64(codes[0]))
            let code = whole.group(codes, of: keys[group])
            if Int(code) == firsts.count { firsts.append(group) }
            return code
        }
        whole.add(self, to: groups)
        return (whole, firsts)
    }

    private func makeGroup(_ group: Int, _ sortBytes: [UInt8], isWhole: Bool) -> Aggregation.Group {
        Aggregation.Group(
            sortBytes: sortBytes, key: keys[group], count: counts[group],
            states: operations.compactMap { operation in
                accumulators[operation.accumulator].state(
                    operation.kind, of: group, isWhole: isWhole)
            })
    }
}
