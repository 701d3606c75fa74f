// The replies that many operations have in common when they can't be done.
extension [OpenAPIProblem] {
    /// The problems of operations that are open to every client.
    static let open: Self = [
        .badRequest, .requestTimeout, .targetTooLong, .headersTooLarge, .internalError,
        .serviceUnavailable,
    ]
    /// The problems of operations that need a right.
    static let guarded: Self =
        open + [.unauthorized, .forbidden, .misdirectedRequest, .tooManyRequests]
    /// The problems of operations that read or follow objects of a class.
    static let reading: Self = guarded + [.notFound, .methodNotAllowed, .notAcceptable, .conflict]
    /// Of a query and its pages.
    static let querying: Self = reading + [.gone, .unprocessableContent]
    /// The problems of operations that write and show the result.
    static let changing: Self =
        reading + [.preconditionFailed, .unprocessableContent, .insufficientStorage]
    /// The problems of operations that write a body.
    static let writing: Self = changing + [.bodyTooLarge, .unsupportedMediaType]
    /// The problems of operations that remove something by its name.
    static let removing: Self =
        guarded + [.notFound, .conflict, .preconditionFailed, .insufficientStorage]
    /// The problems of operations that write the schema.
    static let schema: Self =
        guarded + [
            .conflict, .preconditionFailed, .bodyTooLarge, .unsupportedMediaType,
            .unprocessableContent, .insufficientStorage,
        ]
}
