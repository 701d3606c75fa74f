import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A change of all objects that a filter finds, as one transaction.
///
/// The objects are the ones that match in the transaction's view, so that no match is missed and no object is
/// changed that does not match any more: see ``BulkSearch``.
package struct BulkChange: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// The change of one object.
    private enum Action {
        case merge(ObjectDraft)
        case patch(JSONPatch)
        case projected(ProjectedPatch)
        case delete
    }

    /// More objects than so many are not changed.
    package var affectedCountMax: Int?
    package let caller: Caller
    private let served: ServedStore
    private let container: ObjectContainer
    private let text: QueryText
    /// The patch of each object; nil where they are deleted.
    private let patch: PatchBody?
    /// The schema that the request was last read under, and its query.
    private var plan: (schema: RowSchema, query: CheckedQuery, action: Action)?
    private var search: BulkSearch?
    private var count = 0

    /// Makes a change of the objects that match, by a patch as the container shows them; without one they are deleted.
    package init(
        of container: ObjectContainer, _ text: QueryText, _ patch: PatchBody?,
        for caller: Caller, in served: ServedStore
    ) {
        self.container = container
        self.text = text
        self.patch = patch
        self.served = served
        self.caller = caller
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        let query = try CheckedQuery(text, of: container, names: names, limits: served.limits)
        plan = (names.schema, query, try action(names, scratch))
    }

    private func action(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> Action {
        guard let body = patch else { return .delete }
        let (rowClass, projection) = try names.find(container)
        let json = try served.json(body.bytes.bytes, scratch.parser)
        let reader = scratch.reader
        let countMax = served.store.options.operationCountMax
        if let projection {
            return .projected(
                try ProjectedPatch(
                    json, isJSONPatch: body.isJSONPatch,
                    of: ProjectedPatch.Subject(
                        projection: projection, rowClass: rowClass, member: nil), id: nil,
                    ObjectReadingContext(names, reader, operationCountMax: countMax)))
        } else if body.isJSONPatch {
            return .patch(
                try JSONPatch(json, of: rowClass, names, reader, operationCountMax: countMax))
        } else {
            guard let draft = reader.readChange(json, of: rowClass, names: names) else {
                throw reader.fault()
            }
            return .merge(draft)
        }
    }

    /// Finds the objects in the last commit, so that the writer only has to check later changes. A
    /// scheduler's thread, before the write is handed in.
    ///
    /// - Throws: ``RequestFault`` when there are too many, or the search takes too much: the reply, as of then.
    package mutating func search(_ read: ReadTransaction) throws(RequestFault) {
        // A query checked under another schema is searched by the writer, under its own schema.
        guard let plan, read.rows === plan.schema else { return }
        let keys = try served.mappingStoreErrors(
            matches(plan.query, served.queryLimits(of: read), read))
        search = try served.mappingStoreErrors(BulkSearch(plan.query, keys: keys, in: read))
    }

    /// Returns the fault of a search, with the next step where that took too long.
    package func advised(_ fault: RequestFault) -> RequestFault {
        guard let plan else { return fault }
        return fault.advising(served.limits, plan.query.missingIndex(plan.schema))
    }

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard case (_, let query, var action)? = plan else { return }
        defer { plan?.action = action }
        // One time for all of it: no other write is made meanwhile.
        let deadline = served.queryDeadline
        let keys = try transaction.withView { view throws(StoreError) in
            let own: ReadTransaction
            do throws(RequestFault) { own = try caller.view(of: view) } catch {
                throw .refused(error)
            }
            return try self.keys(query, transaction, own, until: deadline)
        }
        for key in keys {
            try served.checkWriteTime(deadline)
            try apply(&action, query.rowClass, key, transaction)
            transaction.releaseShown()
        }
        count = keys.count
    }

    package mutating func end(_ scratch: RequestScratch) {
        plan = nil
        search = nil
    }

    /// The keys of the objects to change, in the transaction's view: found by an earlier search, or by a search of its own.
    private func keys(
        _ query: CheckedQuery, _ transaction: WriteTransaction, _ view: ReadTransaction,
        until deadline: UInt64
    ) throws(StoreError) -> [UInt64] {
        if let keys = try search?.keys(in: transaction, view, until: deadline) {
            try limit(keys.count)
            return keys
        }
        var limits = served.queryLimits(of: view)
        limits.deadlineMilliseconds = deadline
        return try matches(query, limits, view)
    }

    /// The keys of the objects that match.
    private func matches(
        _ query: CheckedQuery, _ limits: QueryLimits, _ view: ReadTransaction
    ) throws(StoreError) -> [UInt64] {
        if let stages = query.stages {
            let keys = try stages.run(in: view, limits: limits).keys
            try limit(keys.count)
            return keys
        }
        let isCut = query.total != nil || !query.distinct.isEmpty
        let objects = ObjectQuery(
            classIndex: query.rowClass.index, predicate: query.predicate,
            sort: isCut ? query.sort : [],
            expectedCount: query.distinct.isEmpty ? query.total : nil)
        let countMax = served.store.options.operationCountMax
        var keys: [UInt64] = []
        var count = 0
        var distinct = DistinctFilter(
            query, view, after: nil, byteCountMax: limits.memoryByteCountMax)
        let total = query.total ?? .max
        let execution = try QueryExecution(objects, in: view, limits: limits)
        try execution.run(limit: distinct == nil ? total : .max) { key, row in
            guard distinct?.takes(key, row) ?? true else { return true }
            if distinct?.isFull ?? false { return false }
            count += 1
            if count <= countMax { keys.append(key) }
            // Objects beyond the limit are counted, so that the client learns the number of matches.
            return count < total && (affectedCountMax != nil || count <= countMax)
        }
        if distinct?.isFull ?? false { throw .refused(RequestFault.queryMemory(served.limits)) }
        try limit(count)
        return keys
    }

    /// Refuses more changes than the client or the server allows.
    private func limit(_ count: Int) throws(StoreError) {
        if let affectedCountMax, count > affectedCountMax {
            throw .refused(RequestFault.tooManyAffected(count, affectedCountMax))
        }
        let countMax = served.store.options.operationCountMax
        if count > countMax { throw .tooManyOperations(limit: countMax) }
    }

    private func apply(
        _ action: inout Action, _ rowClass: RowClass, _ key: UInt64, _ transaction: WriteTransaction
    ) throws(StoreError) {
        // A change of another one may have taken this one along.
        guard try transaction.row(rowClass, key) != nil else { return }
        switch action {
        case .merge(let draft): _ = try transaction.update(draft, key: key)
        case .delete: try transaction.delete(rowClass, key: key)
        case .patch(let patch):
            _ = try patch.apply(
                to: ObjectEditor(transaction, rowClass, key: key, .none), in: served)
        case .projected(var patch):
            // All objects share its parts.
            defer { action = .projected(patch) }
            try patch.apply(to: rowClass, key: key, firstSource: 0, transaction, in: served)
        }
    }

    // MARK: The reply

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(writer.version)
        reply.hasJSON = true
        reply.isDocument = true
        reply.affectedCountMax = affectedCountMax
        writer.scratch.reply.removeAll()
        JSONWriter(writer.scratch.reply).object { object in
            object.member("affected").int(Int64(count))
            object.member("version").string(writer.version.description)
        }
        return reply
    }

    /// The fault of a failed change. Each object has the same ones, which are reported once.
    package func fault(_ error: StoreError) -> RequestFault {
        var fault = served.fault(error)
        guard error.pointsIntoObject else { return fault }
        var seen: Set<String?> = []
        switch plan?.action {
        case .patch(let patch): fault = fault.placed(by: patch)
        case .projected(let patch): fault = patch.fault(error, served)
        case .merge, .delete, nil: break
        }
        fault.errors = fault.errors.filter { seen.insert($0.pointer).inserted }
        return fault
    }
}

extension RequestFault {
    /// More objects match than the client allows to be changed.
    fileprivate static func tooManyAffected(_ count: Int, _ limit: Int) -> RequestFault {
        .single(
            .conflict, "max-affected-exceeded",
            "\(count) objects match and 'Prefer: max-affected' allows \(limit) to be changed; nothing was "
                + "changed.", partDetail: "\(count) objects match.", parameter: "Prefer")
    }
}
