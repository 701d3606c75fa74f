import Testing

extension Optional<ExitTest.Result> {
    /// What a process that ended wrote to standard error.
    var message: String { String(decoding: self?.standardErrorContent ?? [], as: UTF8.self) }
}
