import HoldfastQuery
import HoldfastRows
import HoldfastStorage
import HoldfastText

extension KeyCollector {
    /// The keys of the objects that have the words of a search, rising; nil when they would cost too much.
    ///
    /// The lists of all words are gone through side by side: each leaps to where another stands, so that
    /// the cost follows from the rarest word. What begins words is read whole beforehand.
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
