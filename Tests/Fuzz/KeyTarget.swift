import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastRows
import HoldfastTestSupport

/// Random values as keys: in the order of the values, and none the beginning of another.
enum KeyTarget {
    static func round(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for type in ScalarType.plainCases {
            let values = (0..<25).map { _ in
                RandomContent.scalar(type, isOptional: true, &random)
            }
            let keys = values.compactMap { OrderedKey($0)?.bytes }
            try expect(keys.count == values.count, "a \(type) without a key")
            for (a, x) in zip(values, keys) {
                for (b, y) in zip(values, keys) { try compare(a, x, b, y) }
            }
        }
    }

    private static func compare(_ a: Value, _ x: [UInt8], _ b: Value, _ y: [UInt8]) throws {
        let differs = a.precedes(b) || b.precedes(a)
        try expect((x == y) == !differs, "\(a) and \(b): \(x) and \(y)")
        guard differs else { return }
        try expect(!x.starts(with: y) && !y.starts(with: x), "prefixes: \(a), \(b)")
        // Long texts that agree up to the cut are ordered from their rows.
        let isCut =
            x.withUnsafeBytes { OrderedKey.isCut($0) } || y.withUnsafeBytes { OrderedKey.isCut($0) }
        let shared = OrderedKey.textByteCountMax - 2
        if isCut, x.prefix(shared) == y.prefix(shared) { return }
        try expect(x.lexicographicallyPrecedes(y) == a.precedes(b), "order: \(a), \(b)")
    }
}
