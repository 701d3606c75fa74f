import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads
import Synchronization

/// Counts tries to sign in: ten a minute for a login, and ten for an address. Those that succeed don't count, so that an office
/// behind one address can sign in. Thread-safe.
final class SignInTries: Sendable {
    /// One that was counted.
    struct Attempt: Sendable {
        fileprivate let keys: [Key]
        fileprivate let time: UInt64
    }

    fileprivate enum Key: Hashable {
        case login(String)
        case address(ClientKey)
    }

    private struct State {
        /// When the last minute's tries were, in milliseconds, the oldest first.
        var tries: [Key: [UInt64]] = [:]
        /// The number of logins and addresses at which those without a try in the last minute are forgotten.
        var sweepCount = 1024
    }

    /// How many there may be in a minute.
    static let countMax = 10
    private static let minute: UInt64 = 60_000

    private let state = Mutex(State())

    /// Counts a try.
    ///
    /// - `login`: The login in any case; nil for what is tried without one.
    /// - Throws: ``RequestFault`` `.tooOften` where it is one too many; it is not counted then.
    func begin(
        login: String?, address: ClientKey, at now: UInt64 = monotonicMilliseconds()
    ) throws(RequestFault) -> Attempt {
        let keys = [.address(address)] + (login.map { [Key.login($0.lowercased())] } ?? [])
        let oldest = state.withLock { state -> UInt64? in
            for key in keys {
                state.tries[key]?.removeAll { $0 + Self.minute <= now }
                if let tries = state.tries[key], tries.count >= Self.countMax { return tries[0] }
            }
            for key in keys { state.tries[key, default: []].append(now) }
            if state.tries.count > state.sweepCount {
                state.tries = state.tries.filter {
                    $0.value.last.map { $0 + Self.minute > now } ?? false
                }
                state.sweepCount = max(1024, 2 * state.tries.count)
            }
            return nil
        }
        guard let oldest else { return Attempt(keys: keys, time: now) }
        throw RequestFault(
            .tooOften, "too-many-tries",
            "There were \(Self.countMax) tries within a minute for this login or from this address.",
            retryAfterSeconds: Int((oldest + Self.minute - now + 999) / 1000))
    }

    /// Has a try that succeeded not count.
    func giveBack(_ attempt: Attempt) {
        state.withLock { state in
            for key in attempt.keys {
                guard let index = state.tries[key]?.firstIndex(of: attempt.time) else { continue }
                state.tries[key]?.remove(at: index)
            }
        }
    }

    /// Forgets the tries of a login, whose password is another one by now.
    func forget(login: String) {
        state.withLock { $0.tries[.login(login.lowercased())] = nil }
    }

    /// The number of logins and addresses that are known.
    var count: Int { state.withLock { $0.tries.count } }
}
