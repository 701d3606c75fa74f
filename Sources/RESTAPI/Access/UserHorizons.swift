import HoldfastHTTPServer
import HoldfastStoreService

/// The horizons of users: of those whom the store bars, and of all who have grants. One thread at a time.
struct UserHorizons {
    private struct Known {
        var horizon: GrantHorizon
        var isBarred: Bool
    }

    /// By the bytes of their ids: texts that are equal to Swift may be two users.
    private var known: [[UInt8]: Known] = [:]
    /// The number of users at which those who have no grant any more are forgotten.
    private var sweepCount = 1024

    /// The horizons of those whom the store bars.
    init(_ barred: [UserAccess]) {
        for user in barred { set(user) }
    }

    /// The one horizon of a user, for as long as somebody holds it.
    mutating func horizon(of id: String) -> GrantHorizon {
        let id = Array(id.utf8)
        if let horizon = known[id]?.horizon { return horizon }
        if known.count >= sweepCount { sweep() }
        let horizon = GrantHorizon()
        known[id] = Known(horizon: horizon, isBarred: false)
        return horizon
    }

    /// Moves the horizon of a user.
    mutating func set(_ user: UserAccess) {
        let horizon = horizon(of: user.id)
        horizon.move(to: user.horizon)
        known[Array(user.id.utf8)] = Known(horizon: horizon, isBarred: user.horizon != .min)
    }

    /// How many users are known.
    var count: Int { known.count }

    private mutating func sweep() {
        var kept: [[UInt8]: Known] = [:]
        for id in Array(known.keys) {
            guard var user = known.removeValue(forKey: id) else { continue }
            if user.isBarred || !isKnownUniquelyReferenced(&user.horizon) { kept[id] = user }
        }
        known = kept
        sweepCount = max(1024, 2 * known.count)
    }
}
