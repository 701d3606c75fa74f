import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

/// A few nodes with properties of every type and shape, in a store; what the tables of this folder ask
/// about.
///
/// | | 1 | 2 | 3 | 4 | 5 |
/// |---|---|---|---|---|---|
/// | name | Ann | Bob | | Dan | Eve |
/// | n | 10 | 20 | | -7 | 0 |
/// | friend | 2 | 3 | | 4 | |
/// | friends | 2, 3 | | 1 | 1, 2, 3, 4 | |
final class LanguageWorld {
    static let classes: [ObjectClass] = {
        func one(_ name: String, _ type: ScalarType, optional: Bool = true) -> Property {
            Property(
                name: name, type: .single(.scalar(type)), isOptional: optional && type != .mixed)
        }
        func list(_ name: String, _ type: ScalarType) -> Property {
            Property(name: name, type: .list(.scalar(type)), isOptional: type != .mixed)
        }
        func set(_ name: String, _ type: ScalarType) -> Property {
            Property(name: name, type: .set(.scalar(type)))
        }
        func map(_ name: String, _ type: ScalarType) -> Property {
            Property(name: name, type: .map(.scalar(type)), isOptional: type != .mixed)
        }
        return [
            ObjectClass(
                name: "Node", primaryKey: "id",
                properties: [
                    one("id", .int, optional: false), one("name", .string), one("n", .int),
                    one("f", .float), one("d", .double), one("e", .decimal128), one("b", .bool),
                    one("at", .date), one("data", .data), one("oid", .objectID), one("uid", .uuid),
                    list("ints", .int), list("floats", .float), list("doubles", .double),
                    list("decimals", .decimal128), list("dates", .date), list("names", .string),
                    list("blobs", .data), set("codes", .int), map("marks", .double),
                    map("words", .string), one("mix", .mixed), list("anys", .mixed),
                    set("anySet", .mixed), map("anyMap", .mixed),
                    Property(name: "friend", type: .single(.object("Node")), isOptional: true),
                    Property(name: "friends", type: .list(.object("Node"))),
                    Property(name: "crew", type: .set(.object("Node"))),
                    Property(name: "pets", type: .map(.object("Node")), isOptional: true),
                    Property(name: "home", type: .single(.object("Place")), isOptional: true),
                    Property(name: "places", type: .list(.object("Place"))),
                    Property(name: "spots", type: .map(.object("Place")), isOptional: true),
                    Property(
                        name: "fans", type: .linkingObjects(className: "Node", property: "friend")),
                    Property(
                        name: "size", type: .single(.scalar(.int)), isOptional: true,
                        mapTo: "stored_size"),
                ]),
            ObjectClass(
                name: "Place", kind: .embedded,
                properties: [
                    one("city", .string), one("zip", .int),
                    Property(name: "keeper", type: .single(.object("Node")), isOptional: true),
                ]),
            ObjectClass(
                name: "Box", primaryKey: "name",
                properties: [
                    one("name", .string, optional: false),
                    Property(name: "node", type: .single(.object("Node")), isOptional: true),
                    Property(name: "nodes", type: .list(.object("Node"))),
                    one("content", .mixed), one("n", .int),
                ]),
        ]
    }()

    static func decimal(_ text: String) -> Value { .decimal(Decimal128(text) ?? .nan) }
    static func date(_ seconds: Int64) -> Value {
        .date(Timestamp(seconds: seconds, nanoseconds: 0))
    }
    static func node(_ id: Int64) -> Value { .link(className: "Node", key: .int(id)) }
    static func map(_ entries: [(String, Value)]) -> Value {
        .map(entries.sorted { $0.0 < $1.0 }.map { Value.MapEntry($0.0, $0.1) })
    }

