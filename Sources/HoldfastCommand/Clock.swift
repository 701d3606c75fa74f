import HoldfastThreads

/// The time for progress lines and rates.
enum Clock {
    /// Seconds of a clock that only goes forward.
    static func seconds() -> Double {
        Double(monotonicNanoseconds()) / 1e9
    }
}
