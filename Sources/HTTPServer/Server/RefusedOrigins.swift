import Synchronization

/// The origins whose pages were not let read a reply: each is told to the log once, as far as they are remembered.
/// Thread-safe.
final class RefusedOrigins: Sendable {
    private let logger: Logger
    private let told = Mutex<Set<String>>([])

    /// So many are remembered and told.
    private static let countMax = 100
    private static let byteCountMax = 256

    init(_ logger: Logger) { self.logger = logger }

    /// Notes the origin of a refused page. Cost: a lock, and for a new one a line of the log.
    func note(_ origin: String) {
        guard origin.utf8.count <= Self.byteCountMax,
            told.withLock({ $0.count < Self.countMax && $0.insert(origin).inserted })
        else { return }
        logger.log(
            .warning,
            "a page of another origin may not read a reply: --cors-origin names origins whose pages may; where it "
                + "names none and the store has tokens, any page may that sends one",
            ("origin", .text(origin)))
    }
}
