import Bytes
import JSON
import ObjectJSON
import ObjectStore

/// The change of an object, and of those that paths of a projection lead to, by a merge patch in projected names.
package struct ProjectedWrite: WriteBody, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// What the patch is about.
    package enum Subject {
        /// An object of a projection, which its address names.
        case object
        /// What a property of an object holds, as the projection of a name shows it.
        case property(RequestBytes, projection: String)
    }

    /// What the caller wants of the reply.
    package var form = ReplyForm()
    private let subject: Subject
    private let address: ObjectAddress
    private let precondition: Precondition
    private let served: ServedStore
    private var body: RequestBytes?
    private var patch: ProjectedPatch?
    /// The object's version.
    private var version: UInt64 = 0
    /// What the transaction leaves of it as JSON: other objects that it shows may be changed again before the
    /// reply is made.
    private let json = ByteBuffer(capacity: 512)

    /// Makes a change by the merge patch in `body`.
    package init(
        _ subject: Subject, _ address: ObjectAddress, _ body: RequestBytes,
        _ precondition: Precondition, in served: ServedStore
    ) {
        self.subject = subject
        self.address = address
        self.body = body
        self.precondition = precondition
        self.served = served
    }

    // MARK: Reading

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard let body else { return }
        switch subject {
        case .object: patch = try patch(body, names, scratch)
        case .property(let property, let projection):
            patch = try patch(body, property, projection, names, scratch)
        }
    }

    private func patch(
        _ body: RequestBytes, _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ProjectedPatch {
        let name = String(decoding: address.container, as: UTF8.self)
        let projection = try names.projection(named: name)
        let target = try address.target(of: projection.rowClass, scratch)
        let change = ProjectedChange(projection.rowClass)
        let version = try ProjectedChangeReader(scratch.reader, names).read(
            try served.json(body.bytes, scratch.parser), projection, into: change, id: target.key)
        change.finish()
        return ProjectedPatch(
            target: target, change: change, selection: projection.selection,
            precondition: precondition.with(version: version))
    }

    private func patch(
        _ body: RequestBytes, _ property: RequestBytes, _ name: String, _ names: SchemaNames,
        _ scratch: RequestScratch
    ) throws(RequestFault) -> ProjectedPatch {
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
        let change = ProjectedChange(rowClass)
        let inner = change.descend(
            member, to: projection.rowClass, at: JSONPointer(), makesObject: false)
        if let inner {
            _ = try ProjectedChangeReader(scratch.reader, names).read(
                try served.json(body.bytes, scratch.parser), projection, into: inner, id: nil)
        }
        change.finish()
        return ProjectedPatch(
            target: target, change: change,
            selection: projection.selection(ofMember: member, of: rowClass),
            precondition: precondition)
    }

    // MARK: Writing

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard var patch else { return }
        defer { self.patch = patch }
        let (key, row) = try patch.apply(transaction)
        version = row.version
        json.removeAll()
        if form.isMinimal { return }
        let view = transaction.view()
        var writer = ObjectWriter(
            json, RequestScratch.current.names(of: transaction.catalog.rows, served), view,
            served.limits, quotesLargeInts: form.quotesLargeInts)
        writer.write(row, key: key, patch.selection)
        try view.checkFailure()
        if writer.isTruncated {
            throw .refused(RequestFault.replyTooLarge(served.limits.queryMemoryByteCountMax))
        }
    }

    // MARK: The reply

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(writer.version)
        reply.etag = StoreVersion(epoch: writer.version.epoch, number: version)
        reply.isMinimal = form.isMinimal
        reply.hasJSON = !form.isMinimal
        writer.scratch.reply.removeAll()
        writer.scratch.reply.append(json.bytes)
        return reply
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    package func fault(_ error: StoreError) -> RequestFault {
        patch?.fault(error, served) ?? served.fault(error)
    }
}
