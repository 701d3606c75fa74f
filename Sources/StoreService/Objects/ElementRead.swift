import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// The reading of one element as `{"value":…}`.
package struct ElementRead: ReadCase {
    package let caller: Caller
    package var pin: SnapshotPin?
    /// The name of the element.
    package let address: ElementAddress
    /// The versions of the object that the caller has: of one of them no JSON is made.
    package var known = Precondition.none
    /// How the caller wants the reply.
    package var form = ReplyForm()

    package init(_ address: ElementAddress, for caller: Caller) {
        self.address = address
        self.caller = caller
    }

    /// Reads the element, which is always short.
    ///
    /// - Throws: As ``reply(_:_:)``.
    package func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> ObjectRead.Reply? {
        try reply(read, served)
    }

    /// Reads the element; the reply has its object's version.
    ///
    /// - Throws: ``RequestFault`` `.notFound`, …
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> ObjectRead.Reply {
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let target = try address.target(names, scratch)
        let rowClass = target.rowClass
        let (_, row) = try address.object.key.find(of: rowClass, read, scratch, served)
        var inner: MixedView?
        var element: (part: CollectionView, offset: Int)?
        if target.storage.shape == .single {
            let field = rowClass.field(target.member, in: row)
            inner = try Self.value(inside: field.isNull ? nil : field.text(read), target)
        } else {
            let collection = rowClass.collection(target.member, in: row, read)
            guard let position = try Self.position(of: target, in: collection),
                let (part, offset) = collection.element(position)
            else { throw RequestFault(.notThere, in: target) }
            if target.inner == nil {
                element = (part, offset)
            } else {
                inner = try Self.value(
                    inside: part.isNull(offset) ? nil : part.bytes(offset), target)
            }
        }
        var reply = ObjectRead.Reply(
            etag: StoreVersion(epoch: read.epoch, number: row.version),
            version: try served.version(of: read))
        if known.knows(reply.etag, in: read) {
            reply.isKnown = true
            return reply
        }
        scratch.reply.removeAll()
        var writer = ObjectWriter(
            scratch.reply, names, read, served.limits, quotesLargeInts: form.quotesLargeInts)
        scratch.reply.append("{\"value\":" as StaticString)
        if let inner { writer.write(mixed: inner) }
        if let (part, offset) = element {
            writer.writeElement(offset, of: part, target.member, rowClass)
        }
        scratch.reply.append("}" as StaticString)
        try served.mappingStoreErrors(writer.finish())
        return reply
    }

    /// Where an element stands, or would stand, in its collection; nil for a key that is not there.
    private static func position(
        of target: ElementTarget, in collection: StoredCollection
    ) throws(RequestFault) -> Int? {
        switch target.element {
        case .index(let position)?: return position
        case .key(let key)?: return key.withUnsafeBytes { collection.index(ofKey: $0) }
        case .end?, nil: throw .entryKeyMissing
        }
    }

    /// Finds the value that the request is about inside a `mixed` value; nil is null.
    private static func value(
        inside bytes: UnsafeRawBufferPointer?, _ target: ElementTarget
    ) throws(RequestFault) -> MixedView {
        do throws(ElementFault) {
            return try MixedView(bytes).value(at: target.inner ?? [])
        } catch {
            throw RequestFault(error, in: target)
        }
    }
}
