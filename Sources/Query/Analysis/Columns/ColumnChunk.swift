/// The values of one property for a run of neighbouring objects, in memory. Immutable once it is made.
///
/// The value of the object with key `k` stands at position `k % keyCount` of chunk `k / keyCount`, whether
/// the keys between are used or not. Masks have a byte of 0 or 1 for each position: compilers compare,
/// combine and count bytes sixteen at a time, and bits they do not.
package class ColumnChunk: @unchecked Sendable {
    // Unchecked: the memory behind the pointers is written before `init` returns and freed in `deinit`.

    /// How many keys a chunk stands for: few enough that a commit which touches one can copy it, and that
    /// the results of a scan stay in the processor's first cache.
    package static let keyCountLog2 = 13
    /// How many keys a chunk stands for.
    package static let keyCount = 1 << keyCountLog2

    /// How many positions it has: ``keyCount``, or the number of elements of all its collections.
    final let count: Int
    /// The null positions; nil without nulls.
    final let nulls: UnsafePointer<UInt8>?
    /// The positions with a value that columns do not keep, so that the row decides; nil without any.
    final let exceptions: UnsafePointer<UInt8>?
    private let meter: ColumnMeter
    private let byteCount: Int

    /// The bytes of memory that it takes.
    package var totalByteCount: Int { byteCount }

    init(
        count: Int, nulls: [UInt8]?, exceptions: [UInt8]?, valueByteCount: Int, meter: ColumnMeter
    ) {
        self.count = count
        self.nulls = Self.copy(mask: nulls, count: count)
        self.exceptions = Self.copy(mask: exceptions, count: count)
        self.meter = meter
        byteCount =
            valueByteCount + (nulls == nil ? 0 : count) + (exceptions == nil ? 0 : count) + 128
        meter.add(byteCount)
    }

    deinit {
        meter.add(-byteCount)
        nulls?.deallocate()
        exceptions?.deallocate()
    }

    /// Copies a mask; nil when no position is set.
    static func copy(mask: [UInt8]?, count: Int) -> UnsafePointer<UInt8>? {
        guard let mask else { return nil }
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
        copy.update(from: mask, count: count)
        return UnsafePointer(copy)
    }

    /// The least and the greatest of the values that are neither null nor an exception; 0 and 0 without any.
    static func extent(
        _ values: [Int64], count: Int, nulls: [UInt8]?, exceptions: [UInt8]?
    ) -> (least: Int64, greatest: Int64) {
        func isValue(_ position: Int) -> Bool {
            (nulls?[position] ?? 0) | (exceptions?[position] ?? 0) == 0
        }
        guard let first = (0..<count).first(where: isValue) else { return (0, 0) }
        var (least, greatest) = (values[first], values[first])
        for position in first..<count where isValue(position) {
            least = min(least, values[position])
            greatest = max(greatest, values[position])
        }
        return (least, greatest)
    }

    /// Sets each position of `mask` to whether its value satisfies a condition. Results at exceptions must not be used.
    func evaluate(_ kernel: ColumnKernel, into mask: UnsafeMutablePointer<UInt8>) {}

    /// Has `body` read the value at a position as a row stores it.
    func withStored(_ position: Int, _ body: (UnsafeRawPointer, Int) -> Void) {}

    /// Tests every value that is not null one by one.
    final func evaluateEach(_ test: ValueTest, into mask: UnsafeMutablePointer<UInt8>) {
        for position in 0..<count {
            if let nulls, nulls[position] != 0 { continue }
            withStored(position) { mask[position] = test.test($0, $1) ? 1 : 0 }
        }
        applyNulls(test.nullResult, to: mask)
    }

    /// Gives the positions that are null the result of null.
    final func applyNulls(_ result: Bool, to mask: UnsafeMutablePointer<UInt8>) {
        guard let nulls else { return }
        if result {
            for position in 0..<count { mask[position] |= nulls[position] }
        } else {
            for position in 0..<count { mask[position] &= nulls[position] ^ 1 }
        }
    }
}
