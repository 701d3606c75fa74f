import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

/// Objects with everything that can be sorted by, and what each order makes of them.
struct OrderWorld {
    /// A value in the order of the language: null, NaN, bools, numbers, texts.
    enum Rank: Comparable {
        case null
        case bool(Bool)
        case notANumber
        case number(Double)
        case text([UInt8])
        case list

        static func < (a: Rank, b: Rank) -> Bool {
            switch (a, b) {
            case (.bool(let x), .bool(let y)): !x && y
            case (.number(let x), .number(let y)): x < y
            case (.text(let x), .text(let y)): x.lexicographicallyPrecedes(y)
            default: a.kind < b.kind
            }
        }

        private var kind: Int {
            switch self {
            case .null: 0
            case .bool: 1
            case .notANumber: 2
            case .number: 3
            case .text: 4
            case .list: 5
            }
        }
    }

    struct Item {
        var id: Int
        var number: Int?
        var real: Double?
        var text: String?
        var ints: [Int]
        var marks: [String: Int?]
        /// JSON of a `mixed` value, and its rank.
        var mixed: (json: String, rank: Rank)
        var inner: Int??
        var best: Int?
        var others: [Int]
    }

    static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int),
                Schemas.property("number", .int, optional: true),
                Schemas.property("numberI", .int, optional: true, indexed: true),
                Schemas.property("real", .double, optional: true),
                Schemas.property("realI", .double, optional: true, indexed: true),
                Schemas.property("text", .string, optional: true),
                Schemas.property("textI", .string, optional: true, indexed: true),
                Schemas.property("mixed", .mixed),
                Schemas.property("mixedI", .mixed, indexed: true),
                Schemas.list("ints", .int),
                Property(name: "marks", type: .map(.scalar(.int)), isOptional: true),
                Property(name: "inner", type: .single(.object("Inner")), isOptional: true),
                Schemas.link("best", "Item"), Schemas.list("others", of: "Item"),
                Property(
                    name: "bestOf", type: .linkingObjects(className: "Item", property: "best")),
            ]),
        ObjectClass(
            name: "Inner", kind: .embedded,
            properties: [Schemas.property("a", .int, optional: true)]),
    ])

    let service: TestService
    private(set) var items: [Item] = []

    /// Puts random objects into a new store, by one transaction.
    init(_ engine: EngineCase, seed: UInt64, count: Int) throws {
        service = try TestService(engine, classes: Self.schema.classes)
        var generator = SeededGenerator(seed: seed)
        for id in 0..<count { items.append(Self.item(id, count, &generator)) }
        let plain = items.map { "{\"id\":\($0.id)}" }.joined(separator: ",")
        try service.write("Item", array: "[\(plain)]")
        let bodies = items.map(Self.json).joined(separator: ",")
        try service.write("Item", array: "[\(bodies)]", .merge)
    }

    private static func item(_ id: Int, _ count: Int, _ random: inout SeededGenerator) -> Item {
        func pick<Value>(_ values: [Value]) -> Value {
            values[Int.random(in: 0..<values.count, using: &random)]
        }
        let stem = String(repeating: "x", count: 401)
        let texts: [String?] = [
            nil, "", "a", "a\u{0}", "ab", "é", stem, stem + "a", stem + "b", stem + "aa",
        ]
        let kinds: [(String, Rank)] = [
            ("null", .null), ("true", .bool(true)), ("false", .bool(false)),
            (#"{"$double":"NaN"}"#, .notANumber), ("1", .number(1)), ("1.0", .number(1)),
            (#"{"$decimal":"1"}"#, .number(1)), ("-2.5", .number(-2.5)), ("7", .number(7)),
            ("\"\"", .text([])), ("\"\(stem)a\"", .text(Array((stem + "a").utf8))),
            ("\"\(stem)b\"", .text(Array((stem + "b").utf8))), ("[1]", .list), ("[]", .list),
        ]
        var marks: [String: Int?] = [:]
        for key in ["k", "other"] where pick([true, false]) { marks[key] = pick([nil, 1, 2, -1]) }
        return Item(
            id: id, number: pick([nil, 1, 2, 3, -1 << 50, 1 << 50]),
            real: pick([nil, .nan, 0, -0.0, 1.5, .infinity, -.infinity]), text: pick(texts),
            ints: (0..<pick([0, 0, 1, 2, 3])).map { _ in pick([-5, 0, 2, 9]) }, marks: marks,
            mixed: pick(kinds), inner: pick([nil, .some(nil), 1, 2]),
            best: pick([nil, Int.random(in: 0..<count, using: &random)]),
            others: (0..<pick([0, 1, 2])).map { _ in Int.random(in: 0..<count, using: &random) })
    }

    private static func json(_ item: Item) -> String {
        let number = item.number.map(String.init) ?? "null"
        let real = QueryWorld.json(item.real)
        let text = item.text.map(quoted) ?? "null"
        let marks = item.marks.sorted { $0.key < $1.key }.map {
            "\"\($0.key)\":\($0.value.map(String.init) ?? "null")"
        }
        let inner = item.inner.map { "{\"a\":\($0.map(String.init) ?? "null")}" } ?? "null"
        return
            "{\"id\":\(item.id),\"number\":\(number),\"numberI\":\(number),\"real\":\(real),\"realI\":\(real),"
            + "\"text\":\(text),\"textI\":\(text),\"mixed\":\(item.mixed.json),\"mixedI\":\(item.mixed.json),"
            + "\"ints\":\(item.ints),\"marks\":{\(marks.joined(separator: ","))},\"inner\":\(inner),"
            + "\"best\":\(item.best.map(String.init) ?? "null"),\"others\":\(item.others)}"
    }

    // MARK: Orders

    /// Everything that can be sorted by, as filters write it.
    static let paths = [
        "id", "number", "numberI", "real", "realI", "text", "textI", "mixed", "mixedI",
        "ints.@count",
        "ints.@min", "ints.@max", "ints.@sum", "ints.@avg", "marks['k']", "marks.@count",
        "inner.a", "best.number", "best.text", "best.mixed", "best.best.real", "best.ints.@max",
        "best.marks['k']", "best.inner.a", "others.@count", "others.@sum.number",
        "others.@min.real",
        "others.@max.number", "others.@avg.number", "bestOf.@count", "best.bestOf.@count",
        "best.best.id",
        "@links.@count", "@links.Item.best.@count", "text.@count",
    ]

    /// What an object is sorted by.
    func rank(_ item: Item, _ path: String) -> Rank {
        if path.hasPrefix("best.") {
            guard let best = item.best else {
                // What is behind a null link is empty: there is nothing to count.
                return path.hasSuffix("bestOf.@count") ? .number(0) : .null
            }
            return rank(items[best], String(path.dropFirst(5)))
        }
        func number(_ value: Double?) -> Rank {
            value.map { $0.isNaN ? .notANumber : .number($0) } ?? .null
        }
        func int(_ value: Int?) -> Rank { number(value.map(Double.init)) }
        let ints = item.ints.map(Double.init)
        let numbers = item.others.compactMap { items[$0].number }
        let bestOf = items.filter { $0.best == item.id }.count
        switch path {
        case "id": return int(item.id)
        case "number", "numberI": return int(item.number)
        case "real", "realI": return number(item.real)
        case "text", "textI": return item.text.map { .text(Array($0.utf8)) } ?? .null
        case "text.@count": return int(item.text?.utf8.count)
        case "mixed", "mixedI": return item.mixed.rank
        case "ints.@count": return int(item.ints.count)
        case "ints.@min": return number(ints.min())
        case "ints.@max": return number(ints.max())
        case "ints.@sum": return number(ints.reduce(0, +))
        case "ints.@avg":
            return number(ints.isEmpty ? nil : ints.reduce(0, +) / Double(ints.count))
        case "marks['k']": return int(item.marks["k"] ?? nil)
        case "marks.@count": return int(item.marks.count)
        case "inner.a": return int(item.inner ?? nil)
        case "others.@count": return int(item.others.count)
        case "others.@sum.number": return int(numbers.reduce(0, &+))
        case "others.@max.number": return int(numbers.max())
        case "others.@avg.number":
            let sum = numbers.map(Double.init).reduce(0, +)
            return number(numbers.isEmpty ? nil : sum / Double(numbers.count))
        case "others.@min.real":
            // NaN counts as no value.
            return number(item.others.compactMap { items[$0].real }.filter { !$0.isNaN }.min())
        case "bestOf.@count", "@links.Item.best.@count": return int(bestOf)
        case "@links.@count":
            return int(bestOf + items.reduce(0) { $0 + $1.others.filter { $0 == item.id }.count })
        default:
            Issue.record("no rank for \(path)")
            return .null
        }
    }

    /// The ids in an order; what is equal in all of it stands by age.
    func ids(_ keys: [(path: String, isAscending: Bool)], _ matches: (Item) -> Bool = { _ in true })
        -> [Int]
    {
        let found = items.filter(matches).map { item in
            (item.id, keys.map { rank(item, $0.path) })
        }
        return found.sorted { a, b in
            for (place, key) in keys.enumerated() {
                let (x, y) = (a.1[place], b.1[place])
                if x < y { return key.isAscending }
                if y < x { return !key.isAscending }
            }
            return a.0 < b.0
        }.map(\.0)
    }
}
