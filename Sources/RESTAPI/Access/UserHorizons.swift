import HoldfastHTTPServer
import HoldfastStoreService

/// The horizons of users, by their numbers: of those whom the store bars, and of all who have grants. One thread at a time.
struct UserHorizons {
    private struct Known {
        var horizon: GrantHorizon
        var isBarred: Bool
    }

    private var known: [UInt64: Known] = [:]
    /// The number of users at which those who have no grant any more are forgotten.
    private var sweepCount = 1024

    /// The horizons of those whom the store bars.
    init(_ barred: [(number: UInt64, UserAccess)]) {
        for (number, user) in barred { set(user, number) }
    }

    /// The one horizon of a user, for as long as somebody holds it.
    mutating func horizon(of number: UInt64) -> GrantHorizon {
        if let horizon = known[number]?.horizon { return horizon }
        if known.count >= sweepCount { sweep() }
        let horizon = GrantHorizon()
        known[number] = Known(horizon: horizon, isBarred: false)
        return horizon
    }

    /// Moves the horizon of a user.
    mutating func set(_ user: UserAccess, _ number: UInt64) {
        let horizon = horizon(of: number)
        horizon.move(to: user.horizon)
        known[number] = Known(horizon: horizon, isBarred: user.horizon != .min)
    }

    /// How many users are known.
    var count: Int { known.count }

    private mutating func sweep() {
        var kept: [UInt64: Known] = [:]
        for number in Array(known.keys) {
            guard var user = known.removeValue(forKey: number) else { continue }
            if user.isBarred || !isKnownUniquelyReferenced(&user.horizon) { kept[number] = user }
        }
        known = kept
        sweepCount = max(1024, 2 * known.count)
    }
}
