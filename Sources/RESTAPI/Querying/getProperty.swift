import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import Rows
import StoreService
import Text

extension RESTService {
    private static let valueParameters: [StaticString] = ["minVersion", "projection"]
    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}`: one value, or a page of a
    /// collection or inverse link; `projection` shows the objects that it holds.
    func getProperty(_ request: Request) -> Outcome {
        answering { () throws(RequestFault) in
            let all = Parameters(request)
            let minimum = try minVersion(all)
            let preferences = try Preferences(request)
            let text = try QueryText(request, parser: RequestScratch.current.parser)
            let projection = all["projection"]?.string
            return whenAtVersion(minimum) {
                self.answerReading { read throws(RequestFault) in
                    try self.propertyReply(request, text, preferences, projection, read)
                }
            }
        }
    }

    private func propertyReply(
        _ request: Request, _ text: QueryText, _ preferences: Preferences,
        _ projectionName: String?, _ read: ReadTransaction
    ) throws(RequestFault) -> Response {
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let address = ObjectAddress(request, .path)
        let rowClass = try names.objectClass(named: address.container)
        guard let (key, row) = try address.find(of: rowClass, read, scratch, served) else {
            throw RequestFault(.objectNotFound)
        }
        let member = try names.member(
            named: UnsafeRawBufferPointer(request.parameter(2).bytes), of: rowClass)
        let compiled = rowClass.members[member]
        let projection = try projectionName.map { name throws(RequestFault) in
            try names.projection(named: name, of: rowClass, member)
        }
        if compiled.storage.shape == .single {
            try Parameters.check(request, known: Self.valueParameters)
            return try valueReply(
                request, names, read, preferences, rowClass: rowClass, key: key, row: row,
                member: member, projection)
        }
        try request.requireAccepted("application/json")
        let buffer = ByteBuffer(capacity: 1024)
        let view = PageView(
            served, read, names, quotesLargeInts: preferences.quotesLargeInts)
        let page = CollectionPage(
            text, of: ObjectProperty(member, of: rowClass, key: key, row), projection, in: view)
        var response = response(try page.write(to: buffer), buffer, nextAt: request)
        response.headers.addApplied(quotesLargeInts: preferences.quotesLargeInts)
        return response
    }

    /// `{"value":…}`, or the bytes of a data property for a client that asks for them.
    private func valueReply(
        _ request: Request, _ names: SchemaNames, _ read: ReadTransaction,
        _ preferences: Preferences, rowClass: RowClass, key: UInt64, row: RowView, member: Int,
        _ projection: CompiledProjection?
    ) throws(RequestFault) -> Response {
        let version = try served.stored { () throws(StoreError) in try read.state().version }
        let selection =
            projection?.selection(ofMember: member, of: rowClass)
            ?? FieldSelection(only: member, of: rowClass, named: "value")
        let field = rowClass.field(member, in: row)
        let isData = rowClass.members[member].storage.element == .data
        let etag = StoreVersion(epoch: read.epoch, number: row.version)
        var response: Response
        if projection == nil || !selection.holdsOtherObjects,
            let tags = try EntityTags.read(.ifNoneMatch, of: request),
            tags.matchesWeakly(etag.description)
        {
            response = Response(304)
        } else if isData,
            try request.accepted(of: ["application/json", "application/octet-stream"])[0] == 1
        {
            if field.isNull { throw RequestFault.noBytes }
            response = Response(200, .bytes, HTTPServer.Bytes(copying: field.text(read)))
        } else {
            try request.requireAccepted("application/json")
            let buffer = ByteBuffer(capacity: 256)
            var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
            writer.quotesLargeInts = preferences.quotesLargeInts
            writer.write(row, key: key, selection)
            try served.stored { () throws(StoreError) in try read.checkFailure() }
            let (base, count) = buffer.takeStorage()
            response = Response(200, .json, HTTPServer.Bytes(adopting: base, count: count))
            response.headers.addApplied(quotesLargeInts: preferences.quotesLargeInts)
        }
        if isData { response.headers.add(.vary, "Accept" as StaticString) }
        response.headers.addETag(etag)
        response.headers.addStoreVersion(StoreVersion(epoch: read.epoch, number: version))
        return response
    }
}

extension RequestFault {
    /// A data property is null where its bytes were asked for.
    static let noBytes = RequestFault(
        .notFound, "value-is-null",
        "The property is null and has no bytes; ask for application/json.")
}
