/// Whether keys are on one page of a write transaction, by their addresses in memory.
///
/// A changed page is a block of its own: what is further away than a page is long lies on another. Two such
/// blocks may be neighbours, so that a few keys may be taken for some of the same page that are not.
struct PageSpan {
    private let byteCount: Int
    private var lowest: UInt
    private var highest: UInt

    /// The page of a key.
    init(_ key: UnsafeMutableRawPointer?, _ byteCount: Int) {
        self.byteCount = byteCount
        lowest = UInt(bitPattern: key)
        highest = lowest
    }

    /// Whether a key may lie on the page of all that were taken before.
    mutating func takes(_ key: UnsafeMutableRawPointer?) -> Bool {
        let address = UInt(bitPattern: key)
        let low = min(lowest, address)
        let high = max(highest, address)
        guard high - low < UInt(byteCount) else { return false }
        (lowest, highest) = (low, high)
        return true
    }
}
