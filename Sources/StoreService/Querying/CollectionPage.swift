import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A page of a list, a set, a map or an inverse link of one object, filtered and sorted like a query.
///
/// The position of an element in the collection takes the part of the object key: it completes every order, and cursors hold it.
struct CollectionPage {
    let view: PageView
    let text: QueryText
    let owner: RowClass
    let key: UInt64
    let row: RowView
    let member: Int
    /// The projection that shows the objects instead of their class.
    let projection: CompiledProjection?

    var read: ReadTransaction { view.read }
    var compiled: RowClass.Member { owner.members[member] }
    var holdsObjects: Bool { compiled.classIndex >= 0 }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a faulty query or cursor, or when storage fails.
    func write(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        try text.requireLengths(view.served.limits)
        let limit = try text.pageLimit(view.served.limits)
        let root = root
        let compiledQuery = try compile(root)
        let keys = try sortKeys(root, compiledQuery)
        let selection = try selection()
        let hash = PageCursor.QueryHash(
            [owner.definition.name, "\(key)", "\(compiled.number)", text.sort], text, keys,
            now: compiledQuery?.now)
        let cursor = try view.cursor(text, hash)
        if let compiledQuery, Self.needsStages(compiledQuery) {
            let page = try staged(compiledQuery, hash, behind: cursor, limit: limit)
            return try write(page, selection, to: buffer)
        }
        // Without keys the elements stand in the collection's own order.
        let order = SortEvaluator(keys, schema: read.rows)
        var (found, total) = try collect(
            compiledQuery?.predicate.makeMatcher(read.rows, source: read), order, behind: cursor,
            limit: limit)
        if !order.isEmpty { found.sort { isBefore($0, $1, order) } }
        var page = Page(elements: found.prefix(limit), total: total)
        if found.count > page.elements.count, let last = page.elements.last {
            page.next = PageCursor(
                query: hash, epoch: read.epoch, origin: last.origin,
                position: position(last, order))
        }
        return try write(page, selection, to: buffer)
    }

    /// The elements of a page.
    struct Page {
        var elements: ArraySlice<Candidate>
        var next: PageCursor?
        /// How many elements the whole result has, if they were counted.
        var total: Int
    }

    // MARK: The query

    /// The root of a filter and a sort: objects of the element's class, or plain values.
    private var root: QueryRoot {
        if holdsObjects { return .objects(classIndex: compiled.classIndex) }
        guard case .scalar(let scalar)? = owner.definition.properties[member].type.element else {
            return .objects(classIndex: compiled.classIndex)
        }
        return .values(scalar)
    }

    private func compile(_ root: QueryRoot) throws(RequestFault) -> CompiledQuery? {
        if !holdsObjects, text.fields != nil || text.expand != nil {
            throw text.fault(
                text.fields != nil ? "fields" : "expand",
                "The elements are plain values; 'fields' and 'expand' are for objects.")
        }
        return try text.compiledFilter(root, read.rows)
    }

    private func sortKeys(_ root: QueryRoot, _ query: CompiledQuery?) throws(RequestFault)
        -> [SortKey]
    {
        let inFilter = query?.sort ?? []
        if text.sort != nil, !inFilter.isEmpty {
            throw text.fault(
                "sort", "The filter has a SORT of its own; state the order in one place.")
        }
        let keys = try text.keys(text.sort, "sort", root, read.rows) ?? inFilter
        try text.requireFew(keys, "sort")
        return keys
    }

    private func selection() throws(RequestFault) -> FieldSelection? {
        if let projection {
            if text.expand != nil {
                throw text.fault("expand", "A projection excludes 'expand'; leave it out.")
            }
            let selection = try projection.selection(fields: text.fields)
            return compiled.showsEmbedded && text.fields == nil ? selection.withOwner() : selection
        }
        guard holdsObjects, compiled.showsEmbedded || text.fields != nil || text.expand != nil
        else { return nil }
        return try FieldSelection(
            fields: text.fields, expand: text.expand, of: read.rows.classes[compiled.classIndex],
            names: view.names, areOrigins: compiled.showsEmbedded,
            within: RequestScratch.current.budget)
    }

