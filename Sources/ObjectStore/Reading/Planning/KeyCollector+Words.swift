import HoldfastBytes
import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import HoldfastText

extension KeyCollector {
    /// The keys of the objects that have the words of a search, rising; nil when they would cost too much.
    ///
    /// The lists of all words are read side by side: each leaps to the position of another list, so that the cost follows from
    /// the rarest word. Prefixes are read whole beforehand.
    ///
    /// - `first`: Behind which key they begin.
    /// - `limit`: How many are wanted at most.
    mutating func words(
        _ index: SearchIndex, _ search: TextSearch, after first: UInt64 = 0, limit: Int = .max
    ) throws(StoreError) -> [UInt64]? {
        var required: [WordCursor] = []
        for term in search.required {
            guard let cursor = try cursor(index, term) else { return nil }
            required.append(cursor)
        }
        var excluded: [[WordCursor]] = []
        for terms in search.excluded {
            var group: [WordCursor] = []
            for term in terms {
                guard let cursor = try cursor(index, term) else { return nil }
                group.append(cursor)
            }
            excluded.append(group)
        }
        var keys: [UInt64] = []
        var next = first
        while keys.count < limit, next < .max, let key = try common(&required, from: next + 1) {
            next = key
            try transaction.budget.require()
            if try excludes(&excluded, key) { continue }
            keys.append(key)
            if keys.count >= keyCountMax { throw .stopped(.memory) }
        }
        return costLeft >= 0 ? keys : nil
    }

    private mutating func cursor(
        _ index: SearchIndex, _ term: TextSearch.Term
    ) throws(StoreError) -> WordCursor? {
        guard term.isPrefix else { return WordCursor(index, word: term.word) }
        let range = WordCursor.range(index, prefix: term.word)
        guard let keys = try entries([range], isPrimary: false), pays(QueryCost.risingRow) else {
            return nil
        }
        return WordCursor(keys: try risingOnce(keys))
    }

    /// The next key of a list; nil at its end and when nothing is left to pay with.
    private mutating func seek(
        _ cursor: inout WordCursor, _ target: UInt64
    ) throws(StoreError) -> UInt64? {
        var count = 0
        let key = try cursor.seek(target, transaction, &count)
        return count == 0 || paysLookUp(entries: count) ? key : nil
    }

    /// The least key from `first` on that all lists have.
    private mutating func common(
        _ cursors: inout [WordCursor], from first: UInt64
    ) throws(StoreError) -> UInt64? {
        var candidate = first
        var agreeing = 0
        var place = 0
        while agreeing < cursors.count {
            try transaction.budget.require()
            guard let key = try seek(&cursors[place], candidate) else { return nil }
            agreeing = key == candidate ? agreeing + 1 : 1
            candidate = key
            place = place + 1 == cursors.count ? 0 : place + 1
        }
        return candidate
    }

    /// Whether an object has all the words of a list that must not all occur.
    private mutating func excludes(
        _ groups: inout [[WordCursor]], _ key: UInt64
    ) throws(StoreError) -> Bool {
        for group in groups.indices {
            var hasAll = true
            for place in groups[group].indices where hasAll {
                hasAll = try seek(&groups[group][place], key) == key
            }
            if hasAll { return true }
        }
        return false
    }
}

/// The keys of the objects that have a word, in order, read from a full-text index as they are asked for.
struct WordCursor {
    /// The prefix of the word's entries; empty when the keys are all in ``keys``.
    private let prefix: [UInt8]
    /// Some of the keys, from the last position that was looked up.
    private var keys: [UInt64] = []
    private var position = 0
    /// The number of keys read at a time.
    private var stepCount = 16
    /// Whether there are no keys after the read ones.
    private var isComplete = false

    /// Makes a cursor for one word.
    init(_ index: SearchIndex, word: [UInt8]) {
        let buffer = ByteBuffer(capacity: 160)
        word.withUnsafeBytes {
            let cut = UnsafeRawBufferPointer(rebasing: $0[..<WordSet.cutByteCount($0)])
            IndexEntry.append(index, word: cut, to: buffer)
        }
        prefix = buffer.array
    }

    /// Makes a cursor for keys that were read already; in order, each once.
    init(keys: [UInt64]) {
        prefix = []
        self.keys = keys
        isComplete = true
    }

    /// Returns the range of the entries of all words that begin with `prefix`.
    static func range(_ index: SearchIndex, prefix: [UInt8]) -> KeyRange {
        let buffer = ByteBuffer(capacity: 160)
        StoreKey.appendIndexPrefix(index.number, to: buffer)
        prefix.withUnsafeBytes {
            buffer.append(UnsafeRawBufferPointer(rebasing: $0[..<WordSet.cutByteCount($0)]))
        }
        return KeyRange(prefix: buffer.array)
    }

    /// The range of the word's entries.
    var range: KeyRange { KeyRange(prefix: prefix) }

    /// Finds the least key that is not less than `target`; nil if there is no such key. Targets never fall.
    ///
    /// Cost: one look-up in the engine's tree where the key is far behind the last one, and the reading
    /// of entries, of more at a time as long as one follows the other.
    mutating func seek(
        _ target: UInt64, _ transaction: ReadTransaction, _ entriesRead: inout Int
    ) throws(StoreError) -> UInt64? {
        if let last = keys.last, last >= target {
            while keys[position] < target {
                // Doubling steps: the key is near where keys follow each other, and may be far in a list.
                var step = 1
                while position + step < keys.count, keys[position + step] < target {
                    position += step
                    step *= 2
                }
                position += 1
            }
            return keys[position]
        }
        if isComplete { return nil }
        let followsOn = keys.last.map { $0 < .max && target == $0 + 1 } ?? false
        stepCount = followsOn ? min(stepCount * 2, 1024) : 16
        keys.removeAll(keepingCapacity: true)
        position = 0
        var range = range
        withUnsafeBytes(of: target.bigEndian) { range.lower.append(contentsOf: $0) }
        try transaction.scanEntries(range, expecting: stepCount) { entry, _ in
            keys.append(StoreKey.trailingObjectKey(entry))
            return keys.count < stepCount
        }
        entriesRead += keys.count
        isComplete = keys.count < stepCount
        return keys.first
    }
}
