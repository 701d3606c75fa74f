// The replies that many operations have in common when they can't be done.
extension [OpenAPIProblem] {
    /// Of what is open to everybody.
    static let open: Self = [
        .badRequest, .requestTimeout, .targetTooLong, .headersTooLarge, .internalError,
        .serviceUnavailable,
    ]
    /// Of what needs a right.
    static let guarded: Self =
        open + [.unauthorized, .forbidden, .misdirectedRequest, .tooManyRequests]
    /// Of what reads or follows objects of a class.
    static let reading: Self = guarded + [.notFound, .methodNotAllowed, .notAcceptable, .conflict]
    /// Of a query and its pages.
    static let querying: Self = reading + [.gone, .unprocessableContent]
    /// Of what writes and shows what it has written.
    static let changing: Self =
        reading + [.preconditionFailed, .unprocessableContent, .insufficientStorage]
    /// Of what writes what a body states.
    static let writing: Self = changing + [.bodyTooLarge, .unsupportedMediaType]
    /// Of what removes something by its name.
    static let removing: Self =
        guarded + [.notFound, .conflict, .preconditionFailed, .insufficientStorage]
    /// Of what writes the schema.
    static let schema: Self =
        guarded + [
            .conflict, .preconditionFailed, .bodyTooLarge, .unsupportedMediaType,
            .unprocessableContent, .insufficientStorage,
        ]
}
