extension RequestFault {
    /// The kinds of faults, by the client's next step. The code that answers switches over all of them.
    package enum Kind: Sendable {
        /// The request can't be understood: its syntax, a parameter, a query.
        case malformed
        /// The request needs a token, or has one that is not known.
        case unauthenticated
        /// The client may not do this.
        case forbidden
        /// There is no such class, object, element or projection.
        case notFound
        /// The class, or the collection, is of a kind that has no such operation.
        case unsupportedOperation
        /// None of the forms that the client reads can hold the result.
        case notAcceptable
        /// The store's present state does not allow it: a key or value that is taken, another revision.
        case conflict
        /// The state that the request continues from is no longer kept.
        case expired
        /// The object is not in the state that the request asks for.
        case preconditionFailed
        /// The request's body comes too slowly.
        case tooSlow
        /// The request has more bytes than are taken.
        case tooLarge
        /// The body is of a media type that is not read.
        case unsupportedMediaType
        /// The body is of a media type that is no patch here.
        case unsupportedPatchType
        /// The request is for another service.
        case misdirected
        /// The request is well-formed, but what it says breaks the schema, a rule or a limit.
        case invalid
        /// Something inside failed; the log has the reason.
        case failed
        /// The client asks too often.
        case tooOften
        /// It can't be done now: too much to do, too slow, or about to stop. Trying again makes sense.
        case unavailable
        /// There is no room in the store.
        case storageFull

        /// Whether the request itself is at fault, so that repeating it as it is leads to the same.
        package var isOfRequest: Bool {
            switch self {
            case .failed, .tooOften, .unavailable, .storageFull: false
            case .malformed, .unauthenticated, .forbidden, .notFound, .unsupportedOperation,
                .notAcceptable, .conflict, .expired, .preconditionFailed, .tooSlow, .tooLarge,
                .unsupportedMediaType, .unsupportedPatchType, .misdirected, .invalid:
                true
            }
        }
    }
}
