import Glibc
import Synchronization

/// The right by which requests are admitted, such as a token's, as long as it is valid.
///
/// Requests share a grant. Its issuer ends it. The server checks once a second, and then ends admitted requests that still go on:
/// a stream, a reply that waits or is being sent piece by piece. The sink of an upload ends the upload itself. Thread-safe.
package final class Grant: Sendable {
    /// The reason why a grant has ended.
    package enum End: UInt8, Sendable {
        /// The token is no longer known.
        case revoked = 1
        /// The token is known, but no longer allows the request.
        case lowered
    }

    /// The owner of the admitted requests, by a number of the issuer; 0 stands for everybody.
    package let owner: UInt64
    /// The issuer's knowledge of the owner. An object, because a request asks several times for its kind.
    package let bearer: (any AnyObject & Sendable)?
    /// The most bytes of a body that the owner may send.
    let bodyByteCountMax: Int
    /// The time when the grant expires, in seconds since 1970; the latest time for never.
    private let end: Atomic<Int64>
    /// The time when the token was issued, in seconds since 1970.
    private let issued: Int64
    /// The owner's horizon; nil if there is no horizon.
    private let horizon: GrantHorizon?
    private let state = Atomic<UInt8>(0)

    /// Creates a grant that is valid until a time, in seconds since 1970, and as long as `issued` is not before the horizon.
    package init(
        owner: UInt64, until end: Int64 = .max, issued: Int64 = .max, horizon: GrantHorizon? = nil,
        bearer: (any AnyObject & Sendable)? = nil, bodyByteCountMax: Int = .max
    ) {
        self.owner = owner
        self.end = Atomic(end)
        self.issued = issued
        self.horizon = horizon
        self.bearer = bearer
        self.bodyByteCountMax = bodyByteCountMax
    }

    /// The reason why the grant has ended; nil while it is valid. Cost: an atomic load, and a look at the clock if the grant
    /// expires.
    package var ending: End? {
        if let reason = End(rawValue: state.load(ordering: .relaxed)) { return reason }
        let end = until
        if end != .max, Int64(time(nil)) >= end { return .revoked }
        return horizon?.isBehind(issued) ?? false ? .revoked : nil
    }

    /// The time when the grant expires, in seconds since 1970; the latest time for never.
    package var until: Int64 { end.load(ordering: .relaxed) }

    /// Moves the expiry to a later time, for tokens that are extended with each use. Any thread.
    package func extend(until end: Int64) { self.end.store(end, ordering: .relaxed) }

    /// Ends the grant. Any thread.
    package func end(_ reason: End) { state.store(reason.rawValue, ordering: .relaxed) }
}

/// A time before which an owner's tokens are void. Thread-safe.
package final class GrantHorizon: Sendable {
    private let seconds: Atomic<Int64>

    /// Creates a horizon at a time, in seconds since 1970; the earliest time for no horizon.
    package init(_ seconds: Int64 = .min) { self.seconds = Atomic(seconds) }

    /// Whether a token with this time of issue is void. Cost: an atomic load.
    package func isBehind(_ issued: Int64) -> Bool { issued < seconds.load(ordering: .relaxed) }

    /// Moves the horizon.
    package func move(to seconds: Int64) { self.seconds.store(seconds, ordering: .relaxed) }
}
