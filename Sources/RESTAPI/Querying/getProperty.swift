import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    private static let valueParameters: [StaticString] = ["minVersion", "projection"]

    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}`: one value, or a page of a
    /// collection or inverse link; `projection` shows the objects that it holds.
    func getProperty(_ request: Request) throws(RequestFault) -> Outcome {
        let minimum = try minVersion(request)
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let projection = request[query: "projection"]?.string
        return try whenAtVersion(minimum) {
            self.answerReading { read throws(RequestFault) in
                try self.propertyReply(request, text, preferences, projection, read)
            }
        }
    }

    private func propertyReply(
        _ request: Request, _ text: QueryText, _ preferences: Preferences,
        _ projection: String?, _ read: ReadTransaction
    ) throws(RequestFault) -> Response {
        let property = try PropertyRead(
            UnsafeRawBufferPointer(request.parameter(2).bytes), of: ObjectAddress(request, .path),
            shownBy: projection, in: read, served)
        let quotesLargeInts = preferences.quotesLargeInts
        guard property.hasPages else {
            try request.checkParameters(known: Self.valueParameters)
            return try valueReply(request, property, quotesLargeInts: quotesLargeInts)
        }
        try request.requireAccepted("application/json")
        let buffer = ByteBuffer(capacity: 1024)
        let page = try property.writePage(text, quotesLargeInts: quotesLargeInts, to: buffer)
        var response = response(page, buffer, nextAt: request)
        response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        return response
    }

    /// `{"value":…}`, or the bytes of a data property for a client that asks for them.
    private func valueReply(
        _ request: Request, _ property: PropertyRead, quotesLargeInts: Bool
    ) throws(RequestFault) -> Response {
        let version = try property.version()
        var response: Response
        if property.isOfItsObjectAlone,
            let tags = try EntityTags.read(.ifNoneMatch, of: request),
            tags.matchesWeakly(property.etag.description)
        {
            response = Response(304)
        } else if property.isData,
            try request.accepted(of: ["application/json", "application/octet-stream"])[0] == 1
        {
            guard let bytes = property.bytes else { throw RequestFault.noBytes }
            response = Response(200, .bytes, HTTPServer.Bytes(copying: bytes))
        } else {
            try request.requireAccepted("application/json")
            let buffer = ByteBuffer(capacity: 256)
            try property.writeValue(quotesLargeInts: quotesLargeInts, to: buffer)
            let (base, count) = buffer.takeStorage()
            response = Response(200, .json, HTTPServer.Bytes(adopting: base, count: count))
            response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        }
        if property.isData { response.headers.add(.vary, "Accept" as StaticString) }
        response.headers.addETag(property.etag)
        response.headers.addStoreVersion(version)
        return response
    }
}

extension RequestFault {
    /// A data property is null where its bytes were asked for.
    static let noBytes = RequestFault(
        .notFound, "value-is-null",
        "The property is null and has no bytes; ask for application/json.")
}
