import HoldfastQuery
import HoldfastRows

/// A scan of a class by its columns. The predicate becomes a mask, chunk after chunk. Rows are read only for results, and for
/// conditions that columns cannot decide.
///
/// One thread at a time uses it; the view must stay open.
///
/// Benchmark rows: `aggregates`, `scan`.
final class ColumnScan {
    let program: ColumnProgram
    /// The columns that it reads, without the columns that list the present objects.
    let references: [ColumnReference]
    let transaction: ReadTransaction
    let rowClass: RowClass
    private let predicate: Predicate?
    let frame: ColumnFrame
    /// The chunk whose result is in the frame, if it was evaluated before it is needed.
    private var begunChunk: Int?
    let options: ColumnOptions
    /// The column to sort by; nil where rows have to be sorted.
    private let order: ColumnOrder?
    /// Tests the parts of the condition that columns cannot answer.
    private let residual: Matcher?
    /// Tests all of the predicate, where a value is not in its column; made for the first such value.
    private lazy var whole = predicate?.makeMatcher(transaction.rows, source: transaction)

    /// Nil when no columns are there for the predicate, nor built now, that answer a part of it.
    ///
    /// - `calculation`: The calculation; the result is then nil also if columns cannot calculate it.
    /// - `readsAll`: Whether the scan goes over all objects, so that it counts as a use.
    /// - `prepared`: The parts that planning has already made for this predicate, for this scan only.
    init?(
        _ predicate: Predicate?, _ rowClass: RowClass, sort: [SortKey] = [],
        calculation: (any ColumnCalculation)? = nil, in transaction: ReadTransaction,
        readsAll: Bool, prepared: Prepared? = nil
    ) throws(StoreError) {
        guard let store = transaction.columns, store.options.byteCountMax > 0,
            let wanted = prepared?.program
                ?? Self.program(predicate, rowClass, transaction.rows, store)
        else { return nil }
        let order = ColumnOrder(sort, schema: transaction.rows)
        // Without a condition, columns can only sort and calculate. Calculated values are of no use if columns do not have all of
        // them.
        guard predicate != nil || order != nil || calculation != nil,
            calculation == nil || wanted.residual == nil
        else { return nil }
        var references = calculation?.references ?? []
        references.formUnion(order?.references ?? [])
        let others = references
        references.formUnion(wanted.references)
        guard transaction.mayUse(references, of: rowClass) else { return nil }
        let found: [ColumnReference: [ColumnChunk?]]
        if let own = prepared?.columns, own.staleRowCount == 0,
            others.allSatisfy({ own.chunks[$0] != nil })
        {
            found = own.chunks
            store.touch(references, transaction.rows)
        } else {
            found = try store.columns(references, of: rowClass, in: transaction, counts: readsAll)
        }
        var program = wanted
        if wanted.references.contains(where: { found[$0] == nil }) {
            guard calculation == nil, !found.isEmpty,
                let part = ColumnProgram(
                    predicate, classIndex: rowClass.index, schema: transaction.rows,
                    isAvailable: { found[$0] != nil })
            else { return nil }
            program = part
        }
        let columns = BoundColumns(columns: found, source: transaction)
        program.bind(to: columns)
        let budget = transaction.budget
        /// Whether reading all objects that have values is cheaper than reading the found objects.
        func isWorthReading(_ classes: [Int]) throws(StoreError) -> Bool {
            var count = 0
            for index in classes {
                count += Int(
                    clamping: try transaction.classState(transaction.rows.classes[index]).count)
            }
            return count <= program.chunkCount * Self.readForChunkMax
                || program.isMatching(count / Self.readOneByOneCost, within: budget)
        }
        var hasOrder = false
        if let order, order.references.allSatisfy({ found[$0] != nil }),
            try isWorthReading(order.linkedClasses)
        {
            hasOrder = order.bind(to: columns, within: budget)
        }
        if let calculation {
            guard others.allSatisfy({ found[$0] != nil }),
                try isWorthReading(calculation.linkedClasses),
                calculation.bind(to: columns, within: budget)
            else { return nil }
        }
        guard hasOrder || predicate != nil || calculation != nil else { return nil }
        self.order = hasOrder ? order : nil
        var used = program.references.union(calculation?.references ?? [])
        used.formUnion(self.order?.references ?? [])
        self.references = used.filter { $0.member >= 0 }
            .sorted { ($0.classIndex, $0.member) < ($1.classIndex, $1.member) }
        self.program = program
        self.transaction = transaction
        frame = ColumnFrame(within: transaction.budget)
        self.rowClass = rowClass
        self.predicate = predicate
        options = store.options
        residual = program.residual?.makeMatcher(transaction.rows, source: transaction)
    }

