import HoldfastObjectModel
import HoldfastRows

/// Calculates operations over objects, of all of them or of each group with the same values. Objects come in batches:
/// neighbours in a chunk of columns, or rows that are packed, a batch of them at a time, into chunks that are used once.
/// One thread at a time uses it, but for ``makePart()``.
///
/// Over columns groups are told apart by the values as columns have them, over rows by sort bytes, which joins both. Of groups
/// that are asked for in the order of their values it keeps the first ones: its memory does not grow with their number then.
package final class Aggregation: ColumnCalculation, @unchecked Sendable {
    // Unchecked: other threads call `makePart` alone, of one that has seen nothing and is not used meanwhile.

    /// A group of objects with the same values.
    package struct Group {
        /// The values, encoded so that bytes are ordered as values are.
        package let sortBytes: [UInt8]
        /// The object key of one of the objects.
        package let key: UInt64
        /// How many objects there are.
        package let count: Int
        /// The results of the `values` operations, in their order.
        package let results: [AggregateState.Result]
    }

    /// The operations that are asked for, and the groups.
    struct Question {
        let operations: [AggregateOperation]
        let by: [GroupKey]
        let page: GroupPage
        let schema: RowSchema
    }

    /// The number of a group that is left out.
    static let dropped = UInt32.max

    let question: Question
    /// The operations on values, with the calculation of each.
    let operations: [Accumulator.Operation]
    /// Memory beyond which it is full.
    package var byteCountMax: Int
    /// The rows that wait to be added; nil over columns.
    let rows: RowBatch?
    /// The coder of a collection's elements, of which each counts in its group.
    private let many: Int?
    private let elements = ElementBatches()
    private let batches = ColumnBatches()
    private let values = ValueBatch()
    private let codes = BatchRoom<UInt32>()
    private let ownCodes = BatchRoom<UInt32>()

    /// How many objects it has seen.
    package internal(set) var objectCount = 0
    var encoders: [DictionaryEncoder]
    var accumulators: [Accumulator]
    /// The groups that coders make together, for each coder after the first: numbers of the earlier groups with its codes.
    var tables: [PairTable] = []
    var counts: [Int] = []
    /// The key of one of the objects of each group.
    var keys: [UInt64] = []
    /// Whether it had no room for more at some time, even if it has now: its results can't be used then.
    package internal(set) var isFull = false
    /// The code of the first value of the last group of the page, as far as groups are known: greater values make no
    /// group of the page.
    private var last: Int?
    /// With more groups than these it is looked for.
    private var knownGroupCount = 512
    /// Bytes of memory that the groups took when the page's groups were last selected.
    private var keptByteCount = 0

    /// Makes an aggregation over rows.
    ///
    /// - Parameters:
    ///   - operations: The requested operations.
    ///   - by: The common values of a group's objects; empty for one group of all.
    ///   - page: The wanted groups; more are made if only all of them decide which these are.
    ///   - byteCountMax: Memory for them.
    ///   - schema: Of the rows.
    package convenience init(
        _ operations: [AggregateOperation], by: [GroupKey], page: GroupPage, byteCountMax: Int,
        schema: RowSchema
    ) {
        let question = Question(operations: operations, by: by, page: page, schema: schema)
        let made = Accumulator.all(question, ofColumns: false) ?? ([], [])
        let encoders = question.by.isEmpty ? [] : [DictionaryEncoder(nil, TextEncoding(.sortBytes))]
        self.init(question, byteCountMax, made, encoders, rows: RowBatch(question))
    }

    private init(
        _ question: Question, _ byteCountMax: Int,
        _ made: (operations: [Accumulator.Operation], accumulators: [Accumulator]),
        _ encoders: [DictionaryEncoder], rows: RowBatch?
    ) {
        self.question = question
        self.byteCountMax = byteCountMax
        (operations, accumulators) = made
        self.encoders = encoders
        self.rows = rows
        many = rows == nil ? question.by.firstIndex(where: \.path.isMany) : nil
        tables = encoders.dropFirst().map { _ in PairTable() }
        guard encoders.isEmpty else { return }
        counts = [0]
        keys = [0]
        for accumulator in accumulators { accumulator.totals.grow(to: 1) }
    }

    /// Makes the same over columns; nil if columns can't calculate it.
    package func makeColumns() -> Aggregation? {
        let encoders = question.by.compactMap { DictionaryEncoder($0, question.schema) }
        guard encoders.count == question.by.count,
            let made = Accumulator.all(question, ofColumns: true)
        else { return nil }
        return Aggregation(question, byteCountMax, made, encoders, rows: nil)
    }

    /// Makes the same over rows.
    package func makeRows() -> Aggregation {
        Aggregation(
            question.operations, by: question.by, page: question.page, byteCountMax: byteCountMax,
            schema: question.schema)
    }

    /// Makes an aggregation of the same that has seen nothing, for another thread.
    package func makePart() -> Aggregation {
        Aggregation(
            question, byteCountMax, (operations, accumulators.map { $0.makePart() }),
            encoders.map { $0.makePart() }, rows: rows)
    }

    // MARK: Columns

    package var references: Set<ColumnReference> {
        Set(encoders.compactMap(\.reference) + accumulators.compactMap(\.reference))
    }

    package var linkedClasses: [Int] {
        encoders.compactMap { $0.far?.linkedClass } + accumulators.compactMap(\.linkedClass)
    }

    package func bind(to columns: BoundColumns, within budget: Budget) -> Bool {
        encoders.allSatisfy { $0.bind(to: columns, within: budget) }
            && accumulators.indices.allSatisfy {
                accumulators[$0].bind(to: columns, within: budget)
            }
    }

    // MARK: Adding

    /// The masks of the positions of a chunk that have a value which is not in its column, one for each column with such.
    package func exceptions(of chunk: Int) -> [UnsafePointer<UInt8>] {
        encoders.compactMap { $0.chunk(chunk)?.exceptions }
            + accumulators.compactMap { $0.exceptions(of: chunk) }
    }

    /// Adds the objects of a chunk's result, which has no exceptions, until it is full.
    package func add(_ chunk: Int, _ frame: ColumnFrame) {
        let count = frame.count
        objectCount += count
        if encoders.isEmpty, accumulators.isEmpty {
            counts[0] += count
            return
        }
        if let last { encoders[0].narrow(chunk, frame, upTo: last) }
        batches.forEach(of: chunk, frame) { batch in
            guard let many else { return addColumns(batch) }
            guard let collections = encoders[many].chunk(chunk) as? CollectionChunk else { return }
            elements.forEach(of: batch, in: collections) { batch in
                if isFull { return }
                addColumns(batch)
                noteRoom(within: frame.budget)
            }
        }
        noteRoom(within: frame.budget)
    }

    private func addColumns(_ batch: ColumnBatch) {
        if let first = encoders.first { first.encode(batch, into: codes.start) }
        for (coder, table) in zip(encoders.dropFirst(), tables) {
            coder.encode(batch, into: ownCodes.start)
            table.encode(codes.start, ownCodes.start, batch.positions.count, into: codes.start)
        }
        add(batch) { $0.add(batch, $1, by: values) }
    }

    /// Takes an object, once for each group that it counts in; the result is known after ``addRows()``.
    ///
    /// - Returns: Whether there is memory for more.
    package func add(row: RowView, key: UInt64, source: any ObjectSource) -> Bool {
        guard let rows else { return false }
        objectCount += 1
        var isPacked = false
        rows.evaluator.forEach(row: row, key: key, source: source) { sortBytes in
            if rows.isFull || accumulators.contains(where: { $0.isPacked }) {
                addRows(within: source.budget)
                isPacked = false
            }
            if !isPacked {
                rows.append(key)
                for accumulator in accumulators { accumulator.pack(row, key, source) }
                isPacked = true
            }
            rows.appendGroup(sortBytes)
        }
        return !isFull
    }

    /// Adds the rows that wait.
    func addRows(within budget: Budget) {
        guard let rows, let batch = rows.batch else { return }
        if let coder = encoders.first { rows.encode(by: coder, into: codes.start) }
        add(batch) { $0.addPacked(batch, $1, by: values) }
        rows.removeAll()
        noteRoom(within: budget)
    }

    /// Adds a batch with its groups in ``codes``.
    private func add(
        _ batch: ColumnBatch, _ add: (Accumulator, _ groups: UnsafePointer<UInt32>?) -> Void
    ) {
        let groups = encoders.isEmpty ? nil : UnsafePointer(codes.start)
        if groups == nil {
            counts[0] += batch.positions.count
        } else {
            let codes = UnsafeBufferPointer(start: codes.start, count: batch.positions.count)
            var greatest: UInt32 = 0
            for code in codes { greatest = max(greatest, code) }
            if Int(greatest) >= counts.count {
                // Groups come in the order of their numbers.
                for index in codes.indices where Int(codes[index]) == counts.count {
                    addGroup(of: batch.key(index))
                }
            }
            counts.withUnsafeMutableBufferPointer { counts in
                for code in codes { counts[Int(code)] += 1 }
            }
        }
        for accumulator in accumulators { add(accumulator, groups) }
    }

    private func addGroup(of key: UInt64) {
        counts.append(0)
        keys.append(key)
        for accumulator in accumulators { accumulator.totals.grow(to: counts.count) }
    }

    // MARK: Groups

    /// The codes of all groups, one group after the other.
    func allCodes() -> [UInt32] {
        let width = encoders.count
        return [UInt32](unsafeUninitializedCapacity: counts.count * width) { codes, count in
            for group in counts.indices {
                var first = group
                for (index, table) in tables.enumerated().reversed() {
                    let pair = table.pair(first)
                    codes.initializeElement(
                        at: group * width + index + 1, to: UInt32(truncatingIfNeeded: pair.code))
                    first = pair.group
                }
                codes.initializeElement(at: group * width, to: UInt32(truncatingIfNeeded: first))
            }
            count = counts.count * width
        }
    }

    /// The group with some codes, by coder, of which an object is known.
    func group(of key: UInt64, _ code: (Int) -> UInt32) -> UInt32 {
        var group = code(0)
        for (index, table) in tables.enumerated() {
            group = table.number(of: group, code(index + 1))
        }
        if Int(group) == counts.count { addGroup(of: key) }
        return group
    }

    /// Adds objects that were counted elsewhere, of which one is known.
    ///
    /// - Returns: Whether there is memory for more.
    package func add(_ count: Int, of sortBytes: [UInt8], key: UInt64) -> Bool {
        let group = sortBytes.withUnsafeBytes { (bytes) -> UInt32 in
            self.group(of: key) { encoders[$0].code(ofSortBytes: bytes) }
        }
        counts[Int(group)] += count
        objectCount += count
        return byteCount <= byteCountMax
    }

    // MARK: Parts

    /// Adds the results of a part, or the results over columns to the results over rows.
    package func add(_ part: Aggregation, within budget: Budget) {
        addRows(within: budget)
        objectCount += part.objectCount
        add(part, Array(part.counts.indices), within: budget)
        noteRoom(within: budget)
    }

    /// Adds some groups of a part.
    private func add(_ part: Aggregation, _ wanted: [Int], within budget: Budget) {
        var groups = [UInt32](repeating: Self.dropped, count: part.groupCount)
        let order = part.order
        let joinsBytes = rows != nil && part.rows == nil
        for first in stride(from: 0, to: wanted.count, by: ColumnBatch.countMax) {
            let some = wanted[first..<min(first + ColumnBatch.countMax, wanted.count)]
            guard budget.spend(some.count * (encoders.count + 1)) else { break }
            let codes =
                joinsBytes
                ? []
                : encoders.indices.map { index in
                    encoders[index].codes(
                        some.map { UInt32(order.code(index, of: $0)) }, of: part.encoders[index])
                }
            for (place, group) in some.enumerated() {
                var own: UInt32 = 0
                if joinsBytes, !encoders.isEmpty {
                    own = order.withBytes(of: group) { bytes in
                        self.group(of: part.keys[group]) { encoders[$0].code(ofSortBytes: bytes) }
                    }
                } else if !encoders.isEmpty {
                    own = self.group(of: part.keys[group]) { codes[$0][place] }
                }
                groups[group] = own
                counts[Int(own)] += part.counts[group]
            }
        }
        for (own, other) in zip(accumulators, part.accumulators) {
            own.totals.add(any: other.totals, to: groups, within: budget)
        }
    }

    /// The order of the groups that there are now by their values.
    var order: CodeOrder { CodeOrder(encoders, codes: encoders.count > 1 ? allCodes() : []) }

    // MARK: Memory

    /// Whether it holds little, or little for the objects that it has seen: then several threads finish sooner than one, although
    /// their parts have to be added.
    package var isWorthSharing: Bool {
        byteCount < max(Self.littleByteCount, objectCount * Self.sharedByteCountMax)
    }

    private static let littleByteCount = 1 << 10
    private static let sharedByteCountMax = 32

    private var groupCount: Int { counts.count }

    /// Bytes of memory that the groups take.
    package var byteCount: Int {
        groupCount * 16 + accumulators.reduce(0) { $0 + $1.totals.byteCount }
            + encoders.reduce(0) { $0 + $1.byteCount } + tables.reduce(0) { $0 + $1.byteCount }
    }

    private func noteRoom(within budget: Budget) {
        // Groups that are kept and large are not looked at again with each batch.
        let roomMax = max(byteCountMax / 2, min(byteCountMax, keptByteCount / 2 * 3))
        if groupCount > Self.groupCountMax || byteCount > roomMax {
            keepFirst(within: budget)
            keptByteCount = byteCount
        } else if groupCount / Self.growth > knownGroupCount, rows == nil, many != 0,
            encoders[0].narrows
        {
            knownGroupCount = groupCount
            if let first = findFirst(within: budget) { noteLast(of: first) }
        }
        if byteCount > byteCountMax { isFull = true }
    }

    /// Fewer groups are all kept.
    private static let groupCountMax = 1 << 16
    /// So many times more groups than are wanted are worth a look at all of them.
    private static let growth = 2

    /// The groups of the page, where there are many more and not all have to be known.
    private func findFirst(within budget: Budget) -> [Int]? {
        let page = question.page.beforehand
        guard !encoders.isEmpty, let countMax = page.countMax,
            groupCount / Self.growth > countMax + 8
        else { return nil }
        return first(of: page, order, within: budget)
    }

    /// Notes the last of the groups of the page, if these are as many as are wanted.
    private func noteLast(of first: [Int]) {
        guard first.count == question.page.beforehand.countMax else { return }
        last = first.last.map { group in tables.reversed().reduce(group) { $1.pair($0).group } }
    }

    /// Drops the groups after the page's groups, if there are many more and not all have to be known.
    ///
    /// As many groups as are wanted stand before each dropped one, independent of later values.
    private func keepFirst(within budget: Budget) {
        guard let first = findFirst(within: budget) else { return }
        let kept = makePart()
        kept.add(self, first, within: budget)
        (encoders, tables, accumulators) = (kept.encoders, kept.tables, kept.accumulators)
        (counts, keys) = (kept.counts, kept.keys)
        // It has another code now.
        last = nil
        noteLast(of: Array(counts.indices))
    }
}
