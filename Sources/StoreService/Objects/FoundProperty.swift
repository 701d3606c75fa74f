import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// One property of an object, found in a view of the store: a value, or a collection or inverse link that is
/// read page by page. Valid as long as the view.
package struct FoundProperty {
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

    /// Whether it is read page by page.
    package var hasPages: Bool { page.compiled.storage.shape != .single }

    /// Whether its value is bytes, or null.
    package var isData: Bool { page.compiled.storage.element == .data }

    /// Whether its value says nothing of other objects, so that it changes with ``etag`` alone.
    package var isOfItsObjectAlone: Bool { page.projection == nil || !selection.holdsOtherObjects }

    /// Whether a client that names versions knows the value of ``etag``, where that is of its object alone.
    package func isKnown(by known: Precondition) -> Bool { known.knows(etag, in: page.read) }

    /// The object's version.
    package var etag: StoreVersion {
        StoreVersion(epoch: page.read.epoch, number: page.row.version)
    }

    /// The bytes of a data property; nil when it is null.
    package var bytes: UnsafeRawBufferPointer? {
        let field = page.owner.field(page.member, in: page.row)
        return field.isNull ? nil : field.text(page.read)
    }

    /// The version of the store that the view shows.
    package func version() throws(RequestFault) -> StoreVersion { try page.view.version() }

    /// Writes `{"value":…}`.
    package func writeValue(to buffer: ByteBuffer) throws(RequestFault) {
        var writer = page.view.objectWriter(buffer)
        // There is nothing else that it could be left out of.
        writer.keepsHidden = true
        writer.write(page.row, key: page.key, selection)
        try page.view.served.mappingStoreErrors(writer.finish())
    }

    /// Writes a page of the elements or objects that satisfy the query.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a faulty query or cursor, or when storage fails.
    package func writePage(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        try page.write(to: buffer)
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

    /// Finds the property if it has one value of its object alone.
    ///
    /// - Throws: As ``reply(_:_:)``.
    package func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> FoundProperty? {
        let found = try reply(read, served)
        return !found.hasPages && found.isOfItsObjectAlone ? found : nil
    }

    /// Finds the property.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, object, property or projection, `.malformed` for a
    ///   faulty key.
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> FoundProperty {
        try FoundProperty(self, in: read, served)
    }
}
