import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// One property of an object, found in a view of the store: a value, or a collection or inverse link that is
/// read page by page. Valid as long as the view.
package struct PropertyRead {
    private let served: ServedStore
    private let read: ReadTransaction
    private let names: SchemaNames
    private let property: ObjectProperty
    /// Shows the objects that the property holds, instead of what their class has.
    private let projection: CompiledProjection?

    /// Finds a property.
    ///
    /// - `projection`: The name of the projection that shows the objects of the property.
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, object, property or projection, `.malformed` for a
    ///   faulty key.
    package init(
        _ name: UnsafeRawBufferPointer, of address: ObjectAddress, shownBy projection: String?,
        in read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) {
        self.served = served
        self.read = read
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let rowClass = try names.objectClass(named: address.container)
        guard let (key, row) = try address.find(of: rowClass, read, scratch, served) else {
            throw RequestFault(.objectNotFound)
        }
        let member = try names.member(named: name, of: rowClass)
        self.projection = try projection.map { projection throws(RequestFault) in
            try names.projection(named: projection, of: rowClass, member)
        }
        self.names = names
        property = ObjectProperty(member, of: rowClass, key: key, row)
    }

    /// Whether it is read page by page.
    package var hasPages: Bool { storage.shape != .single }

    /// Whether its value is bytes, or null.
    package var isData: Bool { storage.element == .data }

    /// Whether its value says nothing of other objects, so that it changes with ``etag`` alone.
    package var isOfItsObjectAlone: Bool { projection == nil || !selection.holdsOtherObjects }

    /// The object's version.
    package var etag: StoreVersion { StoreVersion(epoch: read.epoch, number: property.row.version) }

    /// The bytes of a data property; nil when it is null.
    package var bytes: UnsafeRawBufferPointer? {
        let field = property.rowClass.field(property.member, in: property.row)
        return field.isNull ? nil : field.text(read)
    }

    /// The version of the store that the view shows.
    package func version() throws(RequestFault) -> StoreVersion {
        StoreVersion(
            epoch: read.epoch,
            number: try served.stored { () throws(StoreError) in try read.state().version })
    }

    /// Writes `{"value":…}`.
    package func writeValue(quotesLargeInts: Bool, to buffer: ByteBuffer) throws(RequestFault) {
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        writer.write(property.row, key: property.key, selection)
        try served.stored { () throws(StoreError) in try read.checkFailure() }
    }

    /// Writes a page of the elements or objects that satisfy a query.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a faulty query or cursor, or when storage fails.
    package func writePage(
        _ text: QueryText, quotesLargeInts: Bool, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        let view = PageView(served, read, names, quotesLargeInts: quotesLargeInts)
        return try CollectionPage(text, of: property, projection, in: view).write(to: buffer)
    }

    private var storage: FieldStorage { property.rowClass.members[property.member].storage }

    private var selection: FieldSelection {
        projection?.selection(ofMember: property.member, of: property.rowClass)
            ?? FieldSelection(only: property.member, of: property.rowClass, named: "value")
    }
}
