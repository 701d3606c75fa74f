import HoldfastBytes
import HoldfastQuery
import HoldfastRows

/// The order of the objects of a class: by some sort keys, then by object key, which always rises, as in a stable sort of the
/// result without an order.
///
/// Long texts are cut in sort bytes; where two were, their rows decide. One thread at a time uses it; the view must stay open.
package final class ObjectOrder {
    let sorter: SortEvaluator
    private let transaction: ReadTransaction
    private let rowClass: RowClass

    /// Makes an order of the objects of a class as a view has them.
    package init(_ sort: [SortKey], of rowClass: RowClass, in transaction: ReadTransaction) {
        sorter = SortEvaluator(sort, schema: transaction.rows)
        self.transaction = transaction
        self.rowClass = rowClass
    }

    // MARK: Counts and aggregates behind inverse links

    /// Counts the rows of a pass over the objects that hold the links which the order counts or aggregates behind;
    /// nil where it does not.
    func totalCost() throws(StoreError) -> Int? {
        // Totals keep values in place, and a restricted view may show a copy.
        guard transaction.restricted == nil else { return nil }
        let classes = sorter.totalledClasses(transaction.rows)
        if classes.isEmpty { return nil }
        var cost = 0
        for index in classes {
            cost += Int(clamping: try transaction.classState(transaction.rows.classes[index]).count)
        }
        return cost
    }

    /// Works the counts and aggregates out for all objects, in that pass, unless it takes too long or too much memory:
    /// then they are walked for as before.
    func total(byteCountMax: Int) {
        guard let keyEnd = try? transaction.classState(rowClass).nextKey,
            keyEnd < UInt64(byteCountMax / MemoryLayout<UInt32>.stride)
        else { return }
        sorter.total(transaction.rows, keyEnd: Int(keyEnd)) { totals in
            Set(totals.map(\.originClass)).allSatisfy { classIndex in
                let own = totals.filter { $0.originClass == classIndex }
                return add(classIndex, to: own, byteCountMax: byteCountMax / totals.count)
            }
        }
    }

    /// Adds every object of a class; false where that was given up.
    private func add(_ classIndex: Int, to totals: [InverseTotals], byteCountMax: Int) -> Bool {
        func isBounded() -> Bool { totals.allSatisfy { $0.byteCount <= byteCountMax } }
        var count = 0
        let budget = transaction.budget
        do throws(StoreError) {
            try transaction.scan(transaction.rows.classes[classIndex]) { _, row in
                guard budget.spend(totals.count) else { return false }
                for own in totals { own.add(row, transaction) }
                count += 1
                guard count & 1023 == 0 else { return true }
                return isBounded()
            }
        } catch {
            if case .storage(let error) = error { transaction.fail(error) }
            return false
        }
        return budget.failure == nil && isBounded()
    }

    // MARK: Positions

    /// Returns the sort values of an object, as positions hold them.
    func sortBytes(_ key: UInt64, _ row: RowView) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        append(key, row, to: buffer)
        return buffer.array
    }

    /// Appends the sort values of an object.
    func append(_ key: UInt64, _ row: RowView, to buffer: ByteBuffer) {
        sorter.append(row: row, key: key, source: transaction, to: buffer)
    }

    /// Returns the position of an object in the order.
    package func position(_ key: UInt64, _ row: RowView) -> QueryPosition {
        let sortBytes = sortBytes(key, row)
        var position = QueryPosition(sortBytes: sortBytes, key: key)
        if mayBeCut(sortBytes.count) {
            let (whole, isCut) = wholeBytes(key, row)
            if !isCut, whole.count <= QueryPosition.wholeByteCountMax {
                position.wholeBytes = whole
            }
        }
        return position
    }

    /// Whether a value in sort bytes of this length may have been cut.
    private func mayBeCut(_ sortByteCount: Int) -> Bool {
        sortByteCount > OrderedKey.textByteCountMax
    }

    private func wholeBytes(_ key: UInt64, _ row: RowView) -> (bytes: [UInt8], isCut: Bool) {
        let buffer = ByteBuffer(capacity: 1024)
        let isCut = sorter.append(
            row: row, key: key, source: transaction, to: buffer,
            textByteCountMax: QueryPosition.wholeByteCountMax)
        return (buffer.array, isCut)
    }

    /// Whether the objects after a position are known: false if the position has no room for a long text, and its object is gone
    /// or has another text now.
    package func canGoOn(behind position: QueryPosition) -> Bool {
        guard mayBeCut(position.sortBytes.count), position.wholeBytes.isEmpty else { return true }
        return row(position.key).map { sortBytes(position.key, $0) == position.sortBytes } ?? false
    }

    /// Whether an object comes after a position. The position's object may have changed or gone since.
    package func comesAfter(_ key: UInt64, _ row: RowView, _ position: QueryPosition) -> Bool {
        sortBytes(key, row).withUnsafeBytes { comesAfter($0, key, position) }
    }

    /// Whether an object that is there comes behind a position.
    func comesAfter(_ key: UInt64, _ position: QueryPosition) -> Bool {
        row(key).map { comesAfter(key, $0, position) } ?? false
    }

    /// Whether an object with these sort bytes comes behind a position.
    func comesAfter(
        _ own: UnsafeRawBufferPointer, _ key: UInt64, _ position: QueryPosition
    ) -> Bool {
        let order = position.sortBytes.withUnsafeBytes { compareKeys(own, $0) }
        if order == 0 { return key > position.key }
        guard mayBeCut(own.count), mayBeCut(position.sortBytes.count), let row = self.row(key)
        else { return order > 0 }
        // Values that were cut alike are distinguished by the whole ones.
        if !position.wholeBytes.isEmpty {
            return position.wholeBytes.lexicographicallyPrecedes(wholeBytes(key, row).bytes)
        }
        // The position has no room for them. The row has them, as long as its object is unchanged.
        if let other = self.row(position.key), sortBytes(position.key, other) == position.sortBytes
        {
            let exact = compareByRows((key, row), (position.key, other))
            if exact != 0 { return exact > 0 }
        }
        return order > 0
    }

    // MARK: Objects

    /// Compares two objects by the whole values of all sort keys: negative, 0 or positive.
    func compareByRows(_ a: (key: UInt64, row: RowView), _ b: (key: UInt64, row: RowView)) -> Int {
        sorter.compare(a.row, a.key, b.row, b.key, transaction)
    }

    /// Whether `a` comes before `b`. The comparison of ranks and keys is inlined, so that no entry is copied for it.
    @inline(__always)
    func isBefore(_ a: SortEntry, _ b: SortEntry) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        return a.isWhole && b.isWhole ? a.key < b.key : isBeforeByAll(a, b)
    }

    @inline(never)
    private func isBeforeByAll(_ a: SortEntry, _ b: SortEntry) -> Bool {
        let order = compare(a, b)
        return order == 0 ? a.key < b.key : order < 0
    }

    /// Compares two objects by sort bytes, and where both may be cut by rows: negative, 0 or positive.
    func compare(_ a: SortEntry, _ b: SortEntry) -> Int {
        let order = a.compare(b)
        guard order != 0, a.mayBeCut, b.mayBeCut, let first = row(a.key), let second = row(b.key)
        else { return order }
        return compareByRows((a.key, first), (b.key, second))
    }

    private func row(_ key: UInt64) -> RowView? {
        transaction.row(classIndex: rowClass.index, key: key)
    }

    /// The budget of comparisons.
    var budget: Budget { transaction.budget }
}
