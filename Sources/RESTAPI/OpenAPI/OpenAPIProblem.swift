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
    case tooManyRequests = 429
    case headersTooLarge = 431
    case internalError = 500
    case serviceUnavailable = 503
    case insufficientStorage = 507

    /// The name of the component.
    var name: String { OpenAPINames.capitalised("\(self)") }
}
