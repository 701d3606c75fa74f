import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery

/// Pages of elements whose filter has a DISTINCT or a LIMIT: SORT, DISTINCT and LIMIT are applied from left
/// to right to all elements that match. A cursor holds how many came before.
extension CollectionPage {
    /// Whether a filter's suffixes need all elements at once.
    static func needsStages(_ query: CompiledQuery?) -> Bool {
        guard let query else { return false }
        return !query.isPlain || !query.distinct.isEmpty || query.limit != nil
    }

    func staged(
        _ query: CompiledQuery, _ hash: PageCursor.QueryHash, behind cursor: PageCursor?, limit: Int
    ) throws(RequestFault) -> Page {
        if text.sort != nil {
            throw text.fault(
                "sort",
                "The filter has a DISTINCT or LIMIT of its own; state the order in the filter.")
        }
        let natural = SortEvaluator([], schema: read.rows)
        var (found, _) = try collect(
            query.predicate.makeMatcher(read.rows, source: read), natural, behind: nil,
            limit: .max)
        for suffix in query.suffixes {
            switch suffix {
            case .limit(let count): found.removeLast(max(0, found.count - count))
            case .sort(let keys): sort(&found, SortEvaluator(keys, schema: read.rows))
            case .distinct(let keys): keepDistinct(&found, keys)
            }
        }
        try view.served.check(read)
        let first = min(found.count, Int(clamping: cursor?.position.key ?? 0))
        let end = min(found.count, first + limit)
        var page = Page(elements: found[first..<end], total: found.count)
        if end < found.count {
            page.next = PageCursor(
                query: hash, epoch: read.epoch, returnedCount: 0,
                position: QueryPosition(sortBytes: [], key: UInt64(end)))
        }
        return page
    }

    /// Sorts stably.
    private func sort(_ found: inout [Candidate], _ order: SortEvaluator) {
        let buffer = ByteBuffer(capacity: 64)
        for index in found.indices where read.budget.spend() {
            found[index].sortBytes = sortBytes(found[index], value(found[index]), order, buffer)
        }
        let sorted = found.indices.sorted { a, b in
            guard read.budget.spend() else { return false }
            let result = compare(found[a], found[b], order)
            return result == 0 ? a < b : result < 0
        }
        found = sorted.map { found[$0] }
    }

    /// Keeps the first element of each combination of values.
    private func keepDistinct(_ found: inout [Candidate], _ keys: [SortKey]) {
        let evaluator = SortEvaluator(keys.map { SortKey(path: $0.path) }, schema: read.rows)
        let buffer = ByteBuffer(capacity: 64)
        var seen: Set<[UInt8]> = []
        var byteCount = 0
        found = found.filter { candidate in
            guard read.budget.spend() else { return false }
            buffer.removeAll()
            if let row = candidate.row {
                guard
                    evaluator.appendDistinct(
                        row: row, key: candidate.key, source: read, to: buffer)
                else { return false }
            } else {
                evaluator.append(value: value(candidate), to: buffer)
            }
            guard seen.insert(buffer.array).inserted else { return false }
            byteCount += buffer.count + 64
            return read.budget.holds(byteCount)
        }
    }
}
