import Glibc

/// Prints a figure as a line of JSON.
func report(_ name: String, _ value: Double, _ unit: String) {
    print("{\"name\":\"\(name)\",\"value\":\(value),\"unit\":\"\(unit)\"}")
    fflush(nil)
}

/// Nanoseconds of processor time that this process has used, on a machine that does other things too the
/// steadier figure.
func processorNanoseconds() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}
