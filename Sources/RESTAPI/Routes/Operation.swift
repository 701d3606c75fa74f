import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastStoreService

/// An operation of the contract: the one place that says where it is, who may ask for it, and what it takes
/// and answers. Routes, rights, the check of parameters, and the operations of the store's own document
/// derive from it; a test compares it with `openapi.yaml`.
package struct Operation: Sendable {
    /// Answers a request; a fault that it throws is its reply.
    typealias Handler = @Sendable (Request) throws(RequestFault) -> Outcome
    /// Starts to take a body; a fault that it throws is the reply.
    typealias UploadHandler = @Sendable (Request, Upload) throws(RequestFault) -> UploadStart

    /// The handler.
    enum Answer: Sendable {
        /// A request without a body, or with one that is collected.
        case handler(@Sendable (RESTService) -> Handler)
        /// A body that is taken while it comes in.
        case upload(@Sendable (RESTService) -> UploadHandler)
    }

    /// The id in the contract, such as `getObject`.
    package let id: String
    let method: Method
    /// The path as a route's pattern.
    package let path: String
    /// The right that it needs; nil when it is open to everybody.
    package let right: Right?
    /// The parameters beside the path and the body.
    let parameters: [Parameter]
    /// The problems that it may answer.
    let problems: [OpenAPIProblem]
    /// Whether it is a GET without HEAD, because it may not end.
    let isEndless: Bool
    let answer: Answer
    /// Whether its body is JSON.
    let takesJSON: Bool
    /// Whether its body may be a patch.
    private(set) var takesPatch: Bool
    /// Whether users may ask for it. An operation that does not say so is refused to them.
    private(set) var users = Users.none
    /// The names of the parameters in the query, for the check of each request.
    private let known: [StaticString]
    private let repeatable: [StaticString]
    private let refused: [RefusedHeader]

    init(
        _ method: Method, _ path: String, _ id: String, _ right: Right?,
        _ parameters: [Parameter], _ problems: [OpenAPIProblem], isEndless: Bool = false,
        answer: Answer
    ) {
        self.method = method
        self.path = path
        self.id = id
        self.right = right
        self.parameters = parameters
        self.problems = problems
        self.isEndless = isEndless
        self.answer = answer
        // The sink of an upload checks its type itself.
        if case .handler = answer {
            takesJSON = problems.contains(.unsupportedMediaType)
        } else {
            takesJSON = false
        }
        takesPatch = method == .patch
        let inQuery = parameters.filter { $0.location == .query }
        known = inQuery.map(\.name)
        repeatable = inQuery.filter(\.isRepeatable).map(\.name)
        let taken = parameters.filter { $0.location == .header }.map(\.name.description)
        refused = RefusedHeader.all(of: method, taken: taken)
    }

    /// An operation that a handler answers.
    init(
        _ method: Method, _ path: String, _ id: String, _ right: Right?,
        _ parameters: [Parameter], _ problems: [OpenAPIProblem], isEndless: Bool = false,
        _ handler: @escaping @Sendable (RESTService) -> Handler
    ) {
        self.init(
            method, path, id, right, parameters, problems, isEndless: isEndless,
            answer: .handler(handler))
    }

    /// A handler that is told one thing more than the request, the same at each.
    static func with<Value: Sendable>(
        _ value: Value,
        _ handler:
            @escaping @Sendable (RESTService) ->
            @Sendable (Request, Value) throws(RequestFault) -> Outcome
    ) -> @Sendable (RESTService) -> Handler {
        { service in
            let answer = handler(service)
            return { request throws(RequestFault) in try answer(request, value) }
        }
    }

    /// An operation that takes no parameters.
    init(
        _ method: Method, _ path: String, _ id: String, _ right: Right?,
        _ problems: [OpenAPIProblem], _ handler: @escaping @Sendable (RESTService) -> Handler
    ) {
        self.init(method, path, id, right, [], problems, handler)
    }

    /// Which users may ask for an operation.
    enum Users {
        /// None.
        case none
        /// Each, where there is an access document: it answers as that decides.
        case byDocument
        /// Each, whatever else they may do.
        case all
        /// Everybody, without a token too.
        case anyone
    }

    /// The same operation, which users may ask for, too.
    func forUsers(_ users: Users = .byDocument) -> Operation {
        var copy = self
        copy.users = users
        return copy
    }

    /// The same operation without patches as its body.
    func withoutPatches() -> Operation {
        var copy = self
        copy.takesPatch = false
        return copy
    }

    /// The most bytes of a body that anybody may send who has not said who they are.
    static let anyoneByteCountMax = 16 << 10

    /// The operation of an id.
    static func named(_ id: String) -> Operation? { all.first { $0.id == id } }

    /// Whether the decoded segments of a path lead to it.
    func isAt(_ segments: [String]) -> Bool {
        let pattern = path.split(separator: "/")
        return pattern.count == segments.count
            && zip(pattern, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The operation's route in a service. Parameters and headers that it does not know are refused
    /// before its handler runs; that costs nothing where there are none.
    package func route(_ service: RESTService) -> Route {
        switch answer {
        case .handler(let make):
            let handler = make(service)
            let hasBody = method == .post || method == .put || method == .patch
            return Route(
                method, path, id, body: hasBody ? .buffered : .none, answersHead: !isEndless,
                isForReading: method == .get || right == .read,
                bodyByteCountMax: users == .anyone ? Self.anyoneByteCountMax : .max
            ) { request in
                do throws(RequestFault) {
                    if request.hasQuery || !refused.isEmpty { try check(request, service) }
                    return try handler(request)
                } catch {
                    return .respond(service.response(error, to: request.grant))
                }
            }
        case .upload(let make):
            let start = make(service)
            return Route(method, path, id) { request, upload in
                do throws(RequestFault) {
                    try check(request, service)
                    return try start(request, upload)
                } catch {
                    return .refuse(service.response(error, to: request.grant))
                }
            }
        }
    }

    /// Refuses parameters and headers that the operation does not know, or parameters that stand too often.
    private func check(_ request: Request, _ service: RESTService) throws(RequestFault) {
        do throws(RequestFault) {
            try request.checkParameters(known: known, repeatable: repeatable)
        } catch {
            throw parameterFault(error, of: request, service) ?? error
        }
        for header in refused where request.header(header.name) != nil {
            throw .header(header.name.text, header.detail)
        }
    }
}
