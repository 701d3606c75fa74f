import Glibc

/// Milliseconds of the system's monotonic clock.
package func monotonicMilliseconds() -> UInt64 { monotonicMicroseconds() / 1000 }

/// Microseconds of the system's monotonic clock.
package func monotonicMicroseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000 + UInt64(time.tv_nsec) / 1000
}
