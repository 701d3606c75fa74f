import HoldfastRows

/// Sets of kinds that overlap a constant one, or that do not.
final class KindTest: ValueTest {
    private let kinds: Int64
    private let isEqual: Bool

    init(_ kinds: Int64, isEqual: Bool) {
        self.kinds = kinds
        self.isEqual = isEqual
        super.init(nullResult: !isEqual)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        (address.storedInt & kinds != 0) == isEqual
    }
}

extension KindSet {
    /// Whether two sets have a kind in common.
    static func overlap(_ a: ComparedValue, _ b: ComparedValue) -> Bool {
        guard case .int(let x)? = a.number, case .int(let y)? = b.number else { return false }
        return x & y != 0
    }
}
