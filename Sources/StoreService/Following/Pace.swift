import HoldfastThreads

/// How often a channel's followers are told: what happens within an interval is one event. One thread at a time uses it.
struct Pace {
    /// The length of an interval; 0 where each step is told by itself.
    let milliseconds: UInt64
    /// Whether intervals end at multiples of their length, so that several channels tell of one version together.
    let isAligned: Bool
    /// When the next event may be told, in milliseconds of the monotonic clock.
    private(set) var due: UInt64 = 0

    /// Makes a pace of intervals in milliseconds.
    init(_ milliseconds: Int, isAligned: Bool) {
        self.milliseconds = UInt64(milliseconds)
        self.isAligned = isAligned
    }

    /// Whether each step is told by itself.
    var isImmediate: Bool { milliseconds == 0 }
    /// Whether the interval since the last event is over.
    var isDue: Bool { due == 0 || monotonicMilliseconds() >= due }

    /// Begins an interval, behind an event.
    mutating func begin() {
        if isImmediate { return }
        let now = monotonicMilliseconds()
        due = isAligned ? (now / milliseconds + 1) * milliseconds : now + milliseconds
    }
}
