import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRows
import Testing
import HoldfastTestSupport

@Suite("Rows")
struct RowTests {
    @Test("a row gives back what was written, of every type, and equal objects have equal bytes")
    func roundTrip() throws {
        let fixture = try RowFixture()
        let seed = SeededGenerator.testSeed("rows")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(100) {
            let content = fixture.content(&random)
            let row = fixture.row(fixture.draft(content))
            #expect(fixture.read(row) == fixture.expected(content), "seed \(seed)")
            #expect(fixture.row(fixture.draft(content)) == row)
            row.withUnsafeBytes { bytes in
                guard let view = RowView(bytes) else {
                    Issue.record("no row")
                    return
                }
                #expect(view.version == 7 && view.byteCount == row.count)
            }
            // Nothing stated over a row, or the same again, gives the same bytes.
            #expect(fixture.row(fixture.draft([:], isMerge: true), over: row) == row)
            #expect(fixture.row(fixture.draft(content, isMerge: true), over: row) == row)
        }
    }

    @Test("a merge changes what it states, and exactly that is told as changed")
    func changedMembers() throws {
        let fixture = try RowFixture()
        let rowClass = fixture.schema.classes[0]
        let seed = SeededGenerator.testSeed("changed members")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(100) {
            let old = fixture.content(&random)
            var stated = fixture.content(&random).filter { _ in
                Int.random(in: 0..<8, using: &random) == 0
            }
            // A merged embedded object depends on the stored one; its own test is in ObjectStoreTests.
            stated["part"] = nil
            stated["partMap"] = nil
            let before = fixture.row(fixture.draft(old))
            let after = fixture.row(fixture.draft(stated, isMerge: true), over: before, version: 8)
            let expected = fixture.expected(
                old.merging(stated) { old, new in
                    guard case .entries(let stored) = old, case .entries(let entries) = new else {
                        return new
                    }
                    return .entries(stored.merging(entries) { _, new in new })
                })
            let read = try #require(fixture.read(after))
            #expect(read == expected, "seed \(seed)")
            let first = try #require(fixture.read(before))
            let changed = before.withUnsafeBytes { before in
                after.withUnsafeBytes { after -> MemberSet in
                    guard let old = RowView(before), let new = RowView(after) else {
                        return MemberSet()
                    }
                    return fixture.schema.changedMembers(
                        of: rowClass, from: old, to: new, NothingOutOfLine())
                }
            }
            for (member, property) in rowClass.definition.properties.enumerated() {
                #expect(
                    changed.contains(member) == (first[property.name] != read[property.name]),
                    "\(property.name), seed \(seed)")
            }
        }
    }

    @Test("every NaN is stored as one, and −0 stays")
    func specialNumbers() throws {
        let fixture = try RowFixture()
        let odd = Double(nan: 5, signaling: false)
        let row = fixture.row(
            fixture.draft(["double": .value(.double(odd)), "doubleList": .values([.double(odd)])]))
        let other = fixture.row(
            fixture.draft([
                "double": .value(.double(-.nan)), "doubleList": .values([.double(.nan)]),
            ]))
        let rowClass = fixture.schema.classes[0]
        let uuid = try #require(rowClass.names.position(of: "double"))
        func bits(_ row: [UInt8]) -> UInt64? {
            row.withUnsafeBytes { bytes in
                RowView(bytes).map { rowClass.field(uuid, in: $0).load(UInt64.self) }
            }
        }
        #expect(bits(row) == Double.nan.bitPattern && bits(other) == Double.nan.bitPattern)
        #expect(bits(fixture.row(fixture.draft(["double": .value(.double(-0.0))]))) == 1 << 63)
    }

    @Test("rows of older layouts read the defaults that were declared with each added property")
    func olderLayouts() throws {
        var versions = [RowFixture.classes]
        let added: [Property] = [
            Property(
                name: "first", type: .single(.scalar(.string)),
                defaultValue: .constant(.string("one"))),
            Property(name: "second", type: .list(.scalar(.int))),
            Property(name: "third", type: .single(.scalar(.double)), isOptional: true),
            Property(
                name: "fourth", type: .single(.scalar(.uuid)),
                defaultValue: .constant(.uuid(UUID128(high: 1, low: 2)))),
        ]
        for (number, property) in added.enumerated() {
            var next = versions[number]
            // Anywhere among the others, and in the embedded class too.
            next[0].properties.insert(property, at: number * 7)
            next[1].properties.insert(property, at: number)
            if number == 2 { next.reverse() }
            if number == 3 { next = versions[number].reversed() }
            if number == 3 {
                next[0].properties.append(property)
                next[1].properties.append(property)
            }
            versions.append(next)
        }
        let fixtures = try RowFixture.schemas(versions).map { RowFixture($0) }
        var random = SeededGenerator(seed: SeededGenerator.testSeed("older layouts"))
        let defaults: ObjectContent = [
            "first": .value(.string("one")), "second": .values([]), "third": .null,
            "fourth": .value(.uuid(UUID128(high: 1, low: 2))),
        ]
        func completed(_ content: ObjectContent, _ known: Set<String>) -> ObjectContent {
            content.mapValues { value in
                switch value {
                case .embedded(let inner): .embedded(completed(inner, known))
                case .embeddedList(let list): .embeddedList(list.map { completed($0, known) })
                case .entries(let entries):
                    .entries(
                        entries.mapValues { entry in
                            if case .embedded(let inner) = entry {
                                return .embedded(completed(inner, known))
                            }
                            return entry
                        })
                default: value
                }
            }.merging(defaults.filter { known.contains($0.key) }) { old, _ in old }
        }
        for _ in 0..<20 {
            for (age, fixture) in fixtures.enumerated() {
                guard let index = fixture.schema.classIndex["All"] else { continue }
                var content: ObjectContent = [:]
                let maker = RandomContent(fixture.schema.definition.classes)
                content = maker.draft(
                    fixture.schema.definition.classes[index], known: [], share: 100, depth: 2,
                    &random)
                content["links"] = .values([])
                content["linkMap"] = .entries([:])
                content["partMap"] = .entries([
                    "a": .null, "b": .embedded(["string": .value(.string("p"))]),
                ])
                content["linkSet"] = .values([])
                content["link"] = .null
                content["part"] = .null
                content["parts"] = .embeddedList([["string": .value(.string("p"))]])
                let row = fixture.row(fixture.draft(content))
                let own = try #require(fixture.read(row))
                for later in fixtures[age...] {
                    let read = try #require(later.read(row))
                    let known =
                        later.schema.rowClass(named: "All")?.definition.properties.map(\.name) ?? []
                    #expect(read == completed(own, Set(known)), "age \(age)")
                    // Written again, it is the same in the newer layout.
                    let again = later.row(later.draft([:], isMerge: true), over: row)
                    #expect(later.read(again) == read)
                }
            }
        }
    }

    @Test("no damaged row that passes for one leads a read out of its bounds")
    func damagedRows() throws {
        let fixture = try RowFixture()
        let seed = SeededGenerator.testSeed("damaged rows")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(300) {
            let sound = fixture.row(fixture.draft(fixture.content(&random)))
            for _ in 0..<10 {
                var row = sound
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    let place = Int.random(in: row.indices, using: &random)
                    row[place] = UInt8(truncatingIfNeeded: random.next())
                }
                if Int.random(in: 0..<3, using: &random) == 0 {
                    row.removeLast(Int.random(in: 0...row.count, using: &random))
                    if row.count >= 8 {
                        // A row that states the length it has.
                        withUnsafeBytes(of: UInt32(row.count)) {
                            row.replaceSubrange(4..<8, with: $0)
                        }
                    }
                }
                _ = fixture.read(row)
            }
        }
    }
}
