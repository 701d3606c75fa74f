import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// One property of an object, found in a view of the store: a value, or a collection or inverse link that is
/// read page by page. Valid as long as the view.
private struct FoundProperty {
    /// The page of its elements, if it is read page by page.
    private let page: CollectionPage

    init(
        _ request: PropertyRead, in read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) {
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let rowClass = try names.objectClass(named: request.address.container)
        let (key, row) = try request.address.key.find(of: rowClass, read, scratch, served)
        let member = try names.member(named: request.name.bytes, of: rowClass)
        let projection = try request.projection.map { projection throws(RequestFault) in
            try names.projection(named: projection, of: rowClass, member)
        }
        let view = PageView(
            served: served, read: read, names: names, quotesLargeInts: request.quotesLargeInts,
            pin: request.pin, for: request.caller)
        page = CollectionPage(
            view: view, text: request.text, owner: rowClass, key: key, row: row, member: member,
            projection: projection)
    }

    var hasPages: Bool { page.compiled.storage.shape != .single }

    /// Whether its value depends on no other objects, so that it changes only with the object's version.
    var isOfItsObjectAlone: Bool { page.projection == nil || !selection.holdsOtherObjects }

    /// Writes a page of the elements or objects that satisfy the query.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a faulty query or cursor, or when storage fails.
    func readPage() throws(RequestFault) -> PropertyRead.Reply {
        let buffer = ByteBuffer(capacity: 1024)
        return .page(try page.write(to: buffer), buffer)
    }

    /// Reads the value in the form that a reading asks for.
    func readValue(_ request: PropertyRead) throws(RequestFault) -> PropertyRead.Value {
        let etag = StoreVersion(epoch: page.read.epoch, number: page.row.version)
        let isData = page.compiled.storage.element == .data
        let isKnown = isOfItsObjectAlone && request.known.knows(etag, in: page.read)
        return PropertyRead.Value(
            content: isKnown ? .known : try content(asBytes: isData && request.prefersBytes),
            isData: isData, isOfItsObjectAlone: isOfItsObjectAlone, etag: etag,
            version: try page.view.version())
    }

    private func content(asBytes: Bool) throws(RequestFault) -> PropertyRead.Value.Content {
        let buffer = ByteBuffer(capacity: 256)
        if asBytes {
            let field = page.owner.field(page.member, in: page.row)
            if field.isNull { return .null }
            buffer.append(field.text(page.read))
            return .bytes(buffer)
        }
        var writer = page.view.objectWriter(buffer)
        // There is nothing else that it could be left out of.
        writer.keepsHidden = true
        writer.write(page.row, key: page.key, selection)
        try page.view.served.mappingStoreErrors(writer.finish())
        return .json(buffer)
    }

    private var selection: FieldSelection {
        page.projection?.selection(ofMember: page.member, of: page.owner)
            ?? FieldSelection(only: page.member, of: page.owner, named: "value")
    }
}

/// The reading of one property of an object.
package struct PropertyRead: ReadCase {
    package let caller: Caller
    package var pin: SnapshotPin?
    let name: RequestBytes
    let address: ObjectAddress
    let projection: String?
    /// The query of a page; nothing of it is for a single value.
    let text: QueryText
    /// Whether ints beyond 2^53 are written as strings.
    package let quotesLargeInts: Bool
    /// Whether the caller accepts JSON, the only form of a page.
    package var acceptsJSON = true
    /// Whether the caller prefers the bytes of a data property to JSON.
    package var prefersBytes = false
    /// The versions that the caller has. A value of one of them is not written.
    package var known = Precondition.none

    /// The value of a property, with the versions of its object and of the store.
    package struct Value {
        /// The form of the value.
        package enum Content {
            /// The caller has the value.
            case known
            /// The bytes of a data property.
            case bytes(ByteBuffer)
            /// A data property without bytes, whose bytes were asked for.
            case null
            case json(ByteBuffer)
        }

        package let content: Content
        /// Whether it is bytes, or null.
        package let isData: Bool
        /// Whether it changes only with the object's version.
        package let isOfItsObjectAlone: Bool
        /// The object's version.
        package let etag: StoreVersion
        /// The version of the store that the value is read from.
        package let version: StoreVersion

        /// Whether the caller has the value.
        package var isKnown: Bool {
            if case .known = content { true } else { false }
        }
    }

    /// A value, or a page of a collection or inverse link.
    package enum Reply {
        /// The property is read page by page, and the caller does not accept JSON.
        case notAccepted
        case page(PageReply, ByteBuffer)
        case value(Value)
    }

    /// Makes a reading.
    ///
    /// - `projection`: The name of the projection that shows the objects of the property.
    package init(
        _ name: RequestBytes, of address: ObjectAddress, _ text: QueryText,
        shownBy projection: String?, quotesLargeInts: Bool, for caller: Caller
    ) {
        self.text = text
        self.quotesLargeInts = quotesLargeInts
        self.name = name
        self.address = address
        self.projection = projection
        self.caller = caller
    }

    /// Reads the property if it has one value of its object alone.
    ///
    /// - Throws: As ``reply(_:_:)``.
    package func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply? {
        let found = try FoundProperty(self, in: read, served)
        guard !found.hasPages, found.isOfItsObjectAlone else { return nil }
        return .value(try found.readValue(self))
    }

    /// Reads the property.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, object, property or projection, `.malformed` for a
    ///   faulty key.
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply {
        let found = try FoundProperty(self, in: read, served)
        if !found.hasPages { return .value(try found.readValue(self)) }
        return acceptsJSON ? try found.readPage() : .notAccepted
    }
}
