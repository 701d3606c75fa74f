import HoldfastObjectJSON

extension RequestFault.Kind {
    /// The HTTP status of a fault (RFC 9110, section 15; RFC 4918 for 507). The only place where a
    /// fault becomes a status; no `default`, so that a new kind needs a choice.
    var status: UInt16 {
        switch self {
        case .malformed: 400
        case .unauthenticated: 401
        case .forbidden: 403
        case .notFound: 404
        case .unsupportedOperation: 405
        case .notAcceptable: 406
        case .tooSlow: 408
        case .conflict: 409
        case .expired: 410
        case .preconditionFailed: 412
        case .tooLarge: 413
        case .unsupportedMediaType, .unsupportedPatchType: 415
        case .misdirected: 421
        case .invalid: 422
        case .tooOften: 429
        case .failed: 500
        case .unavailable: 503
        case .storageFull: 507
        }
    }
}
