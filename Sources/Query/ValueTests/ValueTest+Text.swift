import Glibc
import ObjectModel
import Rows

/// Bytes that outlive the text they came from, for as long as the tests that compare with them.
final class TextConstant {
    /// The bytes; the address is never nil.
    let bytes: UnsafeRawBufferPointer

    init(_ source: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(source.count, 1), alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<source.count])
    }

    deinit { bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0).deallocate() } }

    /// The bytes of a string or data constant; nil for others.
    convenience init?(_ value: Value) {
        switch value {
        case .string(let text): self.init(text.utf8)
        case .data(let bytes): self.init(bytes)
        default: return nil
        }
    }
}

/// Strings or data equal to a constant, or different from it.
final class TextEqualTest: ValueTest {
    let constant: TextConstant
    private let start: UnsafeRawPointer
    private let count: Int
    let isEqual: Bool

    init?(_ constant: TextConstant, isEqual: Bool) {
        guard let start = constant.bytes.baseAddress else { return nil }
        self.constant = constant
        self.start = start
        count = constant.bytes.count
        self.isEqual = isEqual
        super.init(nullResult: !isEqual)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        (count == self.count && memcmp(address, start, count) == 0) == isEqual
    }
}

/// Strings or data that another operator relates to a constant.
final class TextTest: ValueTest {
    let constant: TextConstant
    let comparison: ComparisonOperator
    let ignoresCase: Bool
    let constantIsLeft: Bool

    init(
        _ constant: TextConstant, _ comparison: ComparisonOperator, ignoresCase: Bool,
        constantIsLeft: Bool
    ) {
        self.constant = constant
        self.comparison = comparison
        self.ignoresCase = ignoresCase
        self.constantIsLeft = constantIsLeft
        let isNullNeedle = constantIsLeft && comparison != .like
        super.init(nullResult: comparison == .notEqual || isNullNeedle)
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        let value = UnsafeRawBufferPointer(start: address, count: count)
        return constantIsLeft
            ? TextMatch.holds(constant.bytes, comparison, value, ignoresCase: ignoresCase)
            : TextMatch.holds(value, comparison, constant.bytes, ignoresCase: ignoresCase)
    }
}

extension [TextConstant] {
    /// Whether one of them equals a text, by the order in which they stand. Cost: a comparison for each halving.
    @inline(__always)
    func hasEqual(
        to wanted: UnsafeRawBufferPointer,
        by order: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
    ) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let order = order(self[middle].bytes, wanted)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}

/// Strings or data that are one of several.
final class TextSetTest: ValueTest {
    let constants: [TextConstant]

    init(_ constants: [TextConstant], nullResult: Bool) {
        self.constants = constants.sorted { Self.order($0.bytes, $1.bytes) < 0 }
        super.init(nullResult: nullResult)
    }

    /// By length first: most comparisons then need not look at the bytes.
    private static func order(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        a.count == b.count ? TextMatch.order(a, b) : a.count - b.count
    }

    override func test(_ address: UnsafeRawPointer, _ count: Int) -> Bool {
        constants.hasEqual(
            to: UnsafeRawBufferPointer(start: address, count: count), by: Self.order)
    }
}
