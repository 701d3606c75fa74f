import Glibc

/// Prints a figure as a line of JSON.
func report(_ name: String, _ value: Double, _ unit: String) {
    print("{\"name\":\"\(name)\",\"value\":\(value),\"unit\":\"\(unit)\"}")
    fflush(nil)
}

/// Why nothing was measured.
struct Failure: Error, CustomStringConvertible {
    var description: String
}

/// Nanoseconds of processor time that this process has used, or this thread alone, on a machine that does other
/// things too the steadier figure.
func processorNanoseconds(of clock: clockid_t = CLOCK_PROCESS_CPUTIME_ID) -> UInt64 {
    var now = timespec()
    clock_gettime(clock, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
