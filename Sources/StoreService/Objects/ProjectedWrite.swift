import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The write of objects as a projection shows them: of an object that the request names, of new objects, or of the
/// objects in a property.
package struct ProjectedWrite: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// The subject of the write.
    package enum Subject {
        /// A patch of an existing object, which its address names.
        case object
        /// A whole object that its address names. It is created if it does not exist.
        case whole
        /// A merge patch of an object that its address names. It is created if it does not exist.
        case merged
        /// The deletion of an object that its address names; the request has no body.
        case deleted
        /// New objects; the body is one object, or an array of objects.
        case new(isArray: Bool, WriteMode)
        /// A patch of the object in a property, as the named projection shows it.
        case property(RequestBytes, projection: String)

        fileprivate var form: ProjectedForm {
            switch self {
            case .object, .deleted, .property: .patch
            case .merged, .new(_, .merge): .merge
            case .new(_, .create): .new
            case .whole, .new: .whole
            }
        }

        /// The mode in which an object that does not exist is made; nil if it has to exist.
        fileprivate var modeOfNew: WriteMode? {
            switch self {
            case .object, .deleted, .property: nil
            case .whole: .replace
            case .merged: .merge
            case .new(_, let mode): mode
            }
        }
    }

    /// One object to write.
    private struct Item {
        /// The name of the object, as far as it is known before the object is made.
        let key: Value?
        let precondition: Precondition
        /// The change; nil for a deletion.
        var patch: ProjectedPatch?
    }

    /// The request as it reads under the schema.
    private struct Plan {
        let rowClass: RowClass
        let selection: FieldSelection
        var items: [Item]
    }

    /// An object that was written.
    private struct Written {
        let key: UInt64
        let isCreated: Bool
        /// The object's version; nil if the caller may not read it.
        var version: UInt64?
        var path: CreatedPath?
        /// The object as JSON, as the transaction leaves it: other objects that it shows may be changed again before the
        /// reply is made. Empty if the reply shows no object.
        var json: [UInt8] = []
    }

    /// How the caller wants the reply.
    package var form = ReplyForm()
    package let caller: Caller
    private let subject: Subject
    private let address: ObjectAddress
    private let precondition: Precondition
    private let served: ServedStore
    private let isJSONPatch: Bool
    private var body: RequestBytes?
    private var plan: Plan?
    /// The item that is being written. When the write fails, the item that failed.
    private var position = 0
    private var written: [Written] = []
    /// Whether the reply to an array shows no objects: the client wants a minimal one, or they take too much memory.
    private var isMinimal = false

    /// Makes a write from a body.
    package init(
        _ subject: Subject, _ address: ObjectAddress, _ patch: PatchBody,
        _ precondition: Precondition, for caller: Caller, in served: ServedStore
    ) {
        self.subject = subject
        self.address = address
        (body, isJSONPatch) = (patch.bytes, patch.isJSONPatch)
        self.precondition = precondition
        self.served = served
        self.caller = caller
    }

    private var isArray: Bool { if case .new(isArray: true, _) = subject { true } else { false } }

    // MARK: Reading

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard let body else { throw served.fault(.closing) }
        let (key, subject) = try resolve(names, scratch)
        var plan = Plan(rowClass: subject.rowClass, selection: subject.selection, items: [])
        if case .deleted = self.subject {
            plan.items = [Item(key: key, precondition: precondition, patch: nil)]
            self.plan = plan
            return
        }
        let json = try served.json(body.bytes, scratch.parser)
        let countMax = served.store.options.operationCountMax
        let context = ObjectReadingContext(names, scratch.reader, operationCountMax: countMax)
        func read(_ json: JSONValue) throws(RequestFault) {
            let patch = try ProjectedPatch(
                json, isJSONPatch: isJSONPatch, of: subject, id: key, as: self.subject.form,
                context)
            plan.items.append(
                Item(
                    key: patch.key, precondition: precondition.with(version: patch.version),
                    patch: patch))
        }
        guard isArray, json.kind == .array else {
            try read(json)
            self.plan = plan
            return
        }
        guard json.count <= countMax else {
            throw RequestFault(.tooManyOperations(limit: countMax))
        }
        plan.items.reserveCapacity(json.count)
        var faults = FaultList()
        var first: RequestFault?
        for (index, element) in json.elements.enumerated() {
            guard scratch.reader.mayContinue() else { throw scratch.reader.fault() }
            do throws(RequestFault) { try read(element) } catch {
                // Given up, which is about the whole body.
                if scratch.reader.isGivenUp { throw scratch.reader.fault() }
                let placed = error.placed(at: JSONPointer().appending(index: index))
                first = first ?? placed
                for fault in placed.errors { faults.note(fault) }
            }
        }
        if let first { throw first.first(of: faults) }
        self.plan = plan
    }

    /// Finds the reference to the object, and the part of it that the projection shows.
    private func resolve(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> (Value?, ProjectedPatch.Subject) {
        guard case .property(let property, let name) = subject else {
            let projection = try names.projection(
                named: String(decoding: address.container, as: UTF8.self))
            let rowClass = projection.rowClass
            let subject = ProjectedPatch.Subject(
                projection: projection, rowClass: rowClass, member: nil)
            if case .new = self.subject { return (nil, subject) }
            return (try address.key.target(of: rowClass, scratch).key, subject)
        }
        let target = try address.target(names, scratch)
        let rowClass = target.rowClass
        let member = try names.member(named: property.bytes, of: rowClass)
        let projection = try names.projection(named: name, of: rowClass, member)
        guard rowClass.members[member].storage.shape == .single else {
            throw .single(
                .invalid, "projection-read-only",
                "'\(rowClass.definition.properties[member].name)' is a collection, which "
                    + "is read-only here; change its objects, or the whole collection by a PATCH of "
                    + "its owner.", parameter: "property")
        }
        return (
            target.key,
            ProjectedPatch.Subject(projection: projection, rowClass: rowClass, member: member)
        )
    }

    // MARK: Writing

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard var plan else { return }
        defer { self.plan = plan }
        written = []
        written.reserveCapacity(plan.items.count)
        let deadline = served.queryDeadline
        var sourceCount = 0
        for index in plan.items.indices {
            try served.checkWriteTime(deadline)
            position = index
            var item = plan.items[index]
            defer { plan.items[index] = item }
            let (key, isCreated) = try write(&item, plan, firstSource: sourceCount, transaction)
            sourceCount += item.patch?.sourceCount ?? 0
            written.append(Written(key: key, isCreated: isCreated))
            transaction.releaseShown()
        }
        if case .deleted = subject { return }
        if isArray { return try showAll(plan, transaction, until: deadline) }
        var shown = written
        for index in shown.indices { try show(&shown[index], plan, transaction) }
        written = shown
    }

    /// Writes one object.
    ///
    /// - `firstSource`: The first of the transaction's source numbers that it may use.
    private func write(
        _ item: inout Item, _ plan: Plan, firstSource: Int, _ transaction: WriteTransaction
    ) throws(StoreError) -> (key: UInt64, isCreated: Bool) {
        let rowClass = plan.rowClass
        let projected = ProjectedObject(
            selection: plan.selection, form: form, caller: caller, served: served)
        let found = try item.key.flatMap { key throws(StoreError) in
            try transaction.find(rowClass, id: key)
        }
        guard let key = found, let row = try transaction.row(rowClass, key) else {
            // Without a primary key the store names new objects.
            let isMade = rowClass.primaryKeyIndex != nil || item.key == nil
            guard isMade, let mode = subject.modeOfNew, var patch = item.patch else {
                try transaction.check(item.precondition, rowClass, key: nil, nil)
                throw .objectNotFound
            }
            defer { item.patch = patch }
            let made = try patch.make(
                mode, item.precondition, firstSource: firstSource, transaction, in: served,
                projected)
            return (made.key, made.isCreated)
        }
        try projected.check(item.precondition, rowClass, key, row, transaction)
        guard var patch = item.patch else {
            try transaction.delete(rowClass, key: key)
            return (key, false)
        }
        if case .new(_, let mode) = subject {
            if mode == .create {
                throw .duplicateKey(className: rowClass.definition.name)
            } else if mode == .ignore {
                return (key, false)
            }
        }
        defer { item.patch = patch }
        try patch.apply(
            to: rowClass, key: key, firstSource: firstSource, transaction, in: served, projected)
        return (key, false)
    }

    /// Copies the objects of an array as the reply shows them, as long as there is room.
    private mutating func showAll(
        _ plan: Plan, _ transaction: WriteTransaction, until deadline: UInt64
    ) throws(StoreError) {
        var copies = try ReplyCopies(transaction, for: caller, form, until: deadline, in: served)
        let projected = ProjectedObject(
            selection: plan.selection, form: form, caller: caller, served: served)
        var shown = written
        for index in shown.indices {
            try served.checkWriteTime(deadline)
            let key = shown[index].key
            guard let row = try transaction.storedRow(plan.rowClass, key) else {
                throw .objectNotFound
            }
            if case .json(let json)? = try copies.copy(projected, row, key, transaction) {
                shown[index].version = row.version
                shown[index].json = json
            }
        }
        isMinimal = copies.isExhausted
        if isMinimal {
            for index in shown.indices { shown[index].json = [] }
        }
        written = shown
    }

    /// Notes the one object that the request is about as the reply shows it.
    private func show(
        _ object: inout Written, _ plan: Plan, _ transaction: WriteTransaction
    ) throws(StoreError) {
        guard let row = try transaction.storedRow(plan.rowClass, object.key) else {
            throw .objectNotFound
        }
        if form.isMinimal, caller.visibility == nil {
            object.version = row.version
        } else {
            let projected = ProjectedObject(
                selection: plan.selection, form: form, caller: caller, served: served)
            let buffer = ByteBuffer(capacity: 512)
            let isSeen = try projected.write(row, key: object.key, transaction, to: buffer)
            object.json = buffer.array
            object.version = isSeen ? row.version : nil
        }
        guard object.isCreated, object.version != nil else { return }
        object.path = CreatedPath(plan.rowClass, row, key: object.key)
        object.path?.projection = String(decoding: address.container, as: UTF8.self)
    }

    // MARK: The reply

    package var hasLongReply: Bool { isArray && written.count > ReplyWriter.shortObjectCountMax }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(writer.version)
        if case .deleted = subject { return reply }
        reply.isCreated = written.contains(where: \.isCreated)
        writer.scratch.reply.removeAll()
        guard isArray else {
            let object = written.first
            reply.etag = object?.version.map {
                StoreVersion(epoch: writer.version.epoch, number: $0)
            }
            reply.created = object?.path
            reply.isMinimal = writer.form.isMinimal || object?.version == nil
            reply.hasJSON = !reply.isMinimal
            if reply.hasJSON, let object { writer.scratch.reply.append(object.json) }
            return reply
        }
        reply.isDocument = true
        let isSeen = written.isEmpty || written.contains { $0.version != nil }
        reply.isMinimal = writer.form.isMinimal || isMinimal || !isSeen
        reply.hasJSON = !reply.isMinimal
        guard reply.hasJSON else { return reply }
        JSONWriter(writer.scratch.reply).object { json in
            json.member("objects").array(of: written) { object, json in
                if object.version == nil {
                    json.null()
                } else {
                    object.json.withUnsafeBytes { json.raw($0) }
                }
            }
            json.member("version").string(writer.version.description)
        }
        return reply
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    package func fault(_ error: StoreError) -> RequestFault {
        guard let items = plan?.items, items.indices.contains(position) else {
            return served.fault(error)
        }
        guard isArray else { return items[0].patch?.fault(error, served) ?? served.fault(error) }
        let sources = error.sources
        guard !sources.isEmpty else {
            return served.fault(error).placed(at: JSONPointer().appending(index: position))
        }
        // Faults that only the end of the transaction finds: each belongs to the part of an item.
        var whole = served.fault(error)
        for (index, source) in zip(whole.errors.indices, sources) {
            var rest = source
            for (position, item) in items.enumerated() {
                guard let patch = item.patch, rest >= patch.sourceCount else {
                    var own = whole.errors[index]
                    if let patch = item.patch { own = patch.placed(own, part: rest) }
                    own.pointer =
                        JSONPointer().appending(index: position).description + (own.pointer ?? "")
                    whole.errors[index] = own
                    break
                }
                rest -= patch.sourceCount
            }
        }
        return whole
    }
}
