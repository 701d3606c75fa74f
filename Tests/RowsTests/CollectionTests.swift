import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Collections in rows")
struct CollectionTests {
    private func encode(_ values: [Value], _ type: ScalarType, isSet: Bool) -> [UInt8] {
        let builder = ScalarCollectionBuilder()
        builder.reset(ElementStorage(type))
        for value in values { builder.append(value: value) }
        let buffer = ByteBuffer()
        builder.write(to: buffer, isSet: isSet)
        return buffer.array
    }

    @Test(
        "a set has its elements in value order, each once, whatever the order they came in",
        arguments: ScalarType.plainCases)
    func sets(type: ScalarType) {
        let seed = SeededGenerator.testSeed("sets of \(type)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(50) {
            let values = (0..<Int.random(in: 0...20, using: &random)).map { _ in
                RandomContent.scalar(type, isOptional: true, &random)
            }
            let bytes = encode(values, type, isSet: true)
            #expect(
                bytes == encode(values.shuffled(using: &random), type, isSet: true), "seed \(seed)")
            #expect(
                bytes == encode(Value.canonicalSet(values), type, isSet: false), "seed \(seed)")
        }
    }

    @Test("0 and −0 are one element of a set, and so are all NaN")
    func specialNumbers() {
        #expect(encode([.double(0), .double(-0.0)], .double, isSet: true).count == 16)
        #expect(
            encode([.double(.nan), .double(-.nan), .double(1)], .double, isSet: true).count == 24)
    }

    @Test("damaged bytes never lead a read out of them, whatever the elements are")
    func damage() {
        let seed = SeededGenerator.testSeed("damaged collections")
        var random = SeededGenerator(seed: seed)
        let elements: [ElementStorage] = [
            .bool, .int, .float, .double, .decimal, .string, .data, .date, .objectID, .uuid, .link,
            .embedded,
        ]
        for _ in 0..<SeededGenerator.scaled(20_000) {
            let byteCount = Int.random(in: 0...64, using: &random)
            var bytes = (0..<byteCount).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            if byteCount >= 8, Bool.random(using: &random) {
                // Counts near what fits, with and without nulls.
                let count = UInt32.random(in: 0...UInt32(byteCount), using: &random)
                withUnsafeBytes(of: count) { bytes.replaceSubrange(0..<4, with: $0) }
                bytes[4] &= 1
            }
            let element = elements[Int.random(in: elements.indices, using: &random)]
            bytes.withUnsafeBytes { raw in
                let view = CollectionView(raw, element: element)
                #expect(view.count <= byteCount)
                for index in 0..<view.count {
                    _ = view.isNull(index)
                    let part = view.bytes(index)
                    guard part.count > 0, let start = part.baseAddress, let base = raw.baseAddress
                    else { continue }
                    #expect(start >= base && start + part.count <= base + raw.count)
                    if element.fixedByteCount != nil { #expect(view.pointer(index) == start) }
                }
            }
        }
    }
}

@Suite("Maps in rows")
struct MapTests {
    @Test("damaged bytes never lead a read out of them, and keys and values are as many")
    func damage() {
        let seed = SeededGenerator.testSeed("damaged maps")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(20_000) {
            let byteCount = Int.random(in: 0...64, using: &random)
            let bytes = (0..<byteCount).map { place in
                place % 4 == 0 ? UInt8.random(in: 0...24, using: &random) : 0
            }
            let element = [ElementStorage.bool, .int, .string, .link, .embedded].randomElement(
                using: &random)
            bytes.withUnsafeBytes { raw in
                let map = LeafView(raw, FieldStorage(.map, element ?? .int))
                #expect(map.values.count == map.count)
                for index in 0..<map.count {
                    _ = map.values.isNull(index)
                    for part in [map.keys?.bytes(index), map.values.bytes(index)] {
                        guard let part, part.count > 0, let start = part.baseAddress,
                            let base = raw.baseAddress
                        else { continue }
                        #expect(start >= base && start + part.count <= base + raw.count)
                    }
                }
                _ = map.position(of: UnsafeRawBufferPointer(start: nil, count: 0))
            }
        }
    }

    @Test("a key is found among any others, and none that is not there")
    func positions() throws {
        let fixture = try RowFixture()
        let seed = SeededGenerator.testSeed("keys of maps")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(100) {
            let keys = Set(
                (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    RandomContent.text(&random)
                })
            let entries = Dictionary(
                uniqueKeysWithValues: keys.map { ($0, Content.value(.string($0))) })
            let row = fixture.row(fixture.draft(["stringMap": .entries(entries)]))
            let rowClass = fixture.schema.classes[0]
            let member = try #require(rowClass.names.position(of: "stringMap"))
            row.withUnsafeBytes { bytes in
                guard let view = RowView(bytes) else {
                    Issue.record("no row")
                    return
                }
                let map = rowClass.inlineLeaf(member, in: view)
                #expect(map.count == keys.count)
                for key in keys.union([RandomContent.text(&random), "q"]) {
                    Array(key.utf8).withUnsafeBytes { bytes in
                        let place = map.position(of: bytes)
                        #expect((place != nil) == keys.contains(key), "seed \(seed)")
                        if let place {
                            #expect(map.values.bytes(place).elementsEqual(bytes), "seed \(seed)")
                        }
                    }
                }
            }
        }
    }
}

@Suite("Sets of members")
struct MemberSetTests {
    @Test("a set of members is what a set of numbers is")
    func model() {
        let seed = SeededGenerator.testSeed("member sets")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(300) {
            let limit = [5, 64, 65, 1000][Int.random(in: 0..<4, using: &random)]
            func make() -> (MemberSet, Set<Int>) {
                var made = MemberSet()
                var model: Set<Int> = []
                for _ in 0..<Int.random(in: 0...6, using: &random) {
                    let member = Int.random(in: 0..<limit, using: &random)
                    made.insert(member)
                    model.insert(member)
                }
                return (made, model)
            }
            var (a, first) = make()
            let (b, second) = make()
            #expect((a == b) == (first == second))
            #expect(a.isEmpty == first.isEmpty)
            #expect(MemberSet(words: a.words) == a)
            #expect(MemberSet(words: a.words + [0, 0]) == a)
            a.formUnion(b)
            first.formUnion(second)
            for member in 0...(limit + 70) { #expect(a.contains(member) == first.contains(member)) }
        }
    }
}
