import Glibc

/// Returns nanoseconds of the clock that only goes forward. Cost: about 20 ns, no system call.
@inlinable @inline(__always)
package func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// Returns microseconds of the clock that only goes forward.
package func monotonicMicroseconds() -> UInt64 { monotonicNanoseconds() / 1000 }

/// Returns milliseconds of the clock that only goes forward.
package func monotonicMilliseconds() -> UInt64 { monotonicNanoseconds() / 1_000_000 }

/// Returns nanoseconds of processor time that the calling thread has used. Cost: a system call.
package func threadNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}
