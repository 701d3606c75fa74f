import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

extension RESTService {
    /// `POST …/query`: a page of a query that is stated in a body.
    func queryObjects(_ request: Request, _ kind: ContainerKind) throws(RequestFault) -> Outcome {
        try reading(request) { () throws(RequestFault) in
            // CSV has no place for the cursor of the next page, and a body has no address with one.
            let forms = try ListForm.read(request, offered: [.json, .geoJSON])
            let preferences = try Preferences(request)
            _ = try BodyType.read(request)
            let text = try QueryText(
                body: self.served.json(
                    request.body, RequestScratch.current.parser, isQuery: true),
                byteCount: request.body.count, within: self.served.limits)
            let page = PageRequest(
                .objects(kind.container(request)), text, forms: forms,
                quotesLargeInts: preferences.quotesLargeInts, for: self.caller(request))
            return try self.answer(request, for: page.caller, cursor: text, page)
        }
    }
}
