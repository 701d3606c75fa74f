import HoldfastBytes
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

extension RESTService {
    /// `GET /v1/classes/{class}/objects/{id}/properties/{property}`: one value, or a page of a
    /// collection or inverse link; `projection` shows the objects that it holds.
    func getProperty(_ request: Request) throws(RequestFault) -> Outcome {
        let preferences = try Preferences(request)
        let text = try QueryText(request, parser: RequestScratch.current.parser)
        let name = UnsafeRawBufferPointer(request.parameter(2).bytes)
        let read = PropertyRead(
            RequestBytes(name, of: request), of: ObjectAddress(request, .path), text,
            shownBy: request[query: "projection"]?.string,
            quotesLargeInts: preferences.quotesLargeInts, for: caller(request))
        return try answer(request, for: read.caller, cursor: text, read)
    }
}

extension PropertyRead: ReadOperation {
    private static let valueParameters: [StaticString] = ["minVersion", "projection", "snapshot"]

    func response(
        to property: FoundProperty, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        property.hasPages
            ? try pageResponse(to: property, request) : try valueResponse(to: property, request)
    }

    private func pageResponse(
        to property: FoundProperty, _ request: Request
    ) throws(RequestFault) -> Response {
        try request.requireAccepted("application/json")
        let buffer = ByteBuffer(capacity: 1024)
        let page = try property.writePage(to: buffer)
        var response = Response(page: page, buffer, nextAt: request)
        response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        return response
    }

    /// `{"value":…}`, or the bytes of a data property for a client that asks for them.
    private func valueResponse(
        to property: FoundProperty, _ request: Request
    ) throws(RequestFault) -> Response {
        try request.checkParameters(known: Self.valueParameters)
        let version = try property.version()
        var response: Response
        if property.isOfItsObjectAlone,
            property.isKnown(
                by: Precondition(
                    try EntityTags.read(.ifNoneMatch, of: request), takingWeak: true))
        {
            response = Response(304)
        } else if property.isData,
            try request.accepted(of: ["application/json", "application/octet-stream"])[0] == 1
        {
            guard let bytes = property.bytes else { throw RequestFault.noBytes }
            response = Response(200, .bytes, Bytes(copying: bytes))
        } else {
            try request.requireAccepted("application/json")
            let buffer = ByteBuffer(capacity: 256)
            try property.writeValue(to: buffer)
            response = Response(200, .json, Bytes(taking: buffer))
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