    /// The nodes without their links to each other, by identifier.
    static let nodes: [Int64: ObjectContent] = [
        1: [
            "name": .value(.string("Ann")), "n": .value(.int(10)), "f": .value(.float(2.33)),
            "d": .value(.double(1.5)), "e": .value(decimal("0.1")), "b": .value(.bool(true)),
            "at": .value(date(100)), "data": .value(.data([1, 2, 3])),
            "ints": .values([.int(1), .int(2), .int(3)]),
            "floats": .values([.float(2.33), .float(1)]),
            "doubles": .values([.double(1.5), .double(4)]),
            "decimals": .values([decimal("1.10"), decimal("2")]),
            "dates": .values([date(20), date(10)]),
            "names": .values([.string("a"), .string("bbb")]),
            "blobs": .values([.data([1, 2])]), "codes": .values([.int(1), .int(3)]),
            "marks": .entries(["a": .value(.double(1)), "b": .value(.double(2.5))]),
            "words": .entries(["Foo": .value(.string("x")), "Bar": .value(.null)]),
            "mix": .value(.int(5)), "anys": .values([.int(3), .string("hello"), .int(300)]),
            "anySet": .values([.int(3), .int(300), .string("hello")]),
            "home": .embedded(["city": .value(.string("Rome")), "zip": .value(.int(100))]),
            "places": .embeddedList([
                ["city": .value(.string("Oslo")), "zip": .value(.int(1))],
                ["zip": .value(.int(2))],
            ]),
            "size": .value(.int(3)),
        ],
        2: [
            "name": .value(.string("Bob")), "n": .value(.int(20)), "f": .value(.float(0.5)),
            "d": .value(.double(.nan)), "e": .value(decimal("10.5")), "b": .value(.bool(false)),
            "at": .value(date(200)), "ints": .values([.int(5)]),
            "doubles": .values([.double(.nan), .double(2)]),
            "mix": .value(.string("text")),
            "anys": .values([.int(1), .double(2.5), decimal("3.5"), .string("9"), .null]),
            "anyMap": .entries([
                "k": .value(.list([.int(1), .int(2)])), "l": .value(.string("long")),
            ]),
        ],
        3: [:],
        4: [
            "name": .value(.string("Dan")), "n": .value(.int(-7)), "f": .value(.float(-1)),
            "d": .value(.double(1e300)), "e": .value(decimal("2.50")),
            "ints": .values([.null, .int(4)]),
            "decimals": .values([decimal("NaN"), decimal("3")]),
            "names": .values([.null, .string("Dan")]), "codes": .values([.int(4)]),
        ],
        5: [
            "name": .value(.string("Eve")), "n": .value(.int(0)), "f": .value(.float(0)),
            "d": .value(.double(0)), "mix": .value(.null),
        ],
    ]

    /// What is stated once all nodes are there.
    static let links: [Int64: ObjectContent] = [
        1: [
            "friend": .value(node(2)), "friends": .values([node(2), node(3)]),
            "crew": .values([node(4)]), "pets": .entries(["x": .value(node(2))]),
        ],
        2: ["friend": .value(node(3)), "crew": .values([node(1), node(4)])],
        3: [
            "friends": .values([node(1)]),
            "mix": .value(
                map([
                    (
                        "a",
                        .list([
                            map([("b", .int(7))]), map([("b", .string("x"))]), .int(3),
                        ])
                    ),
                    ("link", node(1)), ("list", .list([.int(1), .int(2), .int(3)])),
                    ("empty", .list([])), ("length", .int(1)),
                ])),
            "home": .embedded(["keeper": .value(node(1))]),
        ],
        4: [
            "friend": .value(node(4)), "friends": .values([node(1), node(2), node(3), node(4)]),
            "mix": .value(
                .list([
                    .int(1), .list([.int(2), .string("two")]), .list([.int(3)]), node(2),
                    .string("str"), map([("name", .string("inner"))]), .null,
                ])),
            "anyMap": .entries(["friend": .value(node(1)), "k": .value(.int(7))]),
            "places": .embeddedList([["keeper": .value(node(2)), "zip": .value(.int(9))]]),
            "spots": .entries(["s": .embedded(["zip": .value(.int(5))])]),
        ],
    ]

    let store: Store
    /// The same with out-of-line values wherever that is possible.
    private let scattered: Store?
    private let identities: [ObjectIdentity: Identity]

    /// - `isScattered`: Whether queries are also run on out-of-line values.
    init(isScattered: Bool = true) throws {
        store = try Store(engine: try EngineCase.memory.open())
        try Self.fill(store)
        if isScattered {
            var options = StoreOptions()
            options.overflowLimits = .tiny
            let other = try Store(engine: try EngineCase.memory.open(), options: options)
            try Self.fill(other)
            scattered = other
        } else {
            scattered = nil
        }
        identities = try store.contents().identities
    }

