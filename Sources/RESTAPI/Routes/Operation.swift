import HoldfastAccess
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastStoreService

/// An operation of the contract. This is the one place for its route, its right, its parameters
/// and its replies. Routes, rights, the check of parameters, and the operations of the store's own document
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
    private(set) var takesJSON: Bool
    private(set) var takesPatch: Bool
    /// Whether users may ask for it. An operation that does not say so is refused to them.
    private(set) var users = Users.none
    /// A bound of the body below the service's, with the next step after a larger body.
    private var bodyBound: (byteCount: Int, advice: String)?
    /// The names of the parameters in the query, for the check of each request.
    private let known: [StaticString]
    private let repeatable: [StaticString]
    private let refused: [RefusedHeader]

    init(
        _ method: Method, _ path: String, _ id: String, _ right: Right?, _ parameters: [Parameter],
        _ problems: [OpenAPIProblem], isEndless: Bool = false, answer: Answer
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
        /// No users.
        case none
        /// Each, where there is an access document: it answers as that decides.
        case byDocument
        /// Every user.
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

    /// The same operation with a body that need not be JSON. Its handler checks the type.
    func withAnyBody() -> Operation {
        var copy = self
        copy.takesJSON = false
        return copy
    }

    /// The same operation with a smaller body than the service's limit.
    ///
    /// - `advice`: The next step after a larger body, as a sentence.
    func withBody(upTo byteCount: Int, _ advice: String) -> Operation {
        var copy = self
        copy.bodyBound = (byteCount, advice)
        return copy
    }

    /// The largest body of a client that has not identified itself, in bytes.
    static let anyoneByteCountMax = 16 << 10

    static func named(_ id: String) -> Operation? { all.first { $0.id == id } }

    /// Whether the decoded segments of a path lead to it.
    func isAt(_ segments: [String]) -> Bool {
        let pattern = path.split(separator: "/")
        return pattern.count == segments.count
            && zip(pattern, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    /// The operation's route in a service. Parameters and headers that it does not know are refused
    /// before its handler runs. Without such parameters that costs nothing.
    package func route(_ service: RESTService) -> Route {
        switch answer {
        case .handler(let make):
            let handler = make(service)
            let hasBody = method == .post || method == .put || method == .patch
            return Route(
                method, path, id, body: hasBody ? .buffered : .none, answersHead: !isEndless,
                isForReading: method == .get || right == .read,
                bodyByteCountMax: users == .anyone
                    ? Self.anyoneByteCountMax : bodyBound?.byteCount ?? .max,
                bodyAdvice: bodyBound?.advice ?? ""
            ) { request in
                do throws(RequestFault) {
                    if request.hasQuery || !refused.isEmpty { try check(request, service) }
                    return try handler(request)
                } catch { return .respond(service.response(error, to: request.grant)) }
            }
        case .upload(let make):
            let start = make(service)
            return Route(method, path, id) { request, upload in
                do throws(RequestFault) {
                    try check(request, service)
                    return try start(request, upload)
                } catch { return .refuse(service.response(error, to: request.grant)) }
            }
        }
    }

    /// Refuses parameters and headers that the operation does not know, or parameters that stand too often.
    private func check(_ request: Request, _ service: RESTService) throws(RequestFault) {
        do throws(RequestFault) {
            try request.checkParameters(known: known, repeatable: repeatable)
        } catch { throw parameterFault(error, of: request, service) ?? error }
        for header in refused where request.header(header.name) != nil {
            throw .header(header.name.text, header.detail)
        }
    }
}

extension Operation {
    /// The fault of a parameter of other services that has another form here; nil for any other.
    ///
    /// Other services filter by a property's name, and use `lastEventId` in place of the header if a browser's
    /// EventSource is replaced.
    func parameterFault(
        _ fault: RequestFault, of request: Request, _ service: RESTService
    ) -> RequestFault? {
        guard fault.code == "unknown-parameter", let name = fault.errors.first?.parameter else {
            return nil
        }
        let taken = parameters.map(\.name.description)
        let other: (detail: String, hint: String)
        if taken.contains("since"), ["lasteventid", "last-event-id"].contains(name.lowercased()) {
            other = (
                "'\(name)' is the header Last-Event-ID; in the URL, send the event's id as 'since'.",
                "since"
            )
        } else if taken.contains("filter"), path.hasPrefix("/v1/classes/{class}"),
            let definition = try? service.rows(for: request).definition.objectClass(
                named: request.parameter(0).string),
            let property = definition.properties.first(where: { $0.name == name })
        {
            let argument = property.isText ? "text" : "arg"
            other = (
                "'\(name)' is a property, not a parameter; a filter finds objects by it: "
                    + "filter=\(name) == $0&\(argument)=…, percent-encoded.", "filter"
            )
        } else {
            return nil
        }
        return .single(.malformed, fault.code, other.detail, parameter: name, hint: other.hint)
    }
}

extension Property {
    /// Whether a plain text is read in the form of its values.
    fileprivate var isText: Bool {
        switch scalar {
        case .bool, .int, .int8, .int16, .int32, .int64, .float, .double, .mixed, nil: false
        default: true
        }
    }
}

/// A header that would change the meaning of a request: an operation that does not take it refuses it, so that nothing
/// is done that was not meant.
struct RefusedHeader: Sendable {
    let name: HeaderName
    /// The methods of the operations that refuse it.
    private let methods: [Method]
    /// The cause and the next step.
    let detail: String

    /// Returns the headers that an operation refuses.
    ///
    /// - `taken`: The names of the headers that it takes.
    static func all(of method: Method, taken: [String]) -> [RefusedHeader] {
        all.filter { $0.methods.contains(method) && !taken.contains($0.name.text.description) }
    }

    private static let all = [
        // `If-None-Match` on a read only saves the reply, so that ignoring it is harmless.
        RefusedHeader(
            name: .ifMatch, methods: [.get, .put, .post, .patch, .delete],
            detail: condition("If-Match")),
        RefusedHeader(
            name: .ifNoneMatch, methods: [.put, .post, .patch, .delete],
            detail: condition("If-None-Match")),
        // PUT and DELETE can be repeated as they are.
        RefusedHeader(
            name: .idempotencyKey, methods: [.post, .patch],
            detail:
                "This operation takes no Idempotency-Key: its reply is not stored. Nothing was done; leave it "
                + "out. (An import can be repeated with mode=merge, replace or ignore.)"),
        // RFC 9110, section 14.5.
        RefusedHeader(
            name: .contentRange, methods: [.put, .post, .patch],
            detail:
                "Content-Range says that the body is a part, but this operation needs the whole. So "
                + "nothing was done; send all of it without Content-Range. (PATCH changes parts.)"),
    ]

    private static func condition(_ name: String) -> String {
        "This operation takes no \(name), so nothing was done; leave it out. (An operation of a transaction has an "
            + "'ifMatch' of its own.)"
    }
}