    /// So many objects behind links are read, for each chunk, without a look at how many link to them, which takes as long.
    private static let readForChunkMax = ColumnChunk.keyCount / 16
    /// The cost of reading an object and another one behind its link, beside that of one of many that are read in a row.
    private static let readOneByOneCost = 4

    /// The number of rows that were tested for the parts that columns do not answer.
    private(set) var testedRowCount = 0

    /// Whether a part of the predicate is tested on rows.
    var testsRows: Bool { residual != nil }

    private static func program(
        _ predicate: Predicate?, _ rowClass: RowClass, _ schema: RowSchema, _ store: ColumnStore
    ) -> ColumnProgram? {
        ColumnProgram(predicate, classIndex: rowClass.index, schema: schema) { reference in
            store.mayHave(reference, schema.classes[reference.classIndex])
        }
    }

    /// Counts a scan of many rows that columns would have answered.
    static func countUse(
        _ predicate: Predicate?, _ rowClass: RowClass, in transaction: ReadTransaction
    ) {
        guard let store = transaction.columns, predicate != nil, store.options.byteCountMax > 0,
            let program = program(predicate, rowClass, transaction.rows, store)
        else { return }
        store.countUse(program.references, transaction.rows)
    }

    // MARK: Chunks

    func checkTime() throws(StoreError) {
        if !transaction.budget.checkLimits() { try transaction.budget.requireNoFailure() }
    }

    static func key(_ chunk: Int, _ position: Int) -> UInt64 {
        UInt64(chunk << ColumnChunk.keyCountLog2 + position)
    }

    /// Evaluates a chunk into the frame's mask; false when it has no objects.
    func evaluate(_ chunk: Int) throws(StoreError) -> Bool {
        defer { begunChunk = nil }
        if chunk == begunChunk { return true }
        guard program.evaluate(chunk, frame) else { return false }
        try checkTime()
        guard frame.hasUndecided else { return true }
        var failure: StoreError?
        frame.settle { position in
            guard failure == nil else { return false }
            let key = Self.key(chunk, position)
            do throws(StoreError) {
                guard let row = try transaction.find(rowClass, key: key) else { return false }
                return whole?.matches(row: row, key: key, source: transaction) ?? true
            } catch {
                failure = error
                return false
            }
        }
        if let failure { throw failure }
        return true
    }

    // MARK: Results

    /// Evaluates the chunk that the scan begins with behind a key; the scan does not do so again.
    func begin(after first: UInt64) throws(StoreError) -> Beginning {
        let (firstChunk, from) = start(behind: first)
        for chunk in firstChunk..<program.chunkCount where try evaluate(chunk) {
            begunChunk = chunk
            let matchCount = frame.count
            return Beginning(
                objectCount: program.objects(of: chunk)?.objectCount ?? 0, matchCount: matchCount,
                nextCount: chunk == firstChunk && first > 0 ? frame.count(from: from) : matchCount)
        }
        return Beginning()
    }

    private func start(behind key: UInt64) -> (chunk: Int, position: Int) {
        let start = key &+ 1
        guard start > 0 else { return (program.chunkCount, 0) }
        return (
            Int(min(start >> UInt64(ColumnChunk.keyCountLog2), UInt64(program.chunkCount))),
            Int(start & UInt64(ColumnChunk.keyCount - 1))
        )
    }

    /// Hands over the objects that satisfy the predicate in the order of their keys, behind a key, until `body` returns false.
    ///
    /// - `chunkCountMax`: How many chunks may be looked at.
    /// - Returns: Behind which key there is more, where so many were looked at in vain.
    func scan(
        after first: UInt64, chunkCountMax: Int = .max, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) -> UInt64? {
        var left = chunkCountMax
        let (firstChunk, from) = start(behind: first)
        for chunk in firstChunk..<program.chunkCount {
            guard left > 0 else { return max(first, Self.key(chunk, 0) - 1) }
            guard try evaluate(chunk) else { continue }
            left -= 1
            guard try rows(of: chunk, from: chunk == firstChunk ? from : 0, body) else {
                return nil
            }
        }
        return nil
    }

