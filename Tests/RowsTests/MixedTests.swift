import HoldfastBytes
import Glibc
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Mixed values")
struct MixedTests {
    private func encode(_ value: Value) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        MixedWriter(buffer).value(value)
        return buffer.array
    }

    private func key(_ value: [UInt8]) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 64)
        value.withUnsafeBytes { _ = OrderedKey.append(MixedView($0), to: buffer) }
        return buffer.array
    }

    private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.withUnsafeBytes { a in
            b.withUnsafeBytes { MixedView.order(MixedView(a), MixedView($0)).signum() }
        }
    }

    /// The exact value of a number as text: sign, digits before and after the point, all 7,000 of them.
    private struct Exact: Comparable {
        var isNegative: Bool
        var digits: [UInt8]

        static let wholeCount = 6200
        static let fractionCount = 6300

        init(_ text: String) {
            var text = Substring(text)
            isNegative = text.first == "-"
            if isNegative { text.removeFirst() }
            var exponent = 0
            if let mark = text.firstIndex(of: "E") {
                exponent = Int(text[text.index(after: mark)...]) ?? 0
                text = text[..<mark]
            }
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            let fraction = parts.count > 1 ? parts[1] : ""
            let all = Array(parts[0].utf8) + Array(fraction.utf8)
            digits = Array(repeating: 48, count: Self.wholeCount + Self.fractionCount)
            let start = Self.wholeCount - exponent - parts[0].utf8.count
            for (index, digit) in all.enumerated() where digit != 48 {
                digits[start + index] = digit
            }
            if digits.allSatisfy({ $0 == 48 }) { isNegative = false }
        }

        init(_ value: Double) {
            var bytes = [CChar](repeating: 0, count: 1600)
            _ = withVaList([value]) { vsnprintf(&bytes, bytes.count, "%.1100f", $0) }
            let text = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            self.init(String(decoding: text, as: UTF8.self))
        }

        static func < (a: Exact, b: Exact) -> Bool {
            if a.isNegative != b.isNegative { return a.isNegative }
            return a.isNegative
                ? b.digits.lexicographicallyPrecedes(a.digits)
                : a.digits.lexicographicallyPrecedes(b.digits)
        }
    }

    @Test("numbers of all kinds compare exactly, as values and as keys")
    func numbers() {
        let seed = SeededGenerator.testSeed("mixed numbers")
        var random = SeededGenerator(seed: seed)
        var values: [(Value, Exact)] = []
        func add(_ value: Double) { values.append((.double(value), Exact(value))) }
        func add(_ value: Int64) { values.append((.int(value), Exact("\(value)"))) }
        func add(_ text: String) {
            guard let value = Decimal128(text) else {
                Issue.record("\(text) is no decimal")
                return
            }
            values.append((.decimal(value), Exact(value.description.replacing("E+", with: "E"))))
        }
        let limit: Int64 = 1 << 53
        let integers: [Int64] = [.min, .min + 1, -limit - 1, -1, 0, 1, limit, limit + 1, .max]
        for value in integers {
            add(value)
            add("\(value)")
            add("\(value).5")
            add(Double(value))
            add(Double(value).nextUp)
            add(Double(value).nextDown)
        }
        for text in [
            "0.1", "1.0", "1.00", "-0.1", "1E-6176", "-1E-6176", "9.9E+6144", "-9.9E+6144",
            "1E-324",
            "4.9406564584124654E-324", "1E+308", "1.7976931348623157E+308", "1.8E+308",
            "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257828",
        ] { add(text) }
        for value in [
            0.1, -0.1, .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .leastNormalMagnitude,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, 1e22, 1e23, 0.5,
        ] { add(value) }
        for _ in 0..<40 {
            let value = Double(bitPattern: random.next())
            if value.isFinite {
                add(value)
                if value.magnitude < 1e300, value.magnitude > 1e-300 {
                    add("\(value)".uppercased())
                }
            }
            add(Int64(bitPattern: random.next()))
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            if float.isFinite { values.append((.float(float), Exact(Double(float)))) }
        }
        // The exact values are long: they are compared once, to give each its place.
        values.sort { $0.1 < $1.1 }
        var encoded: [(bytes: [UInt8], key: [UInt8], place: Int, value: Value)] = []
        for (index, (value, exact)) in values.enumerated() {
            let bytes = encode(value)
            let isNext = index > 0 && values[index - 1].1 < exact
            encoded.append(
                (bytes, key(bytes), (encoded.last?.place ?? 0) + (isNext ? 1 : 0), value))
        }
        for a in encoded {
            for b in encoded {
                let expected = (a.place - b.place).signum()
                let found = a.key == b.key ? 0 : a.key.lexicographicallyPrecedes(b.key) ? -1 : 1
                guard order(a.bytes, b.bytes) == expected, found == expected else {
                    Issue.record("\(a.value), \(b.value): expected \(expected), seed \(seed)")
                    return
                }
            }
        }
    }

    @Test(
        "keys have the order of values, lists and maps by their kind alone, and none begins another"
    )
    func keys() {
        let seed = SeededGenerator.testSeed("mixed keys")
        var random = SeededGenerator(seed: seed)
        let values = (0..<SeededGenerator.scaled(200)).map { _ in
            RandomContent.scalar(.mixed, &random)
        }.filter { $0 != .null }
        let special: [Value] = [
            .double(.nan), .float(.nan), .decimal(.nan), .double(.infinity), .float(-.infinity),
            .decimal(Decimal128("Infinity") ?? .nan), .data([0]), .data([0, 0]), .string(""),
        ]
        let encoded = (values + special).map { encode($0) }
        for a in encoded {
            for b in encoded {
                let (x, y) = (key(a), key(b))
                let found = x == y ? 0 : x.lexicographicallyPrecedes(y) ? -1 : 1
                let expected = order(a, b)
                #expect(found != 0 || expected == 0 || a[0] >= MixedKind.list.rawValue)
                #expect(
                    found == expected || a[0] == b[0] && a[0] >= MixedKind.list.rawValue
                        || x.count > OrderedKey.textByteCountMax, "seed \(seed)")
                #expect(x == y || !y.starts(with: x), "seed \(seed)")
                #expect(order(b, a) == -expected)
            }
        }
    }

    @Test("an element is found without those before it, and a key by searching")
    func access() {
        let entries = (0..<50).map { Value.MapEntry("k\($0)", .list([.int($0), .null])) }
        encode(.map(entries)).withUnsafeBytes { bytes in
            let map = MixedView(bytes)
            #expect(map.kind == .map && map.count == 50 && map.fault() == nil)
            for number in 0..<50 {
                var key = "k\(number)"
                let index = key.withUTF8 { map.index(ofKey: UnsafeRawBufferPointer($0)) }
                let value = map.element(index ?? -1)
                #expect(value.count == 2 && value.element(1).isNull)
                #expect(value.element(0).payload.baseAddress?.storedInt == Int64(number))
            }
            for var missing in ["", "k", "k50", "z"] {
                #expect(
                    missing.withUTF8 { map.index(ofKey: UnsafeRawBufferPointer($0)) } == nil)
            }
            #expect(map.element(50).isNull && map.element(-1).isNull)
        }
    }

    @Test("damaged bytes are told or read as something, and never led out of their bounds")
    func damage() {
        let seed = SeededGenerator.testSeed("mixed damage")
        var random = SeededGenerator(seed: seed)
        func read(_ value: MixedView, _ depth: Int) {
            _ = value.number
            value.forEachLink { _, _ in }
            for index in 0..<min(value.count, 20) where depth < 4 {
                _ = value.key(index).reduce(0) { $0 &+ Int($1) }
                read(value.element(index), depth + 1)
            }
        }
        for _ in 0..<SeededGenerator.scaled(300) {
            let whole = encode(RandomContent.scalar(.mixed, &random))
            whole.withUnsafeBytes { #expect(MixedView($0).fault() == nil, "seed \(seed)") }
            var bytes = whole
            for _ in 0..<3 {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random))
            bytes.withUnsafeBytes { bytes in
                let value = MixedView(bytes)
                _ = value.fault()
                read(value, 0)
                _ = MixedView.order(value, value)
                let copy = ByteBuffer(capacity: 64)
                MixedWriter(copy).copy(value, losesElements: true) { $0 == (1, 1) }
                OrderedKey.append(value, to: copy)
            }
        }
    }
}
