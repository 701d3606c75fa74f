import Glibc
import Synchronization

/// The admission of requests, such as a token with a right, for as long as it holds.
///
/// Requests share one. Its issuer ends it; the server, which looks once a second, then ends what it
/// admitted and still goes on: a stream, a reply that waits or is being sent piece by piece. The sink of an upload ends by itself.
/// Thread-safe.
package final class Grant: Sendable {
    /// Why a grant has ended.
    package enum End: UInt8, Sendable {
        /// The token is no longer known.
        case revoked = 1
        /// It is known, and may not do this any more.
        case lowered
    }

    /// Whose requests it admits, by a number of those who admit them; 0 stands for everybody.
    package let owner: UInt64
    /// The issuer's knowledge of the owner. An object, since a request asks some times which kind it is.
    package let bearer: (any AnyObject & Sendable)?
    /// The most bytes of a body that the owner may send.
    let bodyByteCountMax: Int
    /// When it ends by itself, in seconds since 1970; the latest time for never.
    private let end: Atomic<Int64>
    /// When what it is granted for was issued, in seconds since 1970.
    private let issued: Int64
    /// The owner's horizon; nil for one without.
    private let horizon: GrantHorizon?
    private let state = Atomic<UInt8>(0)

    /// A grant that holds until a time, in seconds since 1970, and as long as what it is granted for is not behind a horizon.
    package init(
        owner: UInt64, until end: Int64 = .max, issued: Int64 = .max,
        horizon: GrantHorizon? = nil, bearer: (any AnyObject & Sendable)? = nil,
        bodyByteCountMax: Int = .max
    ) {
        self.owner = owner
        self.end = Atomic(end)
        self.issued = issued
        self.horizon = horizon
        self.bearer = bearer
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// Why it has ended; nil while it holds. Cost: an atomic load, and a look at the clock where it ends by itself.
    package var ending: End? {
        if let reason = End(rawValue: state.load(ordering: .relaxed)) { return reason }
        let end = until
        if end != .max, Int64(time(nil)) >= end { return .revoked }
        return horizon?.isBehind(issued) ?? false ? .revoked : nil
    }

    /// When it ends by itself, in seconds since 1970; the latest time for never.
    package var until: Int64 { end.load(ordering: .relaxed) }

    /// Has it end later by itself, for what is granted again with each use. Any thread.
    package func extend(until end: Int64) { self.end.store(end, ordering: .relaxed) }

    /// Ends it. Any thread.
    package func end(_ reason: End) { state.store(reason.rawValue, ordering: .relaxed) }
}

/// A time before which what was issued to an owner is void. Thread-safe.
package final class GrantHorizon: Sendable {
    private let seconds: Atomic<Int64>

    /// A horizon at a time, in seconds since 1970; the earliest for none.
    package init(_ seconds: Int64 = .min) { self.seconds = Atomic(seconds) }

    /// Whether a token that was issued at a time is void. Cost: an atomic load.
    package func isBehind(_ issued: Int64) -> Bool { issued < seconds.load(ordering: .relaxed) }

    /// Moves it.
    package func move(to seconds: Int64) { self.seconds.store(seconds, ordering: .relaxed) }
}
