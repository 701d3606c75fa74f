import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastStorage

extension QueryExecution {
    /// Hands over an entry: all of it but the object key, and that.
    typealias EntryBody = (_ value: UnsafeRawBufferPointer, _ key: UInt64) throws(StoreError) ->
        Bool

    /// The most entries of one value that are kept to be turned round. More are read once more, which takes less than
    /// keeping them all.
    private static let runCountMax = 64

    /// Whether the plan reads the primary keys, without object keys behind them.
    private var isPrimaryAccess: Bool {
        if case .index(let member, _)? = plan.source {
            member == rowClass.primaryKeyIndex
        } else {
            false
        }
    }

    /// Walks the entries of the plan's index, or of the primary keys, in the wanted order and behind the query's
    /// position, until `body` returns false.
    ///
    /// Objects up to the position are among them where entries don't tell them apart.
    ///
    /// - `reversed`: Whether values fall. The object keys of one value rise all the same.
    func forEachEntry(reversed: Bool, _ body: EntryBody) throws(StoreError) {
        guard case .index(let member, let values)? = plan.source else { return }
        let isPrimary = isPrimaryAccess
        var ranges = values.map { rowClass.entries(of: member, in: $0) }
        if let after, query.sort.isEmpty {
            // One value, ordered by object key: continues after the key. Primary keys have no entries after it.
            if !isPrimary { ranges = ranges.map { $0.resumed(after: after.key) } }
        } else if let after {
            let rest = resume(&ranges, rowClass.entryPrefix(of: member, []), after, reversed)
            if let rest, try !scanEntries(rest, body) { return }
        }
        for range in reversed ? ranges.reversed() : ranges {
            let goesOn =
                reversed && !isPrimary
                ? try descend(range, body) : try scanEntries(range, reversed: reversed, body)
            guard goesOn else { return }
        }
    }

    /// Moves the ranges behind a position, as far as entries tell.
    ///
    /// - Returns: Backwards, the rest of the position's own value, which comes before the ranges.
    private func resume(
        _ ranges: inout [KeyRange], _ prefix: [UInt8], _ after: QueryPosition, _ reversed: Bool
    ) -> KeyRange? {
        var value = reversed ? after.sortBytes.map { ~$0 } : after.sortBytes
        let isCut = value.withUnsafeBytes { OrderedKey.isCut($0) }
        if isCut { value.removeLast(18) }
        let hasObjectKeys = !isPrimaryAccess && !isCut
        let bound = prefix + value
        let behind = hasObjectKeys ? KeyRange.bound(bound, behind: after.key) : bound
        guard reversed else {
            ranges = ranges.compactMap { $0.intersection(KeyRange(lower: behind, upper: nil)) }
            return nil
        }
        let end = KeyRange.successor(ofPrefix: bound)
        // The rest of the value itself, with rising object keys, comes before all lower values.
        let rest =
            hasObjectKeys
            ? ranges.lazy.compactMap { $0.intersection(KeyRange(lower: behind, upper: end)) }.first
            : nil
        let below = KeyRange(lower: [], upper: hasObjectKeys ? bound : end)
        ranges = ranges.compactMap { $0.intersection(below) }
        return rest
    }

    /// Walks entries of an index with falling values, while the object keys of each value rise.
    ///
    /// Read backwards, an index has the object keys of a value in falling order. A short run is reversed; a long one is read once
    /// more, forwards.
    ///
    /// - Returns: Whether `body` always returned true.
    private func descend(_ range: KeyRange, _ body: EntryBody) throws(StoreError) -> Bool {
        var left = range
        let value = ByteBuffer(capacity: 64)
        // Of the entries that have the value, falling.
        var keys: [UInt64] = []
        func handOver() throws(StoreError) -> Bool {
            for key in keys.reversed() {
                guard try body(value.bytes, key) else { return false }
            }
            keys.removeAll(keepingCapacity: true)
            return true
        }
        while true {
            var goesOn = true
            let isAll = try scanEntries(left, reversed: true) { (own, key) throws(StoreError) in
                if keys.isEmpty || compareKeys(own, value.bytes) != 0 {
                    goesOn = try handOver()
                    guard goesOn else { return false }
                    value.removeAll()
                    value.append(own)
                }
                keys.append(key)
                return keys.count <= Self.runCountMax
            }
            guard goesOn else { return false }
            if isAll { return try handOver() }
            keys.removeAll(keepingCapacity: true)
            if let whole = left.intersection(KeyRange(prefix: value.array)),
                try !scanEntries(whole, body)
            {
                return false
            }
            guard let below = left.intersection(KeyRange(lower: [], upper: value.array)) else {
                return true
            }
            left = below
        }
    }

    /// Walks the entries of one range as they stand, or backwards.
    ///
    /// - Returns: Whether `body` always returned true.
    func scanEntries(
        _ range: KeyRange, reversed: Bool = false, _ body: EntryBody
    ) throws(StoreError) -> Bool {
        let isPrimary = isPrimaryAccess
        var goesOn = true
        try transaction.scanEntries(range, reversed: reversed, expecting: 64) {
            (entry, value) throws(StoreError) in
            entriesRead += 1
            try transaction.budget.require()
            if !isPrimary {
                goesOn = try body(
                    UnsafeRawBufferPointer(rebasing: entry.dropLast(MemoryLayout<UInt64>.size)),
                    StoreKey.trailingObjectKey(entry))
            } else if let key = StoreKey.mappedObjectKey(value) {
                goesOn = try body(entry, key)
            }
            return goesOn
        }
        return goesOn
    }
}
