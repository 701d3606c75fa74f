import HoldfastBytes
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Randomised")
struct RandomisedTests {
    @Test("the matcher agrees with the plainest evaluation on random worlds and queries")
    func matcher() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("matcher"))
        var matches = 0
        for _ in 0..<SeededGenerator.scaled(30) {
            let world = World.random(12, using: &random)
            for _ in 0..<100 {
                let query = RandomQuery.make(depth: 2, using: &random)
                let found = try world.ids(RandomQuery.numbered(query.text), query.arguments)
                let expected = world.people.filter { query.holds(world, $0) }.map(\.id)
                #expect(found == expected, "\(query.text) with \(query.arguments)")
                matches += found.count
                if found != expected { return }
            }
        }
        #expect(matches > 1000)
    }

    @Test(
        "an object matches exactly when its keys lie in a constraint's ranges and the residual holds"
    )
    func constraints() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("constraints"))
        let paths = NaivePath.all.filter {
            !$0.text.contains(".") && !$0.text.contains("[") && !$0.isMany
        }
        var constraintCount = 0
        var exactCount = 0
        for _ in 0..<SeededGenerator.scaled(20) {
            let world = World.random(40, using: &random)
            for _ in 0..<60 {
                let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    RandomQuery.comparison(paths: paths, using: &random)
                }
                let arguments = parts.flatMap(\.arguments)
                let texts = parts.map(\.text)
                let sign = [" AND ", " OR "].randomElement(using: &random) ?? " AND "
                let query = try CompiledQuery.compile(
                    text: RandomQuery.numbered(texts.joined(separator: sign)), arguments: arguments,
                    rootClass: 0, schema: World.schema)
                let matcher = query.predicate.makeMatcher(World.schema)
                for constraint in query.predicate.constraints {
                    constraintCount += 1
                    if constraint.isExact { exactCount += 1 }
                    let residual = constraint.residual(of: query.predicate)?
                        .makeMatcher(World.schema)
                    for (a, b) in zip(constraint.ranges, constraint.ranges.dropFirst()) {
                        #expect(!b.lower.lexicographicallyPrecedes(a.upper))
                    }
                    for person in world.people {
                        let row = try #require(world.row(classIndex: 0, key: person.key))
                        let buffer = ByteBuffer()
                        let rowClass = World.schema.classes[0]
                        OrderedKey.append(
                            rowClass.field(constraint.member, in: row),
                            rowClass.members[constraint.member].storage.element, to: buffer)
                        let key = buffer.array + [1, 2, 3]
                        let isInside = constraint.ranges.contains {
                            !key.lexicographicallyPrecedes($0.lower)
                                && key.lexicographicallyPrecedes($0.upper)
                        }
                        let rest =
                            residual?.matches(row: row, key: person.key, source: world) ?? true
                        let whole = matcher.matches(row: row, key: person.key, source: world)
                        #expect((isInside && rest) == whole, "\(texts) \(arguments) \(person.id)")
                        if (isInside && rest) != whole { return }
                    }
                }
            }
        }
        #expect(constraintCount > 300 && exactCount > 100)
    }

    @Test("sort keys order bytes as values order, and compare decides what is cut")
    func sorting() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("sorting"))
        let paths = NaivePath.all.filter {
            !$0.isMany && !$0.text.contains { "[( ".contains($0) }
        }
        for _ in 0..<SeededGenerator.scaled(20) {
            let world = World.random(25, using: &random)
            let chosen = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                (
                    path: paths.randomElement(using: &random) ?? paths[0],
                    isAscending: Bool.random(using: &random)
                )
            }
            let list = chosen.map { ($0.isAscending ? "" : "-") + $0.path.text }.joined(
                separator: ",")
            let keys = try SortKey.parse(
                list: list, root: .objects(classIndex: 0), schema: World.schema)
            let evaluator = SortEvaluator(keys, schema: World.schema)
            func order(_ a: Person, _ b: Person) -> Int {
                for (path, isAscending) in chosen {
                    guard case .one(let x) = path.read(world, a),
                        case .one(let y) = path.read(world, b)
                    else { return 0 }
                    let order =
                        x == .null || y == .null
                        ? (x == .null ? 0 : 1) - (y == .null ? 0 : 1) : Naive.order(x, y) ?? 0
                    if order != 0 { return isAscending ? order.signum() : -order.signum() }
                }
                return 0
            }
            for a in world.people {
                for b in world.people {
                    let rowA = try #require(world.row(classIndex: 0, key: a.key))
                    let rowB = try #require(world.row(classIndex: 0, key: b.key))
                    let (bytesA, bytesB) = (ByteBuffer(), ByteBuffer())
                    let isCutA = evaluator.append(row: rowA, key: a.key, source: world, to: bytesA)
                    let isCutB = evaluator.append(row: rowB, key: b.key, source: world, to: bytesB)
                    let expected = order(a, b)
                    #expect(
                        evaluator.compare(rowA, a.key, rowB, b.key, world).signum() == expected,
                        "\(list)")
                    if !isCutA && !isCutB {
                        let isLess = bytesA.array.lexicographicallyPrecedes(bytesB.array)
                        #expect(isLess == (expected < 0), "\(list)")
                        #expect((bytesA.array == bytesB.array) == (expected == 0), "\(list)")
                    }
                }
            }
        }
    }

    @Test("no bytes crash the parser")
    func fuzz() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("fuzz"))
        let seeds = [
            "age == 30 AND (name BEGINSWITH[c] 'a' OR ANY friends.ints IN {1, 2.5, T1:2, null})",
            "SUBQUERY(friends, $f, $f.age > $0).@count > 0 SORT(age DESC, home.city ASC) DISTINCT(age) LIMIT(5)",
            "@links.Person.friend.@count == 0x1F && oid == oid(507f1f77bcf86cd799439011)",
            "d['k'] == B64\"AQI=\" || 2017-12-04@0:0:0:5 <= born && x == uuid(3b241101-e2bb-4255-8caf-4136c566a962)",
            "NOT !not (((a\\ b))) LIKE \"\\u00e9\\\\\" OR obj('C', -5) == $K0[LAST].x.@max",
        ].map { Array($0.utf8) }
        for round in 0..<SeededGenerator.scaled(4000) {
            var bytes = seeds.randomElement(using: &random) ?? []
            if round % 5 == 0 {
                bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
            }
            for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 2: bytes.insert(UInt8.random(in: 32...126, using: &random), at: place)
                default:
                    bytes.insert(
                        contentsOf: bytes[place...].prefix(Int.random(in: 1...9, using: &random)),
                        at: 0)
                }
            }
            _ = try? ParsedQuery(String(decoding: bytes, as: UTF8.self))
            _ = try? CompiledQuery.compile(
                text: String(decoding: bytes, as: UTF8.self), arguments: [.init(.int(1))],
                rootClass: 0, schema: World.schema)
            _ = try? SortKey.parse(
                list: String(decoding: bytes, as: UTF8.self), root: .objects(classIndex: 0),
                schema: World.schema)
            _ = try? ValuePath(
                dotted: String(decoding: bytes, as: UTF8.self), rootClass: 0, schema: World.schema)
        }
    }
}
