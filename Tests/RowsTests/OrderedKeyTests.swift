import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Keys in the order of their values")
struct OrderedKeyTests {
    private func key(_ value: Value) throws -> [UInt8] {
        try #require(OrderedKey(value)).bytes
    }

    /// Values of one type that are near each other in every way that matters.
    private func values(_ type: ScalarType, _ random: inout SeededGenerator) -> [Value] {
        var values: [Value] = [.null] + (0..<60).map { _ in RandomContent.scalar(type, &random) }
        switch type {
        case .int: values += [.min, .min + 1, -1, 0, 1, .max - 1, .max].map { .int($0) }
        case .double:
            values += [
                -.infinity, -.greatestFiniteMagnitude, -1, -.leastNormalMagnitude,
                -.leastNonzeroMagnitude, 0, .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude,
                .infinity,
            ].map { .double($0) }
        case .string, .data:
            let x = [UInt8](repeating: 0x78, count: 402)
            let texts: [[UInt8]] = [
                [], [0], [0, 0], [0, 1], [0, 0xFF], [1], [0x61], [0x61, 0], [0x61, 0, 0],
                [0x61, 0, 0x61], [0x61, 1], [0x61, 0x62], Array(x[..<399]), Array(x[..<400]),
                Array(x[..<399]) + [0], Array(x[..<398]) + [0], Array(x[..<398]) + [0, 0],
                Array(x[..<399]) + [1],
            ]
            values += texts.map {
                type == .data ? .data($0) : .string(String(decoding: $0, as: UTF8.self))
            }
        case .date:
            for seconds in [Int64.min, -1, 0, 1, .max] {
                for nanoseconds: Int32 in [0, 1, 999_999_999] {
                    values.append(.date(Timestamp(seconds: seconds, nanoseconds: nanoseconds)))
                }
            }
        case .objectID:
            values += [(0, 0), (0, 1), (0, .max), (1, 0), (.max, .max)].map {
                .objectID(ObjectID(high: $0.0, low: $0.1))
            }
        case .uuid:
            values += [(0, 0), (0, 1), (0, .max), (1, 0), (.max, .max)].map {
                .uuid(UUID128(high: $0.0, low: $0.1))
            }
        case .float:
            values += [
                -.infinity, -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, 0,
                .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude, .infinity,
            ].map { .float($0) }
        case .decimal128:
            values += [
                "-Infinity", "-9.999999999999999999999999999999999E+6144", "-1", "-1E-6176", "0",
                "1E-6176", "0.1", "1", "1.000000000000000000000000000000001", "1E+6144", "Infinity",
            ].compactMap { Decimal128($0) }.map { .decimal($0) }
        case .bool, .int8, .int16, .int32, .int64, .mixed: break
        }
        return values
    }

    /// Whether a value's key holds all of it.
    private func isWhole(_ value: Value) -> Bool {
        let bytes: [UInt8]
        switch value {
        case .string(let text): bytes = Array(text.utf8)
        case .data(let data): bytes = data
        default: return true
        }
        return bytes.count + bytes.count(where: { $0 == 0 }) <= OrderedKey.textByteCountMax
    }

    @Test(
        "keys compare as their values do, and none begins with another",
        arguments: ScalarType.plainCases)
    func order(type: ScalarType) throws {
        let seed = SeededGenerator.testSeed("ordered keys of \(type)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(4) {
            let values = values(type, &random)
            let keys = try values.map { try key($0) }
            for (a, x) in zip(values, keys) {
                for (b, y) in zip(values, keys) {
                    if a.precedes(b) || b.precedes(a) {
                        #expect(x != y)
                        #expect(!x.starts(with: y) && !y.starts(with: x), "\(a) \(b), seed \(seed)")
                        // Long values that agree up to the cut are ordered by their rows.
                        let shared = OrderedKey.textByteCountMax - 2
                        if isWhole(a) && isWhole(b)
                            || !x.prefix(shared).elementsEqual(y.prefix(shared))
                        {
                            #expect(
                                x.lexicographicallyPrecedes(y) == a.precedes(b),
                                "\(a) \(b), seed \(seed)")
                        }
                    } else {
                        #expect(x == y)
                    }
                }
            }
        }
    }

    @Test("NaN is the least number after null, and −0 is 0")
    func specialNumbers() throws {
        let nan = try key(.double(.nan))
        #expect(nan == (try key(.double(-Double.nan))))
        #expect(nan == (try key(.double(Double(nan: 77, signaling: false)))))
        #expect(nan.lexicographicallyPrecedes(try key(.double(-.infinity))))
        #expect(try key(.null).lexicographicallyPrecedes(nan))
        #expect(try key(.double(-0.0)) == key(.double(0)))
    }

    @Test("a key is at most 419 bytes long, and tells whether it was cut")
    func cut() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("cut keys"))
        for _ in 0..<SeededGenerator.scaled(2000) {
            let count = Int.random(in: 380...430, using: &random)
            let bytes = (0..<count).map { _ in
                [0, 1, 0x78, 0xFF][
                    Int.random(in: 0..<(Bool.random(using: &random) ? 4 : 3), using: &random)]
                    as UInt8
            }
            let whole = try key(.data(bytes))
            #expect(whole.count <= 419)
            let isCut = !isWhole(.data(bytes))
            whole.withUnsafeBytes {
                #expect(OrderedKey.isCut($0) == isCut)
                #expect(OrderedKey.isCut(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) == isCut)
            }
        }
        #expect(try key(.string(String(repeating: "x", count: 400))).count == 403)
        #expect(try key(.string(String(repeating: "x", count: 401))).count == 419)
        // Where only one byte is left, an escaped NUL does not fit.
        let tight = [UInt8](repeating: 1, count: 399) + [0]
        #expect(try key(.data(tight)).count == 418)
    }

    @Test("the bound of a prefix is where all texts that begin with it begin, and only they")
    func prefixes() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("prefix bounds"))
        for _ in 0..<SeededGenerator.scaled(3000) {
            let text = Array(RandomContent.text(&random).utf8)
            let prefix =
                Bool.random(using: &random)
                ? Array(text.prefix(Int.random(in: 0...text.count, using: &random)))
                : Array(RandomContent.text(&random).utf8)
            let buffer = ByteBuffer()
            let isExact = prefix.withUnsafeBytes { OrderedKey.append(prefix: $0, to: buffer) }
            let begins = text.starts(with: prefix)
            let isFound = try key(.data(text)).starts(with: buffer.array)
            if begins { #expect(isFound) }
            if isExact { #expect(isFound == begins) }
        }
    }

    @Test("links and lists have no key")
    func others() {
        #expect(OrderedKey(.list([])) == nil)
        #expect(OrderedKey(.link(className: "A", key: .int(1))) == nil)
    }
}
