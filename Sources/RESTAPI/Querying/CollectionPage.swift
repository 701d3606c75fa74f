import Bytes
import HTTPServer
import JSON
import ObjectModel
import ObjectStore
import Query
import Rows

/// A page of a list, a set or an inverse link of one object, filtered and sorted like a query.
///
/// The position of an element in the collection takes the part of the object key: it completes every
/// order, and cursors hold it.
struct CollectionPage {
    let service: RESTService
    let read: ReadTransaction
    let names: SchemaNames
    let text: QueryText
    let owner: RowClass
    let key: UInt64
    let row: RowView
    let member: Int
    let quotesLargeInts: Bool
    let target: String

    /// One element that satisfies the filter.
    private struct Candidate {
        var position: UInt64
        var sortBytes: [UInt8]
        /// The element's row and key, where the elements are objects.
        var row: RowView?
        var key: UInt64
        /// The class of the object.
        var rowClass: RowClass?
    }

    private var compiled: RowClass.Member { owner.members[member] }
    private var holdsObjects: Bool { compiled.classIndex >= 0 }

    /// Writes the page.
    ///
    /// - Throws: ``Problem`` 400 for a faulty query or cursor, or when storage fails.
    func response() throws(Problem) -> Response {
        let limit = try CheckedQuery.limit(text, service.options)
        let root = root
        let compiledQuery = try compile(root)
        let sort = try sortKeys(root, compiledQuery)
        var canonical = "\(owner.definition.name)\u{0}\(key)\u{0}\(compiled.number)\u{0}"
        canonical += "\(compiledQuery?.canonicalText ?? "")\u{0}\(text.sort ?? "")"
        let hash = PageCursor.QueryHash(canonical)
        let cursor = try PageCursor.read(text, query: hash, epoch: read.epoch)
        let sorter = SortEvaluator(sort, schema: read.rows)
        let matcher = compiledQuery?.predicate.makeMatcher(read.rows, source: read)

        // Without a sort the elements come in order, and the rest need not be looked at.
        let isOrdered = sort.isEmpty
        let wanted = isOrdered && !text.counts ? limit + 1 : Int.max
        let first = isOrdered && !text.counts ? cursor.map { $0.position.key + 1 } ?? 0 : 0
        var found: [Candidate] = []
        let buffer = ByteBuffer(capacity: 64)
        forEachElement(from: first) { candidate, value in
            if let matcher {
                if let row = candidate.row {
                    guard matcher.matches(row: row, key: candidate.key, source: read) else { return true }
                } else if !matcher.matches(value: value) {
                    return true
                }
            }
            var candidate = candidate
            if !isOrdered {
                buffer.removeAll()
                if let row = candidate.row {
                    sorter.append(row: row, key: candidate.key, source: read, to: buffer)
                } else {
                    sorter.append(value: value, to: buffer)
                }
                candidate.sortBytes = buffer.array
            }
            found.append(candidate)
            return found.count < wanted
        }
        let total = found.count
        if !isOrdered { found.sort { Self.isBefore($0, $1) } }
        if let cursor {
            let behind = Candidate(
                position: cursor.position.key, sortBytes: cursor.position.sortBytes, row: nil, key: 0,
                rowClass: nil)
            found.removeAll { !Self.isBefore(behind, $0) }
        }
        return try write(found, limit: limit, total: total, hash: hash)
    }

    private static func isBefore(_ a: Candidate, _ b: Candidate) -> Bool {
        if a.sortBytes == b.sortBytes { return a.position < b.position }
        return a.sortBytes.lexicographicallyPrecedes(b.sortBytes)
    }

    // MARK: The query

    /// What a filter and a sort are about: objects of the element's class, or plain values.
    private var root: QueryRoot {
        if holdsObjects { return .objects(classIndex: compiled.classIndex) }
        guard case .scalar(let scalar)? = owner.definition.properties[member].type.element else {
            return .objects(classIndex: compiled.classIndex)
        }
        return .values(scalar)
    }

    private func compile(_ root: QueryRoot) throws(Problem) -> CompiledQuery? {
        if !holdsObjects, text.fields != nil || text.expand != nil {
            throw text.fault(
                text.fields != nil ? "fields" : "expand",
                "The elements are plain values; 'fields' and 'expand' are for objects.")
        }
        guard let filter = text.filter else {
            if !text.arguments.isEmpty {
                throw text.fault("arg", "Arguments are given, but no filter that uses them.")
            }
            return nil
        }
        do throws(QueryError) {
            let query = try CompiledQuery.compile(
                text: filter, arguments: text.arguments, root: root, schema: read.rows)
            if !query.distinct.isEmpty || query.limit != nil {
                throw QueryError(
                    .unsupported, "DISTINCT and LIMIT are not supported on a property's elements.",
                    column: 1)
            }
            return query
        } catch {
            throw text.problem(error, "filter")
        }
    }

