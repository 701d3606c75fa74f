import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastStoreService

/// Where a request names its element.
enum ElementSource: Sendable {
    /// Nowhere: it is about the collection.
    case collection
    case path
    /// `…/elements/{element}/{inner*}`: inside a `mixed` value
    case inner
    /// `…/elements?key=<JSON>`
    case parameter
}

extension ElementAddress {
    /// Reads the address of an element from a request.
    init(_ request: Request, _ source: ElementSource) {
        func bytes(_ text: RequestText) -> RequestBytes {
            RequestBytes(UnsafeRawBufferPointer(text.bytes), of: request)
        }
        let element: Element =
            switch source {
            case .collection: .none
            case .path: .path(bytes(request.parameter(3)), [])
            case .inner: .path(bytes(request.parameter(3)), request.rest.map(bytes))
            case .parameter:
                .parameters(
                    key: request[query: "key"].map(bytes), value: request[query: "value"].map(bytes)
                )
            }
        self.init(ObjectAddress(request, .path), bytes(request.parameter(2)), element)
    }
}

extension RESTService {
    /// Answers with one element as `{"value":…}`: `getElement` and `getElementByKey`.
    func readElement(_ request: Request, _ source: ElementSource) throws(RequestFault) -> Outcome {
        try request.requireAccepted("application/json")
        var read = ElementRead(ElementAddress(request, source), for: caller(request))
        read.known = Precondition(try EntityTags.read(.ifNoneMatch, of: request), takingWeak: true)
        read.form = try Preferences(request).form
        return try answer(request, for: read.caller, read)
    }

    /// Takes in a change of one element: `addElement`, `putElement`, `deleteElement` and the same by key.
    func editElement(
        _ request: Request, _ action: ElementWrite.Action, _ source: ElementSource
    ) throws(RequestFault) -> Outcome {
        if action != .delete { _ = try BodyType.read(request) }
        try request.requireAccepted("application/json")
        var write = ElementWrite(
            action, ElementAddress(request, source), request.bodyBytes, for: caller(request),
            in: served)
        write.precondition = try Precondition(request)
        write.form = try Preferences(request).form
        write.place = try request.count("at")
        return try submitWrite(request, write)
    }
}

extension ElementRead: ReadOperation {
    func response(
        to reply: ObjectRead.Reply, _ request: Request, _ service: RESTService
    ) throws(RequestFault) -> Response {
        Response(object: reply, quotesLargeInts: form.quotesLargeInts)
    }
}
