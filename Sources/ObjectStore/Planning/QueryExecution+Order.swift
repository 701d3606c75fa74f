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
        QueryPosition(sortBytes: sortBytes(key, row), key: key)
    }

    // MARK: In the order of the entries

    /// Walks entries that stand in the wanted order.
    ///
    /// Long strings are cut in entries: where several objects share a cut value, their entries are
    /// collected and ordered by their rows.
    func walk(reversed: Bool, _ body: (UInt64, RowView) -> Bool) throws(Failure) {
        let prefix = EntryRange.prefix(plan.access, rowClass)
        var ranges = EntryRange.ranges(plan.access, rowClass)
        var skipping: QueryPosition?
        if let after = query.after {
            if query.sort.isEmpty {
                // One value, ordered by object key: go on behind the key.
                ranges = ranges.map { resume($0, after: after.key) }
            } else {
                skipping = resume(&ranges, prefix, after, reversed: reversed)
            }
        }
        var run: [(key: UInt64, row: RowView)] = []
        var runPrefix: [UInt8] = []
        func emitRun() throws(Failure) -> Bool {
            defer { run.removeAll(keepingCapacity: true) }
            sortByRows(&run)
            for (key, row) in run {
                if let position = skipping, !comesAfter(key, row, position) { continue }
                if !body(key, row) { return false }
            }
            return true
        }
        var goesOn = true
        try forEachEntry(ranges, reversed: reversed) { (entry, key) throws(Failure) in
            let isCut = isCut(entry)
            if !run.isEmpty, !isCut || !hasPrefix(entry, runPrefix) {
                goesOn = try emitRun()
                if !goesOn { return false }
            }
            guard let row = try fetch(key), test(key, row) else { return true }
            if isCut {
                if run.isEmpty { runPrefix = Array(entry[..<cutOffset(entry)]) }
                run.append((key, row))
                return true
            }
            if let position = skipping, !comesAfter(key, row, position) { return true }
            goesOn = body(key, row)
            return goesOn
        }
        if goesOn, !run.isEmpty { _ = try emitRun() }
    }

    private func resume(_ range: KeyRange, after key: UInt64) -> KeyRange {
        // Entries of one value are that value followed by the object key.
        var lower = range.lower
        withUnsafeBytes(of: key.bigEndian) { lower.append(contentsOf: $0) }
        lower.append(0)
        return KeyRange(lower: lower, upper: range.upper)
    }

    /// Moves the ranges to where the position's value begins; objects up to the position are skipped.
    private func resume(
        _ ranges: inout [KeyRange], _ prefix: [UInt8], _ after: QueryPosition, reversed: Bool
    ) -> QueryPosition {
        var value = reversed ? after.sortBytes.map { ~$0 } : after.sortBytes
        let isCut = value.withUnsafeBytes { OrderedKey.isCut($0) }
        if isCut { value.removeLast(18) }
        let isPrimary = if case .primaryKey = plan.access { true } else { false }
        var bound = prefix + value
        if reversed {
            // Backwards: everything above the value goes, and within the value the keys from `key` on.
            if isPrimary || isCut {
                bound = KeyRange.successor(ofPrefix: bound) ?? bound + [0xFF]
            } else {
                withUnsafeBytes(of: after.key.bigEndian) { bound.append(contentsOf: $0) }
            }
            ranges = ranges.compactMap { range in
                let upper = range.upper.map { $0.lexicographicallyPrecedes(bound) ? $0 : bound } ?? bound
                let cut = KeyRange(lower: range.lower, upper: upper)
                return cut.isEmpty ? nil : cut
            }
        } else {
            if !isPrimary && !isCut {
                withUnsafeBytes(of: after.key.bigEndian) { bound.append(contentsOf: $0) }
                bound.append(0)
            }
            ranges = ranges.compactMap { range in
                let lower = range.lower.lexicographicallyPrecedes(bound) ? bound : range.lower
                let cut = KeyRange(lower: lower, upper: range.upper)
                return cut.isEmpty ? nil : cut
            }
        }
        return after
    }

    /// Where a cut value ends in an entry, before its mark and hash.
    private func cutOffset(_ entry: UnsafeRawBufferPointer) -> Int {
        entry.count - 18 - (isPrimaryAccess ? 0 : 8)
    }

    private var isPrimaryAccess: Bool {
        if case .primaryKey = plan.access { true } else { false }
    }

    private func isCut(_ entry: UnsafeRawBufferPointer) -> Bool {
        guard entry.count > OrderedKey.textByteCountMax else { return false }
        let value = UnsafeRawBufferPointer(rebasing: entry[5..<(entry.count - (isPrimaryAccess ? 0 : 8))])
        return OrderedKey.isCut(value)
    }

    private func hasPrefix(_ entry: UnsafeRawBufferPointer, _ prefix: [UInt8]) -> Bool {
        entry.count >= prefix.count && entry.prefix(prefix.count).elementsEqual(prefix)
    }

    // MARK: By object key

    /// Collects the object keys of all entries, sorts them and reads rows in that order.
    func collectKeys(_ body: (UInt64, RowView) -> Bool) throws(Failure) {
        let first = query.after?.key ?? 0
        var keys: [UInt64] = []
        let countMax = limits.memoryByteCountMax / 8
        try forEachEntry(EntryRange.ranges(plan.access, rowClass), reversed: false) {
            (_, key) throws(Failure) in
            if key > first {
                guard keys.count < countMax else { throw .memory }
                keys.append(key)
            }
            return true
        }
        keys.sort()
        for key in keys {
            guard let row = try fetch(key), test(key, row) else { continue }
            guard body(key, row) else { return }
        }
    }

    // MARK: Sorting

    /// Reads every match and keeps the first `limit` behind the query's position.
    func sort(limit: Int, _ body: (UInt64, RowView) -> Bool) throws(Failure) {
        var heap = PageHeap(
            countMax: limit, byteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 256)
        try forEachMatch { (key, row) throws(Failure) in
            buffer.removeAll()
            appendSortBytes(key, row, to: buffer)
            let candidate = PageHeap.Entry(sortBytes: buffer.bytes, key: key, row: row)
            if let position = query.after, !comesAfter(candidate, position) { return true }
            guard heap.insert(candidate, isBefore: isBefore) else { throw .memory }
            return true
        }
        for entry in heap.sorted(isBefore) {
            guard body(entry.key, entry.row) else { return }
        }
    }

    /// Whether `a` comes before `b`: by sort bytes, for cut values by rows, then by object key.
    private func isBefore(_ a: PageHeap.Entry, _ b: PageHeap.Entry) -> Bool {
        let order = a.withSortBytes { left in b.withSortBytes { compareKeys(left, $0) } }
        if order != 0, !a.mayBeCut || !b.mayBeCut { return order < 0 }
        if a.mayBeCut, b.mayBeCut {
            let exact = compareByRows((a.key, a.row), (b.key, b.row))
            if exact != 0 { return exact < 0 }
        } else if order != 0 {
            return order < 0
        }
        return query.tiesDescend ? a.key > b.key : a.key < b.key
    }

    private func comesAfter(_ entry: PageHeap.Entry, _ position: QueryPosition) -> Bool {
        let order = entry.withSortBytes { own in
            position.sortBytes.withUnsafeBytes { compareKeys(own, $0) }
        }
        if order == 0 { return query.tiesDescend ? entry.key < position.key : entry.key > position.key }
        return entry.mayBeCut ? comesAfter(entry.key, entry.row, position) : order > 0
    }

    /// Whether an object comes behind a position, whose object may have changed since.
    func comesAfter(_ key: UInt64, _ row: RowView, _ position: QueryPosition) -> Bool {
        if key == position.key { return false }
        let own = sortBytes(key, row)
        if own == position.sortBytes {
            return query.tiesDescend ? key < position.key : key > position.key
        }
        // Values that were cut alike are told apart by rows, as long as the position's object still has
        // the value it had.
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

    private func sortByRows(_ run: inout [(key: UInt64, row: RowView)]) {
        run.sort { a, b in
            let order = compareByRows(a, b)
            if order != 0 { return order < 0 }
            return query.tiesDescend ? a.key > b.key : a.key < b.key
        }
    }
}
