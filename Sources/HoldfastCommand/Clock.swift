import Glibc

/// The time for progress lines and rates.
enum Clock {
    /// Seconds of a clock that only goes forward.
    static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
