import Glibc

/// A point in time: seconds since 1970-01-01T00:00:00Z, rounded down, and nanoseconds since then.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Whole seconds since the epoch, rounded towards the past.
    public var seconds: Int64
    /// Nanoseconds after `seconds`, from 0 to 999,999,999.
    public var nanoseconds: Int32

    /// Makes a timestamp from its parts; `nanoseconds` has to be in its range.
    @inlinable public init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Returns the present time of the system's real-time clock.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// Earlier comes first.
    @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool {
        (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
    }
}
