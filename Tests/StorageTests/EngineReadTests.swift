import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("Reads of every engine")
struct EngineReadTests {
    /// In the order that engines keep: bytes without sign, prefixes first.
    private static let orderedKeys: [[UInt8]] = [
        [0x00], [0x00, 0x00], [0x00, 0xFF], [0x01], [0x7F], [0x7F, 0x00], [0x80], [0x80, 0x01],
        [0xFF], [0xFF, 0x00], [0xFF, 0xFF], [0xFF, 0xFF, 0x00],
        [UInt8](repeating: 0xFF, count: 511),
    ]

    private func open(
        _ engineCase: EngineCase, _ keys: [[UInt8]] = orderedKeys
    ) throws -> any StorageEngine {
        let engine = try engineCase.open()
        try OwnedBatch(Dictionary(uniqueKeysWithValues: keys.map { ($0, $0 + [7]) }))
            .commit(to: engine)
        return engine
    }

    @Test("an empty engine has nothing", arguments: EngineCase.all)
    func empty(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let snapshot = try engine.snapshot()
        #expect(try snapshot.bytes(forKey: [1]) == nil)
        #expect(try snapshot.entries().isEmpty)
        #expect(try snapshot.entries(reversed: true).isEmpty)
        #expect(try snapshot.bytes(following: [1], prefix: [2]) == (nil, nil))
        #expect(snapshot.entriesRead == 0)
        snapshot.close()
    }

