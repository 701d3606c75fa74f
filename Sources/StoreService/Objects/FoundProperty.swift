import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// One property of an object, found in a view of the store: a value, or a collection or inverse link that is
/// read page by page. Valid as long as the view.
package struct FoundProperty {
    private let served: ServedStore
    private let request: PropertyRead
    private let read: ReadTransaction
    private let names: SchemaNames
    private let rowClass: RowClass
    private let key: UInt64
    private let row: RowView
    private let member: Int
    /// Shows the objects that the property holds, instead of what their class has.
    private let projection: CompiledProjection?

    init(
        _ request: PropertyRead, in read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) {
        self.served = served
        self.request = request
        self.read = read
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let rowClass = try names.objectClass(named: request.address.container)
        let (key, row) = try request.address.find(of: rowClass, read, scratch, served)
        let member = try names.member(named: request.name.bytes, of: rowClass)
        projection = try request.projection.map { projection throws(RequestFault) in
            try names.projection(named: projection, of: rowClass, member)
        }
        self.names = names
        self.rowClass = rowClass
        self.key = key
        self.row = row
        self.member = member
    }

    /// Whether it is read page by page.
    package var hasPages: Bool { storage.shape != .single }

    /// Whether its value is bytes, or null.
    package var isData: Bool { storage.element == .data }

    /// Whether its value says nothing of other objects, so that it changes with ``etag`` alone.
    package var isOfItsObjectAlone: Bool { projection == nil || !selection.holdsOtherObjects }

    /// Whether a client that names versions knows the value of ``etag``, where that is of its object alone.
    package func isKnown(by known: Precondition) -> Bool { known.knows(etag, in: read) }

    /// The object's version.
    package var etag: StoreVersion { StoreVersion(epoch: read.epoch, number: row.version) }

    /// The bytes of a data property; nil when it is null.
    package var bytes: UnsafeRawBufferPointer? {
        let field = rowClass.field(member, in: row)
        return field.isNull ? nil : field.text(read)
    }

    /// The version of the store that the view shows.
    package func version() throws(RequestFault) -> StoreVersion {
        StoreVersion(
            epoch: read.epoch,
            number: try served.stored(read.state().version))
    }

    /// Writes `{"value":…}`.
    package func writeValue(to buffer: ByteBuffer) throws(RequestFault) {
        var writer = ObjectWriter(
            buffer, names, read, served.limits, quotesLargeInts: request.quotesLargeInts)
        // There is nothing else that it could be left out of.
        writer.keepsHidden = true
        writer.write(row, key: key, selection)
        try served.stored(writer.finish())
    }

    /// Writes a page of the elements or objects that satisfy the query.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a faulty query or cursor, or when storage fails.
    package func writePage(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        let view = PageView(
            served: served, read: read, names: names, quotesLargeInts: request.quotesLargeInts,
            pin: request.version.pin, for: request.caller)
        let page = CollectionPage(
            view: view, text: request.text, owner: rowClass, key: key, row: row, member: member,
            projection: projection)
        return try page.write(to: buffer)
    }

    private var storage: FieldStorage { rowClass.members[member].storage }

    private var selection: FieldSelection {
        projection?.selection(ofMember: member, of: rowClass)
            ?? FieldSelection(only: member, of: rowClass, named: "value")
    }
}
