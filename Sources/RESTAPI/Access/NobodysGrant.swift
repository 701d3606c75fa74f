import HoldfastHTTPServer
import HoldfastStoreService
import Synchronization

/// What admits requests without a token where a role is for anyone. Thread-safe.
final class NobodysGrant: Sendable {
    private let present = Mutex(NobodysGrant.make())

    /// The grant, as long as the rules are those of now.
    var grant: Grant { present.withLock { $0 } }

    /// Ends what nobody has begun, because other rules hold for it.
    func end() {
        present.withLock { present in
            present.end(Grant.End.lowered)
            present = Self.make()
        }
    }

    private static func make() -> Grant {
        Grant(isForReading: true, owner: 0, until: .max, bearer: Principal.nobody)
    }
}
