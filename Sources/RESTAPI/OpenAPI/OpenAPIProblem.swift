/// A reply to what can't be done, by its status.
enum OpenAPIProblem: UInt16, CaseIterable {
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case notAcceptable = 406
    case requestTimeout = 408
    case conflict = 409
    case gone = 410
    case preconditionFailed = 412
    case bodyTooLarge = 413
    case targetTooLong = 414
    case unsupportedMediaType = 415
    case misdirectedRequest = 421
    case unprocessableContent = 422
    case headersTooLarge = 431
    case internalError = 500
    case serviceUnavailable = 503
    case insufficientStorage = 507

    /// The name of the component.
    var name: String { OpenAPINames.capitalised("\(self)") }

    /// When it is the reply.
    var summary: StaticString {
        switch self {
        case .badRequest: "Malformed: JSON, a query, a parameter, a header or a key."
        case .unauthorized: "The service needs a token, or does not know this one."
        case .forbidden:
            "The token's right is not enough, or a page of another origin wants to change something."
        case .notFound: "There is no such object."
        case .methodNotAllowed: "The class does not have this operation any more."
        case .notAcceptable: "No media type of this operation is among those that `Accept` names."
        case .requestTimeout: "The request did not come to its end in time."
        case .conflict: "The present state does not allow it."
        case .gone: "The cursor is too old, or of another epoch. Begin again without it."
        case .preconditionFailed:
            "The precondition does not hold; `current` is the object as it is."
        case .bodyTooLarge: "The body is larger than the operation takes."
        case .targetTooLong: "The request target is too long; send the query as a body."
        case .unsupportedMediaType:
            "The operation does not read this media type or content encoding."
        case .misdirectedRequest: "Without tokens the service answers only under loopback's names."
        case .unprocessableContent:
            "Not allowed by the schema or a limit; `errors` has every fault with its pointer."
        case .headersTooLarge: "The request line and headers are too large."
        case .internalError: "Never on purpose. The log has the reason, under the request's id."
        case .serviceUnavailable: "Not now; try again after `Retry-After`."
        case .insufficientStorage: "There is no space left. Nothing was changed, and reads go on."
        }
    }
}