    private func sortKeys(_ root: QueryRoot, _ query: CompiledQuery?) throws(Problem) -> [SortKey] {
        guard let list = text.sort else { return query?.sort ?? [] }
        do throws(QueryError) {
            return try SortKey.parse(list: list, root: root, schema: read.rows)
        } catch {
            throw text.problem(error, "sort")
        }
    }

    // MARK: The elements

    /// Hands over the elements from a position on until `body` returns false.
    private func forEachElement(
        from first: UInt64, _ body: (Candidate, UnsafeRawBufferPointer?) -> Bool
    ) {
        if compiled.storage.shape == .none { return forEachOrigin(from: first, body) }
        let collection = owner.collection(member, in: row)
        guard first < UInt64(collection.count) else { return }
        for index in Int(first)..<collection.count {
            var candidate = Candidate(
                position: UInt64(index), sortBytes: [], row: nil, key: 0, rowClass: nil)
            if !holdsObjects {
                let value = collection.isNull(index) ? nil : collection.bytes(index)
                guard body(candidate, value) else { return }
                continue
            }
            let elementClass = read.rows.classes[compiled.classIndex]
            if compiled.storage.element == .embedded {
                candidate.row = RowView(collection.bytes(index))
            } else {
                candidate.key = collection.pointer(index).storedLink
                candidate.row = read.row(classIndex: compiled.classIndex, key: candidate.key)
            }
            candidate.rowClass = elementClass
            guard candidate.row != nil else { continue }
            guard body(candidate, nil) else { return }
        }
    }

    /// The objects that link here, each once; the position is the object key.
    private func forEachOrigin(
        from first: UInt64, _ body: (Candidate, UnsafeRawBufferPointer?) -> Bool
    ) {
        guard compiled.originProperty >= 0 else { return }
        let origin = read.rows.classes[compiled.classIndex]
        let property = origin.members[compiled.originProperty].number
        let isOwned = origin.definition.kind == .embedded
        let after =
            first > 0 && !isOwned
            ? ObjectIdentity(classIndex: compiled.classIndex, key: first - 1) : nil
        read.scanOrigins(owner.index, key, property: property, after: after) { identity, _ in
            let candidate = Candidate(
                position: identity.key, sortBytes: [],
                row: read.row(classIndex: identity.classIndex, key: identity.key), key: identity.key,
                rowClass: read.rows.classes[identity.classIndex])
            return candidate.row == nil ? true : body(candidate, nil)
        }
    }

    // MARK: The reply

    private func write(_ found: [Candidate], limit: Int, total: Int, hash: PageCursor.QueryHash)
        throws(Problem) -> Response
    {
        let page = found.prefix(limit)
        let buffer = ByteBuffer(capacity: 1024)
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        writer.byteCountMax = service.options.queryMemoryByteCountMax
        buffer.append(holdsObjects ? "{\"objects\":[" : "{\"elements\":[")
        let collection = compiled.storage.shape == .none ? nil : owner.collection(member, in: row)
        let selection = try self.selection()
        for (index, candidate) in page.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            if let row = candidate.row, let rowClass = candidate.rowClass {
                let own = rowClass.index == compiled.classIndex
                writer.write(
                    row, key: candidate.key,
                    own ? selection ?? names.classes[rowClass.index].everything
                        : names.classes[rowClass.index].everything)
            } else if let collection {
                writer.writeElement(Int(candidate.position), of: collection)
            }
        }
        if writer.isTruncated { throw .replyTooLarge(service.options.queryMemoryByteCountMax) }
        buffer.append("]")
        let json = JSONWriter(buffer)
        var next: String?
        if found.count > page.count, let last = page.last {
            let cursor = PageCursor(
                query: hash, epoch: read.epoch, returnedCount: 0,
                position: QueryPosition(sortBytes: last.sortBytes, key: last.position))
            next = cursor.text
            json.raw(",\"next\":")
            json.string(cursor.text)
        }
        if text.counts {
            json.raw(",\"count\":")
            json.int(Int64(total))
        }
        buffer.append("}")
        try service.stored { () throws(StoreError) in try read.checkFailure() }
        let (base, count) = buffer.takeStorage()
        var response = Response(200, .json, HTTPServer.Bytes(adopting: base, count: count))
        if let next { response.headers.add(.link, "<\(target)cursor=\(next)>; rel=\"next\"") }
        return response
    }

    private func selection() throws(Problem) -> FieldSelection? {
        guard holdsObjects, text.fields != nil || text.expand != nil else { return nil }
        return try FieldSelection(
            fields: text.fields, expand: text.expand, of: read.rows.classes[compiled.classIndex],
            names: names)
    }
}
