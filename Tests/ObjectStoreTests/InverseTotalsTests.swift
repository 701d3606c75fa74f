import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

@Suite("Sorts by counts and aggregates behind inverse links")
struct InverseTotalsTests {
    private static let postCount = 200
    private static let commentCount = 400

    private static let classes = [
        ObjectClass(
            name: "Post", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(
                    name: "comments",
                    type: .linkingObjects(className: "Comment", property: "post")),
                Property(
                    name: "mentions",
                    type: .linkingObjects(className: "Comment", property: "about")),
            ]),
        ObjectClass(
            name: "Comment", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "post", type: .single(.object("Post")), isOptional: true),
                Property(name: "about", type: .list(.object("Post"))),
                Property(name: "likes", type: .single(.scalar(.int)), isOptional: true),
                Property(name: "score", type: .single(.scalar(.double))),
                Property(name: "price", type: .single(.scalar(.decimal128))),
                Property(name: "date", type: .single(.scalar(.date))),
                Property(name: "anything", type: .single(.scalar(.mixed))),
            ]),
    ]

    /// Posts of which most have comments, a few many, with values of every kind of which some are null or NaN.
    private static func world(_ engine: EngineCase, _ random: inout SeededGenerator) throws -> Store
    {
        let store = try Store(engine: try engine.open())
        try store.setSchema(classes)
        func post() -> Value {
            let bound = Int.random(in: 1...postCount, using: &random)
            return .int(Int64(Int.random(in: 0..<bound, using: &random)))
        }
        func number() -> Int64 { Int64.random(in: -5...5, using: &random) }
        func value() -> Value {
            switch Int.random(in: 0..<4, using: &random) {
            case 0: .null
            case 1: .string("\(number())")
            case 2: .double(Double(number()) / 4)
            default: .int(number())
            }
        }
        try store.run(
            (0..<postCount).map {
                .write("Post", ["id": .value(.int(Int64($0)))], key: nil, .create)
            })
        // Object keys that are gone.
        for id in [3, 4, 59] { try store.run([.delete(Identity("Post", .int(Int64(id))))]) }
        func link(_ key: Value) -> Value? {
            [.int(3), .int(4), .int(59)].contains(key) ? nil : .link(className: "Post", key: key)
        }
        try store.run(
            (0..<commentCount).map { id in
                let content: ObjectContent = [
                    "id": .value(.int(Int64(id))), "post": .value(link(post()) ?? .null),
                    "about": .values([post(), post(), post()].compactMap(link)),
                    "likes": .value(id % 3 == 0 ? .null : .int(id % 50 == 1 ? .max : number())),
                    "score": .value(.double(id % 7 == 0 ? .nan : Double(number()) / 8)),
                    "price": .value(.decimal(Decimal128(number()))),
                    "date": .value(.date(Timestamp(seconds: number(), nanoseconds: 5))),
                    "anything": .value(value()),
                ]
                return .write("Comment", content, key: nil, .create)
            })
        return store
    }

    private static let paths = [
        "comments.@count", "mentions.@count", "comments.@sum.likes", "comments.@avg.likes",
        "mentions.@max.likes", "comments.@min.score", "mentions.@sum.score", "mentions.@avg.score",
        "comments.@sum.price", "comments.@max.date", "comments.@max.anything",
        "mentions.@avg.anything", "@links.Comment.post.@count",
    ]

    @Test("are in the order of walks from object to object", arguments: EngineCase.all)
    func order(engineCase: EngineCase) throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("inverse totals"))
        let store = try Self.world(engineCase, &random)
        defer { store.close() }
        let read = try store.read()
        defer { read.close() }
        let rowClass = read.rows.classes[0]
        for number in 0..<60 {
            let chosen = Self.paths.shuffled(using: &random).prefix(number % 3 + 1)
            let list = chosen.map { (Bool.random(using: &random) ? "-" : "") + $0 }
                .joined(separator: ",")
            let sort = try SortKey.parse(
                list: list, root: .objects(classIndex: 0), schema: read.rows)
            let filter = ["", "id < 20", "comments.@count > 0"][number / 20]
            let predicate =
                filter.isEmpty
                ? nil
                : try CompiledQuery.compile(text: filter, rootClass: 0, schema: read.rows).predicate
            let query = ObjectQuery(classIndex: 0, predicate: predicate, sort: sort)
            let limits = [
                QueryLimits(), QueryLimits(memoryByteCountMax: 16 << 10),
            ][number % 2]
            var found: [UInt64] = []
            try QueryExecution(query, plan: .scan(query), in: read, limits: limits)
                .run(limit: 40) { key, _ in
                    found.append(key)
                    return true
                }
            // An order of its own walks.
            let walked = ObjectOrder(sort, of: rowClass, in: read)
            let matcher = predicate?.makeMatcher(read.rows)
            var expected: [(bytes: [UInt8], key: UInt64)] = []
            try read.scan(rowClass) { key, row in
                if matcher?.matches(row: row, key: key, source: read) ?? true {
                    expected.append((walked.position(key, row).sortBytes, key))
                }
                return true
            }
            expected.sort {
                $0.bytes == $1.bytes
                    ? $0.key < $1.key : $0.bytes.lexicographicallyPrecedes($1.bytes)
            }
            #expect(found == expected.prefix(40).map(\.key), "\(list) of '\(filter)'")
        }
    }

    @Test(
        "of a whole class read each object of the other side once",
        arguments: [
            ("-comments.@count", 1), ("-comments.@max.date,comments.@count", 1),
            ("mentions.@avg.score", 1), ("-id", 0),
        ])
    func reads(list: String, passes: Int) throws {
        var random = SeededGenerator(seed: 1)
        let store = try Self.world(.memory, &random)
        defer { store.close() }
        try store.reading { read in
            let query = ObjectQuery(
                classIndex: 0, predicate: nil,
                sort: try SortKey.parse(
                    list: list, root: .objects(classIndex: 0), schema: read.rows))
            let execution = QueryExecution(query, plan: .scan(query), in: read)
            try execution.run(limit: 10) { _, _ in true }
            let most = Self.postCount + passes * (Self.commentCount + 8)
            #expect(execution.statistics.rowsRead <= most)
        }
    }
}
