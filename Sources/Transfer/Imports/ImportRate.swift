import HoldfastObjectJSON

/// The least rate at which the text of an import has to come, so that one that drips does not keep others out.
///
/// Only the time counts in which the import waits for its sender.
struct ImportRate {
    private let byteRateMin: Int
    private let seconds: Int
    private var waitedNanoseconds: UInt64 = 0
    private var byteCount = 0

    /// Begins to measure against a rate in bytes a second, over so many seconds of waiting.
    init(byteRateMin: Int, over seconds: Int) {
        self.byteRateMin = byteRateMin
        self.seconds = seconds
    }

    /// Notes that the import waited for some bytes, perhaps zero.
    ///
    /// - Throws: ``RequestFault`` `.tooSlow` when less came than the rate demands.
    mutating func add(waitedNanoseconds waited: UInt64, byteCount added: Int) throws(RequestFault) {
        waitedNanoseconds += waited
        byteCount += added
        guard waitedNanoseconds >= UInt64(seconds) * 1_000_000_000 else { return }
        let rate = Double(byteCount) / (Double(waitedNanoseconds) / 1e9)
        guard rate >= Double(byteRateMin) else {
            throw RequestFault(
                .tooSlow, "import-too-slow",
                "The text came more slowly than \(byteRateMin) bytes a second for \(seconds) seconds. "
                    + "Send the rest from a file, or let the service take less (--import-rate-min)."
            )
        }
        waitedNanoseconds = 0
        byteCount = 0
    }
}
