import ObjectModel
import Rows

/// An aggregation over columns: what ``Aggregation`` does row by row, batch by batch. One thread at a time uses it,
/// but for ``makePart()``.
///
/// Groups are told apart by the values as columns have them, those behind a link by the link; only in the end are they
/// put in order, and those joined whose links lead to equal values. Objects with a value that is not in its column are
/// left to the rows.
package final class ColumnAggregation: ColumnCalculation, @unchecked Sendable {
    // Unchecked: other threads call `makePart` alone, which reads what was set before they came.

    /// An operation on values, and who calculates it.
    struct Operation {
        let kind: AggregateOperation.Kind
        let accumulator: Int
    }

    let operations: [Operation]
    let coders: [GroupCoder]
    /// The coder of a collection's elements, of which each counts in its group.
    private let many: GroupCoder?
    private let elements = ElementBatches()
    /// How many objects it has seen.
    package private(set) var objectCount = 0
    /// Memory beyond which it is full.
    package var byteCountMax = Int.max
    /// Whether it is of use only for all objects, so that none may be left to the rows.
    package let needsAll: Bool
    let accumulators: [ColumnAccumulator]
    /// The groups that coders make together, of each but the first: numbers of the group of those before and its code.
    private var tables: [CodeTable] = []
    private(set) var counts: [Int] = []
    /// The least key of the objects of each group.
    private(set) var keys: [UInt64] = []
    private var lastChunk = 0
    private let batches = ColumnBatches()
    private let codes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)
    private let ownCodes = UnsafeMutablePointer<UInt32>.allocate(capacity: ColumnBatch.countMax)

    /// Makes an aggregation; nil for what columns do not calculate.
    ///
    /// - `isOfKeys`: Whether it is made for ``firstKeys``.
    package init?(
        _ operations: [AggregateOperation], by: [GroupKey], isOfKeys: Bool = false,
        schema: RowSchema
    ) {
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
        for key in by {
            guard let coder = GroupCoder.coder(of: key, schema) else { return nil }
            coders.append(coder)
        }
        self.operations = made
        self.accumulators = accumulators
        self.coders = coders
        many = zip(by, coders).first { $0.0.path.isMany }?.1
        needsAll = isOfKeys || accumulators.contains(where: \.needsAll)
        begin()
    }

    /// Makes one for ``firstKeys``, which tells objects apart by properties of the class itself; nil for any other.
    package convenience init?(distinct keys: [SortKey], schema: RowSchema) {
        guard keys.allSatisfy({ $0.path.ownMember != nil && $0.path.type.storage != .link }) else {
            return nil
        }
        self.init(
            [], by: keys.map { GroupKey(path: $0.path, part: .value) }, isOfKeys: true,
            schema: schema)
    }

    private init(partOf whole: ColumnAggregation) {
        operations = whole.operations
        needsAll = whole.needsAll
        let coders = whole.coders.map { own in
            let coder = own.makePart()
            coder.bind(as: own)
            return coder
        }
        self.coders = coders
        many = zip(whole.coders, coders).first { $0.0 === whole.many }?.1
        accumulators = whole.accumulators.map { own in
            let accumulator = own.makePart()
            accumulator.bind(as: own)
            return accumulator
        }
        begin()
    }

    deinit {
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
            guard let coder = GroupCoder.coder(of: GroupKey(path: path, part: .value), schema)
            else { return nil }
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

    package var references: Set<ColumnReference> {
        Set(coders.map(\.reference) + accumulators.map(\.reference))
    }

    package func bind(to columns: BoundColumns) -> Bool {
        for coder in coders { coder.bind(to: columns) }
        for accumulator in accumulators { accumulator.bind(to: columns) }
        return true
    }

    /// An aggregation of the same that has seen nothing, for another thread; any thread.
    package func makePart() -> ColumnAggregation { ColumnAggregation(partOf: self) }

    /// Whether it holds little for the objects that it has seen: then several threads are sooner done than one, though what
    /// their parts hold has to be added.
    package var isWorthSharing: Bool { byteCount < objectCount * Self.sharedByteCountMax }

    private static let sharedByteCountMax = 32

    /// How many groups there are.
    package var groupCount: Int { counts.count }

    /// Bytes of memory that the groups take.
    package var byteCount: Int {
        counts.count * 16 + accumulators.reduce(0) { $0 + $1.byteCount }
            + coders.reduce(0) { $0 + $1.byteCount } + tables.reduce(0) { $0 + $1.byteCount }
    }

    /// Whether it had no room for more at some time, though it may have since: what it has seen is of no use then.
    package private(set) var isFull = false

    /// Which positions of a chunk have a value that is not in its column, a mask for each column that has such.
    package func exceptions(of chunk: Int) -> [UnsafePointer<UInt8>] {
        coders.compactMap { coder in
            chunk < coder.column.count ? coder.column[chunk]?.exceptions : nil
        } + accumulators.compactMap { $0.exceptions(of: chunk) }
    }

    // MARK: Adding

    /// Adds the objects of a chunk's result, which has no exceptions, until it is full; of the result those are left that
    /// were added.
    package func add(_ chunk: Int, _ frame: ColumnFrame) {
        defer {
            lastChunk = max(lastChunk, chunk)
            noteRoom()
        }
        objectCount += frame.count
        batches.forEach(of: chunk, frame) { batch in
            guard let many else { return add(batch) }
            guard let collections = many.chunk(chunk) as? CollectionChunk else { return }
            elements.forEach(of: batch, in: collections) { batch in
                if isFull { return }
                add(batch)
                noteRoom()
            }
        }
    }

    private func noteRoom() { if byteCount > byteCountMax { isFull = true } }

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
                codes[index] = table.code(of: CodeTable.pair(codes[index], ownCodes[index]))
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

    private func addGroup(of key: UInt64) {
        counts.append(0)
        keys.append(key)
        for accumulator in accumulators { accumulator.grow(to: counts.count) }
    }

    /// The codes of all groups, one group after the other.
    func allCodes() -> [UInt32] {
        let width = coders.count
        return [UInt32](unsafeUninitializedCapacity: counts.count * width) { codes, count in
            for group in counts.indices {
                var first = group
                for (index, table) in tables.enumerated().reversed() {
                    let pair = table.numbers[first]
                    codes.initializeElement(
                        at: group * width + index + 1, to: UInt32(truncatingIfNeeded: pair))
                    first = Int(pair >> 32)
                }
                codes.initializeElement(
                    at: group * width, to: UInt32(truncatingIfNeeded: first))
            }
            count = counts.count * width
        }
    }

    /// Adds what a part has seen.
    package func add(_ part: ColumnAggregation) {
        objectCount += part.objectCount
        guard !coders.isEmpty else {
            return add(part, to: [0])
        }
        let coded = zip(coders, part.coders).map { $0.codes(of: $1) }
        let codes = part.allCodes()
        add(
            part,
            to: part.counts.indices.map { group in
                self.group(of: part.keys[group]) { index in
                    coded[index][Int(codes[group * coders.count + index])]
                }
            })
    }

    /// The group with some codes, by coder, of which an object is known.
    func group(of key: UInt64, _ code: (Int) -> UInt32) -> UInt32 {
        var group = code(0)
        for (index, table) in tables.enumerated() {
            group = table.code(of: CodeTable.pair(group, code(index + 1)))
        }
        if Int(group) == counts.count { addGroup(of: key) }
        keys[Int(group)] = min(keys[Int(group)], key)
        return group
    }

    func add(_ part: ColumnAggregation, to groups: [UInt32]) {
        for (count, group) in zip(part.counts, groups) { counts[Int(group)] += count }
        for (own, other) in zip(accumulators, part.accumulators) { own.add(other, to: groups) }
    }
}