    /// Hands over the first `limit` objects that satisfy the predicate in the order of the columns to sort
    /// by, behind a position, until `body` returns false.
    ///
    /// - `whole`: The same order, which compares rows where texts were cut.
    /// - Returns: False if there are no such columns, or too little memory for the values behind links. Nothing was done then.
    func sort(
        by whole: ObjectOrder, limit: Int, after position: QueryPosition?, memoryByteCountMax: Int,
        _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) -> Bool {
        guard let order else { return false }
        let first = position.map { $0.sortBytes.withUnsafeBytes { SortEntry.rank(of: $0) } } ?? 0
        let areRanksWhole = order.areRanksWhole
        var heap = PageHeap(countMax: limit, byteCountMax: memoryByteCountMax)
        for chunk in 0..<program.chunkCount where try evaluate(chunk) {
            let last = heap.isFull ? heap.lastRank : nil
            try order.forEach(chunk, frame, from: first, upTo: last) {
                (key, rank) throws(StoreError) in
                let sortBytes = areRanksWhole ? nil : order.sortBytes(key)
                let isBehind = position.map { start in
                    sortBytes.map { whole.comesAfter($0, key, start) }
                        ?? ((rank, key) > (first, start.key))
                }
                if isBehind ?? true, try satisfiesResidual(key) {
                    let hasRoom =
                        sortBytes.map { heap.insert($0, key, by: whole) }
                        ?? heap.insert(SortEntry(rank: rank, key: key), by: whole)
                    guard hasRoom else { throw .stopped(.memory) }
                }
                return heap.isFull ? heap.lastRank : nil
            }
            if order.byteCount > memoryByteCountMax { return false }
        }
        for key in try heap.sortedKeys(by: whole) {
            guard let row = try transaction.find(rowClass, key: key) else { continue }
            guard body(key, row) else { break }
        }
        return true
    }

    private func satisfiesResidual(_ key: UInt64) throws(StoreError) -> Bool {
        guard let residual else { return true }
        guard let row = try transaction.find(rowClass, key: key) else { return false }
        return residual.matches(row: row, key: key, source: transaction)
    }

    /// Reads the rows of the chunk that was evaluated last, as far as they are wanted: one by one, or all
    /// in a row where most are.
    func rows(
        of chunk: Int, from first: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) -> Bool {
        if residual != nil { testedRowCount += frame.count }
        let objectCount = program.objects(of: chunk)?.objectCount ?? 0
        if frame.count * Self.denseRatio >= objectCount {
            return try neighbours(of: chunk, from: first, body)
        }
        var position = frame.first(from: first)
        while position < ColumnChunk.keyCount {
            let key = Self.key(chunk, position)
            if let row = try transaction.find(rowClass, key: key),
                residual?.matches(row: row, key: key, source: transaction) ?? true, !body(key, row)
            {
                return false
            }
            position = frame.first(from: position + 1)
        }
        return true
    }

    /// From which part of a chunk on a walk over all of its rows is cheaper than looking rows up: a look-up
    /// costs some ten times the step to the next row.
    private static let denseRatio = 10

    private func neighbours(
        of chunk: Int, from first: Int, _ body: (UInt64, RowView) -> Bool
    ) throws(StoreError) -> Bool {
        var position = frame.first(from: first)
        guard position < ColumnChunk.keyCount else { return true }
        let start = Self.key(chunk, position)
        let end = Self.key(chunk + 1, 0)
        var goesOn = true
        let mask = UnsafePointer(frame.mask)
        try transaction.scan(rowClass, after: start &- 1) { key, row in
            guard key < end else { return false }
            position = Int(key & UInt64(ColumnChunk.keyCount - 1))
            guard mask[position] != 0,
                residual?.matches(row: row, key: key, source: transaction) ?? true
            else { return true }
            goesOn = body(key, row)
            return goesOn
        }
        return goesOn
    }
}

extension ColumnScan {
    /// Divides the objects that satisfy the predicate, which columns answer whole, among the sections that the scan was made for.
    ///
    /// - Returns: False where rows have to tell the sections, or have them with less memory.
    func divide(
        _ columns: SectionColumns, among groups: SectionGroups, byteCountMax: Int
    ) throws(StoreError) -> Bool {
        for chunk in 0..<program.chunkCount where try evaluate(chunk) {
            var hasRoom = true
            let isWhole = columns.forEach(chunk, frame) { batch in
                hasRoom = hasRoom && groups.add(batch, of: columns)
            }
            guard isWhole, hasRoom, columns.byteCount <= byteCountMax else { return false }
        }
        return true
    }
}
