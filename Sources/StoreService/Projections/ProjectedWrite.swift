import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore

/// The change of an object, and of those that paths of a projection lead to, by a patch in projected names.
package struct ProjectedWrite: WriteBody, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// The subject of the patch.
    package enum Subject {
        /// An object of a projection, which its address names.
        case object
        /// The object that a property holds, as the projection of a name shows it.
        case property(RequestBytes, projection: String)
    }

    /// The request as it reads under the schema.
    private struct Plan {
        let target: ObjectTarget
        let selection: FieldSelection
        let precondition: Precondition
        var patch: ProjectedPatch
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
    /// The object's version; nil where the caller may not read it any more.
    private var version: UInt64?
    /// The object as JSON, as the transaction leaves it: other objects that it shows may be changed again before the
    /// reply is made.
    private let json = ByteBuffer(capacity: 512)

    /// Makes a change by the patch in a body.
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

    // MARK: Reading

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard let body else { throw served.fault(.closing) }
        let (target, subject) = try resolve(names, scratch)
        let patch = try ProjectedPatch(
            try served.json(body.bytes, scratch.parser), isJSONPatch: isJSONPatch, of: subject,
            id: target.key,
            ObjectReadingContext(
                names, scratch.reader,
                operationCountMax: served.store.options.operationCountMax))
        plan = Plan(
            target: target, selection: subject.selection,
            precondition: precondition.with(version: patch.version), patch: patch)
    }

    /// Which object the request names, and what of it the projection shows.
    private func resolve(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> (ObjectTarget, ProjectedPatch.Subject) {
        guard case .property(let property, let name) = subject else {
            let projection = try names.projection(
                named: String(decoding: address.container, as: UTF8.self))
            let rowClass = projection.rowClass
            return (
                try address.key.target(of: rowClass, scratch),
                ProjectedPatch.Subject(projection: projection, rowClass: rowClass, member: nil)
            )
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
            target,
            ProjectedPatch.Subject(projection: projection, rowClass: rowClass, member: member)
        )
    }

    // MARK: Writing

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard var plan else { return }
        defer { self.plan = plan }
        let rowClass = plan.target.rowClass
        let (key, found) = try transaction.require(plan.target, plan.precondition)
        try transaction.check(plan.precondition, rowClass, key: key, found)
        try plan.patch.apply(
            to: rowClass, key: key, firstSource: 0, transaction, in: served)
        guard let row = try transaction.storedRow(rowClass, key) else { throw .objectNotFound }
        json.removeAll()
        if form.isMinimal, caller.sight == nil {
            version = row.version
            return
        }
        let isSeen = try transaction.writeProjected(
            row, key: key, plan.selection, form, for: caller, served, to: json)
        version = isSeen ? row.version : nil
    }

    // MARK: The reply

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(writer.version)
        reply.etag = version.map { StoreVersion(epoch: writer.version.epoch, number: $0) }
        reply.isMinimal = writer.form.isMinimal || version == nil
        reply.hasJSON = !reply.isMinimal
        writer.scratch.reply.removeAll()
        if reply.hasJSON { writer.scratch.reply.append(json.bytes) }
        return reply
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    package func fault(_ error: StoreError) -> RequestFault {
        plan?.patch.fault(error, served) ?? served.fault(error)
    }
}
