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
        var read = PropertyRead(
            RequestBytes(name, of: request), of: ObjectAddress(request, .path), text,
            shownBy: request[query: "projection"]?.string,
            quotesLargeInts: preferences.quotesLargeInts, for: caller(request))
        // Whether these headers are well-formed is checked when the property turns out to have a value.
        read.acceptsJSON = request.accepts("application/json")
        read.prefersBytes = (try? request.accepted(of: Self.dataForms))?.first == 1
        read.known =
            (try? EntityTags.read(.ifNoneMatch, of: request))
            .map { Precondition($0, takingWeak: true) } ?? .none
        return try answer(request, for: read.caller, cursor: text, read)
    }
}

extension RESTService {
    /// The forms of a data property's value.
    fileprivate static let dataForms: [StaticString] = [
        "application/json", "application/octet-stream",
    ]
}

extension PropertyRead: ReadOperation {
    private static let valueParameters: [StaticString] = ["minVersion", "projection", "snapshot"]

    func response(
        to reply: Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        switch reply {
        case .notAccepted: throw .notAccepted(["application/json"])
        case .page(let page, let buffer):
            var response = Response(page: page, buffer, nextAt: request)
            response.headers.addApplied(quotesLargeInts: quotesLargeInts)
            return response
        case .value(let value): return try response(to: value, request)
        }
    }

    /// `{"value":…}`, or the bytes of a data property for a client that asks for them.
    private func response(to value: Value, _ request: Request) throws(RequestFault) -> Response {
        try request.checkParameters(known: Self.valueParameters)
        if value.isOfItsObjectAlone { _ = try EntityTags.read(.ifNoneMatch, of: request) }
        if !value.isKnown, !acceptsJSON, !(value.isData && prefersBytes) {
            throw .notAccepted(value.isData ? RESTService.dataForms : ["application/json"])
        }
        var response: Response
        switch value.content {
        case .known: response = Response(304)
        case .bytes(let bytes): response = Response(200, .bytes, Bytes(taking: bytes))
        case .null: throw .noBytes
        case .json(let buffer):
            response = Response(200, .json, Bytes(taking: buffer))
            response.headers.addApplied(quotesLargeInts: quotesLargeInts)
        }
        if value.isData { response.headers.add(.vary, "Accept" as StaticString) }
        response.headers.addETag(value.etag)
        response.headers.addStoreVersion(value.version)
        return response
    }
}

extension RequestFault {
    /// A data property is null where its bytes were asked for.
    static let noBytes = RequestFault(
        .notFound, "value-is-null",
        "The property is null and has no bytes; ask for application/json.")
}
