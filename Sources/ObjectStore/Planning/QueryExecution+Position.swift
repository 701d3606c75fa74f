import Bytes
import Query
import Rows
import Storage

extension QueryExecution {
    /// The sort values of an object, as positions hold them.
    package func sortBytes(_ key: UInt64, _ row: RowView) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        appendSortBytes(key, row, to: buffer)
        return buffer.array
    }

    func appendSortBytes(_ key: UInt64, _ row: RowView, to buffer: ByteBuffer) {
        sorter.append(row: row, key: key, source: transaction, to: buffer)
    }

    /// The position of an object in the order.
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
    func mayBeCut(_ sortByteCount: Int) -> Bool { sortByteCount > OrderedKey.textByteCountMax }

    private func wholeBytes(_ key: UInt64, _ row: RowView) -> (bytes: [UInt8], isCut: Bool) {
        let buffer = ByteBuffer(capacity: 1024)
        let isCut = sorter.append(
            row: row, key: key, source: transaction, to: buffer,
            textByteCountMax: QueryPosition.wholeByteCountMax)
        return (buffer.array, isCut)
    }

    /// Whether an object comes behind a position, whose object may have changed or gone since.
    func comesAfter(_ key: UInt64, _ row: RowView, _ position: QueryPosition) -> Bool {
        if key == position.key { return false }
        let own = sortBytes(key, row)
        if own == position.sortBytes {
            return query.tiesDescend ? key < position.key : key > position.key
        }
        guard mayBeCut(own.count), mayBeCut(position.sortBytes.count) else {
            return position.sortBytes.lexicographicallyPrecedes(own)
        }
        // Values that were cut alike are told apart by the whole ones.
        if !position.wholeBytes.isEmpty {
            return position.wholeBytes.lexicographicallyPrecedes(wholeBytes(key, row).bytes)
        }
        // The position has no room for them: by the rows, as long as its object is what it was.
        if let other = transaction.row(classIndex: rowClass.index, key: position.key),
            sortBytes(position.key, other) == position.sortBytes
        {
            let exact = compareByRows((key, row), (position.key, other))
            if exact != 0 { return exact > 0 }
        }
        return position.sortBytes.lexicographicallyPrecedes(own)
    }

    func compareByRows(_ a: (key: UInt64, row: RowView), _ b: (key: UInt64, row: RowView)) -> Int {
        sorter.compare(a.row, a.key, b.row, b.key, transaction)
    }

    // MARK: Sorting

    /// Reads every match and keeps the first `limit` behind the query's position.
    func sort(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(Failure) {
        if case .scan = plan.access,
            let columns = try columns(readsAll: true),
            try columns.sort(
                limit: limit, after: after, memoryByteCountMax: limits.memoryByteCountMax,
                body)
        {
            return
        }
        var heap = PageHeap(
            countMax: limit, byteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 256)
        try forEachMatch { (key, row) throws(Failure) in
            buffer.removeAll()
            appendSortBytes(key, row, to: buffer)
            let candidate = PageHeap.Entry(sortBytes: buffer.bytes, key: key, row: row)
            if let position = after, !comesAfter(candidate, position) { return true }
            guard heap.insert(candidate, isBefore: isBefore) else { throw .memory }
            return true
        }
        // What was read of a plan that is given up is not the beginning of the order.
        if isTooDear { return }
        for entry in heap.sorted(isBefore) {
            guard body(entry.key, entry.row) else { return }
        }
    }

    /// Whether `a` comes before `b`: by sort bytes, for cut values by rows, then by object key.
    private func isBefore(_ a: PageHeap.Entry, _ b: PageHeap.Entry) -> Bool {
        var order = a.withSortBytes { left in b.withSortBytes { compareKeys(left, $0) } }
        if order != 0, a.mayBeCut, b.mayBeCut {
            order = compareByRows((a.key, a.row), (b.key, b.row))
        }
        if order != 0 { return order < 0 }
        return query.tiesDescend ? a.key > b.key : a.key < b.key
    }

    private func comesAfter(_ entry: PageHeap.Entry, _ position: QueryPosition) -> Bool {
        let order = entry.withSortBytes { own in
            position.sortBytes.withUnsafeBytes { compareKeys(own, $0) }
        }
        if order == 0 {
            return query.tiesDescend ? entry.key < position.key : entry.key > position.key
        }
        return entry.mayBeCut ? comesAfter(entry.key, entry.row, position) : order > 0
    }
}
