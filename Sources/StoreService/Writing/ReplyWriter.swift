import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Makes the reply to a write; its JSON goes to ``RequestScratch/reply``.
package struct ReplyWriter {
    /// Replies of more objects hold up a connection's thread.
    package static let shortObjectCountMax = 64

    let served: ServedStore
    let caller: Caller
    let form: ReplyForm
    /// The version that the write made.
    let version: StoreVersion
    /// The view of a transaction that is not committed yet; nil to look links up in the last commit.
    let view: ReadTransaction?
    let scratch: RequestScratch

    /// The reply to the write of one object.
    ///
    /// - `row`: Its bytes, which the reply points into.
    package func reply(
        to object: ObjectIdentity, of schema: RowSchema, _ row: ByteBuffer, isCreated: Bool
    ) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(version)
        guard let row = RowView(row.bytes) else { return reply }
        let rowClass = schema.classes[object.classIndex]
        let isSeen = try sees(row, of: object, schema)
        if !form.isMinimal, isSeen {
            let names = scratch.names(of: schema, served)
            let selection = names.everything[rowClass.index]
            reply.hasJSON = try document(
                names, followsLinks: selection.followsLinks || row.holdsOverflow
            ) { $0.write(copy: row, key: object.key, selection) }
        }
        reply.isMinimal = !reply.hasJSON
        reply.isCreated = isCreated
        // A hidden object has no URL and no version to compare.
        if !rowClass.isAsymmetric, isSeen {
            reply.etag = StoreVersion(epoch: version.epoch, number: row.version)
            if isCreated { reply.created = CreatedPath(rowClass, row, key: object.key) }
        }
        return reply
    }

    /// Whether the caller may read an object as it was written.
    private func sees(
        _ row: RowView, of object: ObjectIdentity, _ schema: RowSchema
    ) throws(RequestFault) -> Bool {
        guard caller.visibility != nil else { return true }
        func sees(_ read: ReadTransaction) -> Bool {
            // Rules of another schema say nothing of the row.
            read.rows.identity == schema.identity
                && read.shown(schema.classes[object.classIndex], object.key, row) != nil
        }
        if let view { return sees(view) }
        do throws(RequestFault) {
            return try served.withRead(for: caller) { read in
                read.budget.deadlineMilliseconds = served.queryDeadline
                return sees(read)
            }
        } catch {
            // The object is written; its caller is not told if its visibility can't be evaluated in time.
            if error.isQueryLimit { return false }
            throw error
        }
    }

    /// The reply to the write of an array of objects, without them when they would be too much.
    func reply(to written: [WrittenObject]) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(version)
        reply.isDocument = true
        reply.isCreated = written.contains(where: \.isCreated)
        let shown = written.compactMap(\.shown)
        // A hidden object is not mentioned, not even as null.
        if !form.isMinimal, written.isEmpty || !shown.isEmpty {
            let objects = shown.lazy.compactMap(\.object)
            let names = scratch.names(
                of: objects.first?.schema ?? served.store.catalog.rows, served)
            let version = version
            var showsSome = written.isEmpty
            let isWhole = try document(names, followsLinks: followLinks(objects, names)) { writer in
                showsSome = showsSome || objects.contains { writer.shows($0) }
                guard showsSome else { return }
                writer.json.raw("{\"objects\":")
                writer.array { writer, isFirst in
                    for object in shown {
                        writer.separate(&isFirst)
                        object.write(to: &writer)
                    }
                }
                writer.json.raw(",\"version\":")
                writer.json.string(version.description)
                writer.json.raw("}")
            }
            reply.hasJSON = isWhole && showsSome
        }
        reply.isMinimal = !reply.hasJSON
        return reply
    }

    /// Whether objects link to others, or have out-of-line values.
    func followLinks(_ objects: some Sequence<StoredObject>, _ names: SchemaNames) -> Bool {
        objects.contains { names.everything[$0.classIndex].followsLinks || $0.holdsOverflow }
    }

    /// Writes copied objects as a document. Links are looked up in ``view``, else in a fresh view, since the
    /// keys of their targets never change.
    ///
    /// - Returns: False, with nothing written, if the document would have more bytes than a query's memory: the object
    ///   is written, and cannot be refused any more. A reply that has to be stored ends after the
    ///   bytes of an idempotency record, and is refused with the write where it is stored.
    func document(
        _ names: SchemaNames, followsLinks: Bool, _ body: (inout ObjectWriter) -> Void
    ) throws(RequestFault) -> Bool {
        scratch.reply.removeAll()
        let memoryByteCountMax = served.limits.queryMemoryByteCountMax
        let recordByteCountMax = served.store.options.idempotency.recordByteCountMax
        let isRefusedElsewhere = view != nil && recordByteCountMax < memoryByteCountMax
        var isWhole = true
        func write(_ read: ReadTransaction?, _ linkKeys: LinkKeyCache?) {
            var writer = ObjectWriter(scratch.reply, names: names, read: read, epoch: version.epoch)
            writer.linkKeys = linkKeys
            writer.quotesLargeInts = form.quotesLargeInts
            writer.limitCollections(served.limits)
            writer.byteCountMax = isRefusedElsewhere ? recordByteCountMax : memoryByteCountMax
            body(&writer)
            isWhole = writer.hasRoom
        }
        if let view {
            // Its objects may be rolled back, and their keys used again: nothing is remembered.
            write(view, nil)
        } else {
            try served.withLinks(followsLinks, for: caller) { read in write(read, scratch.linkKeys)
            }
        }
        if isWhole || isRefusedElsewhere { return true }
        scratch.reply.removeAll()
        return false
    }
}

/// One object of several that were written.
struct WrittenObject: Sendable {
    var isCreated: Bool
    /// The object as the transaction leaves it; nil when the reply doesn't show it.
    var shown: ShownObject?
}
