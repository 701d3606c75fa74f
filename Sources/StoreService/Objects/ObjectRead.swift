import ObjectJSON
import ObjectStore
import Rows

/// The reading of one object, as its class or a projection shows it.
package struct ObjectRead: Sendable {
    /// What names the object.
    package let address: ObjectAddress
    /// Whether it names a projection and not a class.
    package let isProjected: Bool
    /// The properties that are wanted; nil for all.
    package var fields: String?
    /// The links whose targets are shown.
    package var expand: String?
    /// What must hold of the object.
    package var precondition = Precondition.none
    /// The versions that the caller has: of one of them no JSON is made.
    package var known = Precondition.none
    /// What the caller wants of the reply.
    package var form = ReplyForm()
    /// The version that is read; nil for the newest.
    package var pin: SnapshotPin?

    /// The reply beside the JSON in ``RequestScratch/reply``.
    package struct Reply {
        /// The object's version.
        package var etag: StoreVersion
        /// A version of the store that has the object so; it may be newer than this says, never older.
        package var version: StoreVersion
        /// Whether there is no JSON, since the caller has the object.
        package var isKnown = false
    }

    /// Makes a reading of a whole object.
    package init(_ address: ObjectAddress, isProjected: Bool) {
        self.address = address
        self.isProjected = isProjected
    }

    /// Reads the object.
    ///
    /// - `job`: Nil on a connection's thread, which reads the object's own row alone.
    /// - Returns: Nil when the reply has other objects, so that it takes a job.
    /// - Throws: ``RequestFault`` `.notFound`, `.preconditionFailed`, …
    package func reply(_ served: ServedStore, in job: Job?) throws(RequestFault) -> Reply? {
        if let job, job.isOverdue || job.isAbandoned { throw .queryTime(served.limits) }
        let scratch = RequestScratch.current
        let version = pin?.version ?? served.store.version
        let read = try served.read(of: pin, reusing: scratch)
        defer {
            read.close()
            scratch.read = read
        }
        read.turn = job
        if let job { read.limitFollowing(until: job.deadlineMilliseconds) }
        let names = scratch.names(of: read.rows, served)
        var selection: FieldSelection
        let rowClass: RowClass
        if isProjected {
            let name = String(decoding: address.container, as: UTF8.self)
            let projection = try names.projection(named: name)
            rowClass = projection.rowClass
            selection = try projection.selection(fields: fields)
        } else {
            rowClass = try names.objectClass(named: address.container)
            selection = names.everything[rowClass.index]
        }
        let (key, row) = try address.find(of: rowClass, read, scratch, served)
        if !isProjected {
            selection = try names.selection(fields: fields, expand: expand, of: rowClass)
        }
        if selection.holdsOtherObjects, job == nil { return nil }

        var reply = Reply(
            etag: StoreVersion(epoch: read.epoch, number: row.version), version: version)
        if !precondition.holds(of: reply.etag) {
            // The reply reads what the object links to from the newest version.
            let current =
                pin != nil
                ? nil
                : StoredObject(schema: read.rows, classIndex: rowClass.index, key: key, row: row)
            throw RequestFault(.preconditionFailed(current: current))
        }
        if !selection.holdsOtherObjects, known != .none, known.holds(of: reply.etag) {
            reply.isKnown = true
            return reply
        }
        scratch.reply.removeAll()
        var writer = ObjectWriter(
            scratch.reply, names, read, served.limits, quotesLargeInts: form.quotesLargeInts)
        writer.linkKeys = scratch.linkKeys
        writer.write(row, key: key, selection)
        try served.stored(read.checkFailure())
        if writer.isTruncated { throw .replyTooLarge(served.limits.queryMemoryByteCountMax) }
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
