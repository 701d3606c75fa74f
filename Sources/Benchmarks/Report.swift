import Glibc

/// Prints a figure as a line of JSON.
func report(_ name: String, _ value: Double, _ unit: String) {
    print("{\"name\":\"\(name)\",\"value\":\(value),\"unit\":\"\(unit)\"}")
    fflush(nil)
}

/// Nanoseconds of the monotonic clock.
func monotonicNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