    private static func fill(_ store: Store) throws {
        try store.setSchema(Self.classes)
        for stage in [Self.nodes, Self.links] {
            for id in stage.keys.sorted() {
                try store.put(
                    "Node", (stage[id] ?? [:]).merging(["id": .value(.int(id))]) { a, _ in a })
            }
        }
        try store.put(
            "Box",
            [
                "name": .value(.string("big")), "node": .value(Self.node(1)),
                "nodes": .values([Self.node(1), Self.node(1), Self.node(4)]),
                "content": .value(Self.node(2)), "n": .value(.int(1)),
            ])
        try store.put(
            "Box",
            [
                "name": .value(.string("small")), "node": .value(Self.node(1)),
                "content": .value(.int(10)), "n": .value(.int(2)),
            ])
    }

    /// The keys of the objects of a class that satisfy a query, found by a scan and by the planner alike.
    func keys(
        _ text: String, _ arguments: [QueryArgument] = [], of className: String = "Node"
    ) throws -> [Value] {
        let keys = try keys(text, arguments, of: className, in: store)
        guard let scattered else { return keys }
        let others = try self.keys(text, arguments, of: className, in: scattered)
        #expect(keys == others, "with out-of-line values: \(text)")
        return keys
    }

    private func keys(
        _ text: String, _ arguments: [QueryArgument], of className: String, in store: Store
    ) throws -> [Value] {
        try store.reading { transaction in
            guard let rowClass = transaction.rows.rowClass(named: className) else { return [] }
            let query = try CompiledQuery.compile(
                text: text, arguments: arguments, rootClass: rowClass.index,
                schema: transaction.rows)
            let matcher = query.predicate.makeMatcher(transaction.rows, source: transaction)
            var scanned: Set<UInt64> = []
            try transaction.scan(rowClass) { key, row in
                if matcher.matches(row: row, key: key, source: transaction) { scanned.insert(key) }
                return true
            }
            let execution = try QueryExecution(
                ObjectQuery(
                    classIndex: rowClass.index, predicate: query.predicate, sort: query.sort),
                in: transaction)
            var planned: [UInt64] = []
            try execution.run(limit: .max) { key, _ in
                planned.append(key)
                return true
            }
            #expect(Set(planned) == scanned, "\(text)")
            _ = query.predicate.dependencies(transaction.rows)
            let isCut = query.suffixes.contains { if case .sort = $0 { false } else { true } }
            if isCut {
                planned = try StagedQuery(
                    classIndex: rowClass.index, predicate: query.predicate,
                    suffixes: query.suffixes
                ).run(in: transaction, limits: QueryLimits()).keys
            }
            return planned.map { key in
                let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
                return identities[identity]?.key ?? .null
            }
        }
    }

    /// The schema of the nodes.
    var rows: RowSchema { store.catalog.rows }

    /// Changes a node.
    func put(_ id: Int64, _ content: ObjectContent) throws {
        let draft = content.merging(["id": .value(.int(id))]) { a, _ in a }
        try store.put("Node", draft)
        try scattered?.put("Node", draft)
    }

    /// The identifiers of the nodes that satisfy a query, in its order.
    func ids(_ text: String, _ arguments: [QueryArgument] = []) throws -> [Int64] {
        try keys(text, arguments).map { if case .int(let id) = $0 { id } else { -1 } }
    }

    /// Expects of each query the nodes beside it.
    func check(_ table: [(String, [Int64])]) {
        for (text, expected) in table {
            do {
                let found = try ids(text)
                #expect(found == expected, "\(text)")
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
    }

    /// Why a query on nodes is refused; nil when it is not.
    func fault(_ text: String, _ arguments: [QueryArgument] = []) throws -> QueryError? {
        try store.reading { transaction in
            do throws(QueryError) {
                _ = try CompiledQuery.compile(
                    text: text, arguments: arguments, rootClass: 0, schema: transaction.rows)
                return nil
            } catch {
                return error
            }
        }
    }

    /// Expects each query to be refused with the beginning of a message, at a column.
    func check(faults table: [(String, String, Int)]) throws {
        for (text, message, column) in table {
            let error = try fault(text)
            #expect(error?.message.hasPrefix(message) ?? false, "\(text): \(error?.message ?? "-")")
            #expect(error?.column == column, "\(text): \(error?.column ?? 0)")
        }
    }
}
