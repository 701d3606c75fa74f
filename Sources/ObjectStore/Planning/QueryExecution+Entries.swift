import Query
import Rows
import Storage

extension QueryExecution {
    /// Walks the entries of the plan's index or of the primary keys, until `body` returns false.
    ///
    /// - `rest`: Entries of one value that come before the ranges, of which they have none.
    /// - `reversed`: Whether values fall. The object keys of one value rise all the same.
    func forEachEntry(
        _ ranges: [KeyRange], behind rest: KeyRange? = nil, reversed: Bool,
        _ body: (_ entry: UnsafeRawBufferPointer, _ key: UInt64) throws(Failure) -> Bool
    ) throws(Failure) {
        if let rest, try !scanEntries(rest, body) { return }
        for range in reversed ? ranges.reversed() : ranges {
            let goesOn =
                if !reversed {
                    try scanEntries(range, body)
                } else if isPrimaryAccess {
                    try scanEntries(range, reversed: true, body)
                } else {
                    try descend(range, body)
                }
            guard goesOn else { return }
        }
    }

    /// Walks entries of an index whose values fall, while the object keys of each rise.
    ///
    /// Read backwards, an index has the object keys of a value in falling order. Those of a short run are turned
    /// round; a long one is read once more, forwards.
    ///
    /// - Returns: Whether `body` always returned true.
    private func descend(
        _ range: KeyRange,
        _ body: (_ entry: UnsafeRawBufferPointer, _ key: UInt64) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        var left = range
        let run = EntryRun()
        while true {
            var goesOn = true
            let isAll = try scanEntries(left, reversed: true) { (entry, key) throws(Failure) in
                if !run.holds(entry) {
                    goesOn = try run.forEach(body)
                    guard goesOn else { return false }
                    run.begin(entry)
                }
                return run.add(key)
            }
            guard goesOn else { return false }
            if isAll { return try run.forEach(body) }
            let value = run.value
            run.removeAll()
            if let whole = left.intersection(KeyRange(prefix: value)),
                try !scanEntries(whole, body)
            {
                return false
            }
            guard let below = left.intersection(KeyRange(lower: [], upper: value)) else {
                return true
            }
            left = below
        }
    }

    /// Walks the entries of one range as they stand, or backwards.
    ///
    /// - Returns: Whether `body` always returned true.
    private func scanEntries(
        _ range: KeyRange, reversed: Bool = false,
        _ body: (_ entry: UnsafeRawBufferPointer, _ key: UInt64) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        let isPrimary = isPrimaryAccess
        var failure: Failure?
        var goesOn = true
        do throws(StorageError) {
            try transaction.snapshot.scan(range, reversed: reversed, expecting: 64) {
                entry, value in
                entriesRead += 1
                guard isInTime() else {
                    failure = .time
                    return false
                }
                let key: UInt64
                if isPrimary {
                    guard value.count == 8 else { return true }
                    key = UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
                } else {
                    key = StoreKey.trailingObjectKey(entry)
                }
                do throws(Failure) { goesOn = try body(entry, key) } catch {
                    failure = error
                    goesOn = false
                }
                return goesOn
            }
        } catch {
            throw .store(.storage(error))
        }
        if let failure { throw failure }
        return goesOn
    }
}