    /// The elements of the page, and one more if there is one, or with a sort all that come behind the
    /// cursor; and how many there are in all, if that was asked for.
    func collect(
        _ matcher: Matcher?, _ order: SortEvaluator, behind cursor: PageCursor?, limit: Int
    ) throws(RequestFault) -> (found: [Candidate], total: Int) {
        let served = view.served
        let limits = view.queryLimits
        read.limitFollowing(
            until: limits.deadlineMilliseconds, memoryByteCountMax: limits.memoryByteCountMax)
        let buffer = ByteBuffer(capacity: 64)
        var found: [Candidate] = []
        var total = 0
        var byteCount = 0
        var failure: RequestFault?
        let countMax = limits.memoryByteCountMax / MemoryLayout<Candidate>.stride
        // Without a sort the elements come in order, and the others need not be looked at.
        forEachElement(after: order.isEmpty && !text.counts ? cursor : nil) { candidate, value in
            guard read.budget.spend() else { return false }
            if let matcher {
                if let row = candidate.row {
                    guard matcher.matches(row: row, key: candidate.key, source: read) else {
                        return true
                    }
                } else if holdsObjects || !matcher.matches(value: value) {
                    // A null in place of an object can't match a filter.
                    return true
                }
            }
            total += 1
            var candidate = candidate
            if !order.isEmpty { candidate.sortBytes = sortBytes(candidate, value, order, buffer) }
            if let cursor, !comesAfter(candidate, cursor, order) { return true }
            guard order.isEmpty else {
                byteCount +=
                    MemoryLayout<Candidate>.stride + 32 + candidate.sortBytes.count
                    + candidate.holders.count * MemoryLayout<EmbeddedHolder>.stride
                if byteCount > limits.memoryByteCountMax {
                    failure = view.outOfMemory
                    return false
                }
                found.append(candidate)
                return true
            }
            if found.count <= limit { found.append(candidate) }
            if found.count > countMax {
                failure = view.outOfMemory
                return false
            }
            return text.counts || found.count <= limit
        }
        if let failure { throw failure }
        try served.check(read)
        return (found, total)
    }

    // MARK: The reply

    /// How the reply begins.
    private var opening: StaticString {
        if compiled.storage.shape == .map { return "{\"entries\":[" }
        return holdsObjects ? "{\"objects\":[" : "{\"elements\":["
    }

    private func write(
        _ page: Page, _ selection: FieldSelection?, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        let json = JSONWriter(buffer)
        var writer = view.objectWriter(buffer)
        buffer.append(opening)
        let isMap = compiled.storage.shape == .map
        let collection =
            compiled.storage.shape == .none ? nil : owner.collection(member, in: row, read)
        for (index, candidate) in page.elements.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            if isMap {
                json.raw("{\"key\":")
                if let key = collection?.key(Int(candidate.position)) { json.string(key) }
                json.raw(",\"value\":")
            }
            if let row = candidate.row, let rowClass = candidate.rowClass {
                writer.write(
                    row, key: candidate.key, heldBy: candidate.holders,
                    selection ?? view.names.everything[rowClass.index])
            } else if holdsObjects {
                json.null()
            } else if let (part, offset) = collection?.element(Int(candidate.position)) {
                writer.writeElement(offset, of: part)
            }
            if isMap { json.raw("}") }
        }
        try view.served.mappingStoreErrors(writer.finish())
        json.raw("]")
        return try view.end(json, next: page.next, count: text.counts ? page.total : nil)
    }
}

/// Pages of elements whose filter has a DISTINCT or a LIMIT: SORT, DISTINCT and LIMIT are applied from left
/// to right to all elements that match. A cursor has the number of earlier ones.
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
            query.predicate.makeMatcher(read.rows, source: read), natural, behind: nil, limit: .max)
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
                    evaluator.appendDistinct(row: row, key: candidate.key, source: read, to: buffer)
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
