import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The reading of one object, as its class or a projection shows it.
package struct ObjectRead: ReadCase {
    package let caller: Caller
    package var pin: SnapshotPin?
    /// The name and key of the object.
    package let address: ObjectAddress
    /// Whether it names a projection and not a class.
    package let isProjected: Bool
    /// The properties that are wanted; nil for all.
    package let fields: String?
    /// The links that are replaced by their targets.
    package let expand: String?
    package let precondition: Precondition
    /// The versions that the caller has: of one of them no JSON is made.
    package let known: Precondition
    /// How the caller wants the reply.
    package let form: ReplyForm

    /// The reply beside the JSON in ``RequestScratch/reply``.
    package struct Reply {
        /// The object's version.
        package var etag: StoreVersion
        /// The version of the store that the reply is made from.
        package var version: StoreVersion
        /// Whether there is no JSON, since the caller has the object.
        package var isKnown = false
    }

    /// A found object, and its shown parts.
    private struct Found {
        var key: UInt64
        var row: RowView
        var selection: FieldSelection
        var names: SchemaNames
    }

    /// Makes a reading, of a whole object where nothing else is said.
    package init(
        _ address: ObjectAddress, isProjected: Bool, for caller: Caller,
        fields: String? = nil, expand: String? = nil, precondition: Precondition = .none,
        known: Precondition = .none, form: ReplyForm = ReplyForm()
    ) {
        self.address = address
        self.isProjected = isProjected
        self.caller = caller
        self.fields = fields
        self.expand = expand
        self.precondition = precondition
        self.known = known
        self.form = form
    }

    /// Reads the object if the reply is of its own row alone.
    ///
    /// - Throws: ``RequestFault`` `.notFound`, `.preconditionFailed`, …
    package func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply? {
        let found = try find(read, served)
        return found.selection.holdsOtherObjects ? nil : try write(found, read, served)
    }

    /// Reads the object.
    ///
    /// - Throws: As ``replyIfShort(_:_:)``.
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply {
        try write(find(read, served), read, served)
    }

    private func find(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Found {
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        if isProjected {
            let name = String(decoding: address.container, as: UTF8.self)
            let projection = try names.projection(named: name)
            let selection = try projection.selection(fields: fields)
            let (key, row) = try address.key.find(of: projection.rowClass, read, scratch, served)
            return Found(key: key, row: row, selection: selection, names: names)
        }
        let rowClass = try names.objectClass(named: address.container)
        let (key, row) = try address.key.find(of: rowClass, read, scratch, served)
        let selection = try names.selection(fields: fields, expand: expand, of: rowClass)
        return Found(key: key, row: row, selection: selection, names: names)
    }

    private func write(
        _ found: Found, _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply {
        let (row, selection) = (found.row, found.selection)
        var reply = Reply(
            etag: StoreVersion(epoch: read.epoch, number: row.version),
            version: try served.version(of: read))
        if !precondition.holds(of: reply.etag) {
            // The reply reads the targets of links from the newest version.
            let current =
                pin != nil
                ? nil
                : StoredObject(
                    schema: read.rows, classIndex: selection.rowClass.index, key: found.key,
                    row: row)
            var fault = RequestFault(.preconditionFailed(current: current))
            fault.quotesLargeInts = form.quotesLargeInts
            if isProjected, current != nil {
                let buffer = ByteBuffer(capacity: 512)
                var writer = ObjectWriter(
                    buffer, found.names, read, served.limits, quotesLargeInts: form.quotesLargeInts)
                writer.write(row, key: found.key, selection)
                try served.mappingStoreErrors(writer.finish())
                fault.currentJSON = buffer.array
            }
            throw fault
        }
        if !selection.holdsOtherObjects, known.knows(reply.etag, in: read) {
            reply.isKnown = true
            return reply
        }
        let scratch = RequestScratch.current
        scratch.reply.removeAll()
        var writer = ObjectWriter(
            scratch.reply, found.names, read, served.limits, quotesLargeInts: form.quotesLargeInts)
        writer.linkKeys = scratch.linkKeys
        writer.write(row, key: found.key, selection)
        try served.mappingStoreErrors(writer.finish())
        return reply
    }
}

extension Precondition {
    /// The same with the `$version` that the body states, which has to hold as well.
    package func with(version: StoreVersion?) -> Precondition {
        guard let version else { return self }
        switch self {
        case .none, .exists: return .matches([version])
        case .matches(let versions): return .matches(versions.contains(version) ? [version] : [])
        // Nothing is absent and has a version.
        case .absent: return .matches([])
        }
    }
}