    @Test("keys come as unsigned bytes, a prefix before its extensions", arguments: EngineCase.all)
    func order(engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.entries().map(\.key) == Self.orderedKeys)
        #expect(try snapshot.entries(reversed: true).map(\.key) == Self.orderedKeys.reversed())
    }

    @Test("a range has its lower bound and not its upper, both ways", arguments: EngineCase.all)
    func bounds(engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        // Bounds that are keys, lie between keys, before and beyond all of them, and are longer than
        // any key can be.
        var bounds = Self.orderedKeys + [[], [0x00, 0x01], [0x6F], [0xFE, 0xFF, 0xFF]]
        bounds.append([UInt8](repeating: 0xFF, count: 512))
        bounds.append([0x7F] + [UInt8](repeating: 0, count: 600))
        for lower in bounds {
            for upper in bounds.map(Optional.some) + [nil] {
                let range = KeyRange(lower: lower, upper: upper)
                let expected = Self.orderedKeys.filter { key in
                    key.withUnsafeBytes { range.contains($0) }
                }
                #expect(try snapshot.entries(range).map(\.key) == expected, "\(range)")
                #expect(
                    try snapshot.entries(range, reversed: true).map(\.key) == expected.reversed(),
                    "\(range) reversed")
            }
        }
    }

    @Test("a scan stops when its body says so", arguments: EngineCase.all)
    func earlyStop(engineCase: EngineCase) throws {
        let engine = try open(engineCase)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        for count in 1...Self.orderedKeys.count {
            let expected = Array(Self.orderedKeys.prefix(count))
            #expect(try snapshot.entries(countMax: count).map(\.key) == expected)
            let last = Array(Self.orderedKeys.suffix(count).reversed())
            #expect(try snapshot.entries(reversed: true, countMax: count).map(\.key) == last)
        }
    }

    @Test("a scan's body gets and scans the same snapshot", arguments: EngineCase.all)
    func nested(engineCase: EngineCase) throws {
        let keys = (0..<300).map { [UInt8($0 / 256), UInt8($0 % 256)] }
        let engine = try open(engineCase, keys)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        let everything = KeyRange(lower: [], upper: nil)
        var outer = 0
        var failures = 0
        try snapshot.scan(everything, reversed: false, expecting: 300) { key, _ in
            let own = Array(key)
            do throws(StorageError) {
                let value = try snapshot.bytes(forKey: own)
                let below = try snapshot.entries(
                    KeyRange(lower: [], upper: own), reversed: true, countMax: 2)
                if value != own + [7] || below.count != min(outer, 2) { failures += 1 }
                try snapshot.scan(everything, reversed: true, expecting: 1) { _, _ in
                    do throws(StorageError) {
                        if try snapshot.entries(countMax: 1).map(\.key) != [keys[0]] {
                            failures += 1
                        }
                    } catch {
                        failures += 1
                    }
                    return false
                }
            } catch {
                failures += 1
            }
            if own != keys[outer] || Array(key) != own { failures += 1 }
            outer += 1
            return true
        }
        #expect(outer == 300)
        #expect(failures == 0)
    }

    @Test("an empty value is not a missing one", arguments: EngineCase.all)
    func emptyValue(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        try OwnedBatch([[1]: []]).commit(to: engine)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.bytes(forKey: [1]) == [])
        #expect(try snapshot.bytes(forKeys: [[1], [2]]) == [[], nil])
        #expect(try snapshot.entries().map(\.value) == [[]])
    }

    @Test(
        "many keys come back in their order, missing and repeated ones too",
        arguments: EngineCase.all)
    func many(engineCase: EngineCase) throws {
        let engine = try open(engineCase, (0..<100).map { [UInt8($0), 1] })
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        let keys: [[UInt8]] = [[50, 1], [3, 1], [3], [99, 1], [3, 1], [100, 1], [0, 1]]
        let expected: [[UInt8]?] = [
            [50, 1, 7], [3, 1, 7], nil, [99, 1, 7], [3, 1, 7], nil, [0, 1, 7],
        ]
        #expect(try snapshot.bytes(forKeys: keys) == expected)
        #expect(try snapshot.bytes(forKeys: []) == [])
        #expect(snapshot.entriesRead == 5)
    }

    @Test("a follow-get joins its prefix to what it found", arguments: EngineCase.all)
    func follow(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        try OwnedBatch([
            [1, 1]: [9, 9], [2, 9, 9]: [42], [1, 2]: [8], [1, 3]: [], [2]: [43],
            [1, 4]: [UInt8](repeating: 5, count: 511),
        ]).commit(to: engine)
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        #expect(try snapshot.bytes(following: [1, 1], prefix: [2]) == ([9, 9], [42]))
        #expect(try snapshot.bytes(following: [1, 2], prefix: [2]) == ([8], nil))
        #expect(try snapshot.bytes(following: [1, 3], prefix: [2]) == ([], [43]))
        #expect(try snapshot.bytes(following: [1, 9], prefix: [2]) == (nil, nil))
        let long = [UInt8](repeating: 5, count: 511)
        #expect(try snapshot.bytes(following: [1, 4], prefix: []) == (long, nil))
        #expect(throws: StorageError(.badKey, operation: "get")) {
            try snapshot.bytes(following: [1, 4], prefix: [2])
        }
    }

    @Test("entries are counted as they are handed out", arguments: EngineCase.all)
    func entriesRead(engineCase: EngineCase) throws {
        let engine = try open(engineCase, [[1], [2], [3], [2, 1, 7]])
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        _ = try snapshot.bytes(forKey: [1])
        _ = try snapshot.bytes(forKey: [9])
        #expect(snapshot.entriesRead == 1)
        _ = try snapshot.bytes(following: [1], prefix: [2])
        #expect(snapshot.entriesRead == 3)
        _ = try snapshot.entries(countMax: 2)
        #expect(snapshot.entriesRead == 5)
    }

    @Test("a key that no engine could hold is refused", arguments: EngineCase.all)
    func badKeys(engineCase: EngineCase) throws {
        let engine = try engineCase.open()
        let snapshot = try engine.snapshot()
        defer { snapshot.close() }
        for key in [[], [UInt8](repeating: 1, count: engine.limits.keyByteCountMax + 1)] {
            #expect(throws: StorageError(.badKey, operation: "get")) {
                try snapshot.bytes(forKey: key)
            }
        }
    }
}
