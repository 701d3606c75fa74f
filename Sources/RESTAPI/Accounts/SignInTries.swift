import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastThreads

/// Counts tries to sign in that failed: so many a minute for a login, and as many for an address. Thread-safe.
///
/// Tries that succeed don't count, so that any number of people in an office behind one address can sign in at once.
/// Tries under way count until they end, so that tries at the same time can't exceed the limit either.
final class SignInTries: Sendable {
    /// The subject that a try counts for.
    struct Subject: Sendable {
        fileprivate let keys: [Key]
        fileprivate let isCountedAlways: Bool

        /// Describes tries.
        ///
        /// - Parameters:
        ///   - login: The login in any case; nil for a try without a login.
        ///   - address: The client's address.
        ///   - isCountedAlways: Whether tries that succeed count, too.
        init(login: String?, address: ClientKey, isCountedAlways: Bool = false) {
            keys = [.address(address)] + (login.map { [Key.login($0.lowercased())] } ?? [])
            self.isCountedAlways = isCountedAlways
        }
    }

    fileprivate enum Key: Hashable {
        case login(String)
        case address(ClientKey)
    }

    private struct State {
        let countMax: Int
        /// The times of the last minute's tries, in milliseconds.
        var tries: [Key: [UInt64]] = [:]
        /// The numbers of tries under way.
        var running: [Key: Int] = [:]
        /// The number of logins and addresses at which entries without a try in the last minute are removed.
        var sweepCount = 1024

        /// The time of the first of too many tries; nil below the limit.
        mutating func oldest(of keys: [Key], at now: UInt64) -> UInt64? {
            for key in keys {
                tries[key]?.removeAll { $0 + minute <= now }
                if let times = tries[key], times.count >= countMax { return times.min() }
            }
            return nil
        }

        /// Whether one more try could exceed the limit.
        func isFull(of keys: [Key]) -> Bool {
            keys.contains { (tries[$0]?.count ?? 0) + (running[$0] ?? 0) >= countMax }
        }

        mutating func note(_ keys: [Key], at now: UInt64) {
            for key in keys { tries[key, default: []].append(now) }
            guard tries.count > sweepCount else { return }
            tries = tries.filter { $0.value.contains { $0 + minute > now } }
            sweepCount = max(1024, 2 * tries.count)
        }
    }

    private static let minute: UInt64 = 60_000

    private let countMax: Int
    private let state: Monitor<State>

    /// - `countMax`: The maximum number of failed tries in a minute.
    init(countMax: Int = 10) {
        self.countMax = countMax
        state = Monitor(State(countMax: countMax))
    }

    /// Refuses a try that would exceed the limit.
    ///
    /// - Throws: ``RequestFault`` `.tooOften`.
    func check(_ subject: Subject, at now: UInt64 = monotonicMilliseconds()) throws(RequestFault) {
        if let oldest = state.withLock({ $0.oldest(of: subject.keys, at: now) }) {
            throw tooMany(since: oldest, at: now)
        }
    }

    /// Runs a try, and counts it unless it succeeds or fails because a resource is unavailable. Waits as long as
    /// tries under way decide whether this try exceeds the limit.
    ///
    /// - Throws: ``RequestFault`` `.tooOften` if it does; errors of `body`.
    func run<Result>(
        _ subject: Subject, at now: UInt64 = monotonicMilliseconds(),
        _ body: () throws(RequestFault) -> Result
    ) throws(RequestFault) -> Result {
        let oldest = state.wait { state -> UInt64?? in
            if let oldest = state.oldest(of: subject.keys, at: now) { return .some(oldest) }
            if state.isFull(of: subject.keys) { return nil }
            for key in subject.keys { state.running[key, default: 0] += 1 }
            return .some(nil)
        }
        if let oldest { throw tooMany(since: oldest, at: now) }
        do throws(RequestFault) {
            let result = try body()
            end(subject, isCounted: subject.isCountedAlways, at: now)
            return result
        } catch {
            end(subject, isCounted: error.kind != .unavailable, at: now)
            throw error
        }
    }

    private func end(_ subject: Subject, isCounted: Bool, at now: UInt64) {
        state.update { state in
            for key in subject.keys {
                let left = (state.running[key] ?? 0) - 1
                state.running[key] = left > 0 ? left : nil
            }
            if isCounted { state.note(subject.keys, at: now) }
        }
    }

    private func tooMany(since oldest: UInt64, at now: UInt64) -> RequestFault {
        RequestFault(
            .tooOften, "too-many-tries",
            "There were \(countMax) tries within a minute for this login or from this address.",
            retryAfterSeconds: Int((oldest + Self.minute - now + 999) / 1000))
    }

    /// Removes the tries of a login after its password was changed.
    func forget(login: String) { state.update { $0.tries[.login(login.lowercased())] = nil } }

    /// The number of logins and addresses that are known.
    var count: Int { state.withLock { $0.tries.count } }
}
