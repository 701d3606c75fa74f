import Bytes
import HTTPServer
import ObjectJSON
import ObjectStore
import StoreService

extension RESTService {
    private static let valueParameters: [StaticString] = ["minVersion", "projection", "snapshot"]

    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}`: one value, or a page of a
    /// collection or inverse link; `projection` shows the objects that it holds.
    func getProperty(_ request: Request) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let projection = request[query: "projection"]?.string
        return try whenReadable(request, cursor: text) { pin throws(RequestFault) in
            self.answerReading(of: pin) { read throws(RequestFault) in
                let property = try PropertyRead(
                    UnsafeRawBufferPointer(request.parameter(2).bytes),
                    of: ObjectAddress(request, .path), shownBy: projection, in: read, self.served)
                let response =
                    property.hasPages
                    ? try self.pageReply(request, property, text, preferences, pin)
                    : try self.valueReply(request, property, preferences)
                return try response.under(pin, self.served)
            }
        }
    }

    private func pageReply(
        _ request: Request, _ property: PropertyRead, _ text: QueryText,
        _ preferences: Preferences, _ pin: SnapshotPin?
    ) throws(RequestFault) -> Response {
        try request.requireAccepted("application/json")
        let quotesLargeInts = preferences.quotesLargeInts
        let buffer = ByteBuffer(capacity: 1024)
        let page = try property.writePage(
            text, quotesLargeInts: quotesLargeInts, under: pin, to: buffer)
        var response = response(page, buffer, nextAt: request)
        response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        return response
    }

    /// `{"value":…}`, or the bytes of a data property for a client that asks for them.
    private func valueReply(
        _ request: Request, _ property: PropertyRead, _ preferences: Preferences
    ) throws(RequestFault) -> Response {
        try request.checkParameters(known: Self.valueParameters)
        let quotesLargeInts = preferences.quotesLargeInts
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
