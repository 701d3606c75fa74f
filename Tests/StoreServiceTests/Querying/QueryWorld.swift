import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

/// Random objects of one class with every kind of value twice, plain and indexed, and a model of them.
struct QueryWorld {
    /// An object as the model has it.
    struct Item: Sendable {
        var id: Int
        var a: Int?
        var d: Double?
        var s: String?
        var t: Int?
        var b: Bool
        var best: Int?
    }

    static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int),
                Schemas.property("a", .int, optional: true),
                Schemas.property("ai", .int, optional: true, indexed: true),
                Schemas.property("d", .double, optional: true),
                Schemas.property("di", .double, optional: true, indexed: true),
                Schemas.property("s", .string, optional: true),
                Schemas.property("si", .string, optional: true, indexed: true),
                Schemas.property("t", .date, optional: true),
                Schemas.property("ti", .date, optional: true, indexed: true),
                Schemas.property("b", .bool), Schemas.property("bi", .bool, indexed: true),
                Schemas.property("note", .int, default: .constant(.int(0))),
                Schemas.link("best", "Item"),
            ])
    ])

    let service: TestService
    var items: [Int: Item] = [:]
    /// The ids in the order in which the objects were created: that of their object keys.
    var order: [Int] = []
    var generator: SeededGenerator

    init(_ engine: EngineCase, seed: UInt64, count: Int) throws {
        service = try TestService(engine, classes: Self.schema.classes)
        generator = SeededGenerator(seed: seed)
        for id in 0..<count { try put(randomItem(id)) }
    }

    private static let stems = [
        String(repeating: "x", count: 398), String(repeating: "x", count: 399),
        String(repeating: "x", count: 400),
        String(repeating: "x", count: 380) + "é" + String(repeating: "y", count: 17),
        String(repeating: "x", count: 396) + "\0",
    ]

    mutating func randomText() -> String {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: return ""
        case 1:
            return ["a", "ab", "abc", "b", "é", "\0", "a\0", "a\0b", "Z"].randomElement(
                using: &generator) ?? ""
        case 2...7:
            var text = Self.stems.randomElement(using: &generator) ?? ""
            for _ in 0..<Int.random(in: 0...6, using: &generator) {
                text += ["a", "b", "\0", "é"].randomElement(using: &generator) ?? ""
            }
            return text
        default: return String(Int.random(in: 0..<20, using: &generator))
        }
    }

    mutating func randomItem(_ id: Int) -> Item {
        let numbers: [Double] = [0, -0.0, 1, -1, 1.5, .infinity, -.infinity, .nan, 1e300, -1e-300]
        return Item(
            id: id,
            a: Bool.random(using: &generator)
                ? Int.random(in: -3...3, using: &generator)
                : [nil, .max, .min, 7][Int.random(in: 0..<4, using: &generator)],
            d: Int.random(in: 0..<6, using: &generator) == 0
                ? nil : numbers.randomElement(using: &generator),
            s: Int.random(in: 0..<8, using: &generator) == 0 ? nil : randomText(),
            t: Int.random(in: 0..<5, using: &generator) == 0
                ? nil : Int.random(in: -3...3, using: &generator) * 1_000,
            b: Bool.random(using: &generator),
            best: order.isEmpty || Bool.random(using: &generator)
                ? nil : order.randomElement(using: &generator))
    }

    static func json(_ value: Double?) -> String {
        guard let value else { return "null" }
        if value.isNaN { return "\"NaN\"" }
        if value.isInfinite { return value > 0 ? "\"Infinity\"" : "\"-Infinity\"" }
        return value == 0 && value.sign == .minus ? "-0.0" : "\(value)"
    }

    /// A whole number of seconds as a date.
    static func date(_ seconds: Int) -> String {
        // Around the beginning of 1970, where the tests' dates lie.
        let day = seconds < 0 ? "1969-12-31" : "1970-01-01"
        let inDay = seconds < 0 ? seconds + 86_400 : seconds
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(day)T\(two(inDay / 3600)):\(two(inDay / 60 % 60)):\(two(inDay % 60))Z"
    }

    mutating func put(_ item: Item) throws {
        let a = item.a.map(String.init) ?? "null"
        let d = Self.json(item.d)
        let s = item.s.map(quoted) ?? "null"
        let t = item.t.map { "\"\(Self.date($0))\"" } ?? "null"
        let best = item.best.map(String.init) ?? "null"
        let body =
            "{\"a\":\(a),\"ai\":\(a),\"d\":\(d),\"di\":\(d),\"s\":\(s),\"si\":\(s),\"t\":\(t),\"ti\":\(t),"
            + "\"b\":\(item.b),\"bi\":\(item.b),\"best\":\(best)}"
        try service.put(Self.object(item.id), body)
        if items.updateValue(item, forKey: item.id) == nil { order.append(item.id) }
    }

    private static func object(_ id: Int) -> ObjectAddress { ObjectAddress("Item", "\(id)") }

    mutating func delete(_ id: Int) throws {
        try service.delete(Self.object(id))
        items[id] = nil
        order.removeAll { $0 == id }
        for (other, item) in items where item.best == id { items[other]?.best = nil }
    }

    // MARK: The model

    /// A sort key of the model.
    struct Key: CustomStringConvertible {
        var path: String
        var isAscending: Bool
        var description: String { (isAscending ? "" : "-") + path }
    }

    mutating func randomSort() -> [Key] {
        let paths = [
            "id", "a", "ai", "d", "di", "s", "si", "t", "ti", "b", "bi", "best.a", "best.s",
            "best.best.d",
        ]
        let weights = [0, 1, 1, 1, 1, 1, 2, 2, 3]
        let count = weights.randomElement(using: &generator) ?? 1
        return (0..<count).map { _ in
            Key(
                path: paths.randomElement(using: &generator) ?? "id",
                isAscending: Bool.random(using: &generator))
        }
    }

    /// The rank of a value in the order that the language states: null, then NaN, then numbers; false
    /// before true; strings by code points.
    func compare(_ x: Item, _ y: Item, _ path: String) -> Int {
        if path.hasPrefix("best.") {
            let rest = String(path.dropFirst(5))
            let left = x.best.flatMap { items[$0] }
            let right = y.best.flatMap { items[$0] }
            switch (left, right) {
            case (let left?, let right?): return compare(left, right, rest)
            case (let left?, nil): return isNull(left, rest) ? 0 : 1
            case (nil, let right?): return isNull(right, rest) ? 0 : -1
            case (nil, nil): return 0
            }
        }
        func order<T>(_ a: T?, _ b: T?, _ isLess: (T, T) -> Bool) -> Int {
            guard let a else { return b == nil ? 0 : -1 }
            guard let b else { return 1 }
            return isLess(a, b) ? -1 : isLess(b, a) ? 1 : 0
        }
        switch path {
        case "a", "ai": return order(x.a, y.a, <)
        case "d", "di":
            return order(x.d, y.d) { a, b in a.isNaN ? !b.isNaN : !b.isNaN && a < b }
        case "s", "si":
            return order(x.s, y.s) { a, b in a.utf8.lexicographicallyPrecedes(b.utf8) }
        case "t", "ti": return order(x.t, y.t, <)
        case "b", "bi": return order(x.b ? 1 : 0, y.b ? 1 : 0, <)
        default: return order(x.id, y.id, <)
        }
    }

    private func isNull(_ item: Item, _ path: String) -> Bool {
        if path.hasPrefix("best.") {
            guard let next = item.best.flatMap({ items[$0] }) else { return true }
            return isNull(next, String(path.dropFirst(5)))
        }
        switch path {
        case "a", "ai": return item.a == nil
        case "d", "di": return item.d == nil
        case "s", "si": return item.s == nil
        case "t", "ti": return item.t == nil
        default: return false
        }
    }

    /// What a query has to return.
    func expected(_ sort: [Key], _ matches: (Item) -> Bool) -> [Int] {
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
        return order.compactMap { items[$0] }.filter(matches).sorted { x, y in
            for key in sort {
                let result = compare(x, y, key.path)
                if result != 0 { return (result < 0) == key.isAscending }
            }
            return places[x.id] ?? 0 < places[y.id] ?? 0
        }.map(\.id)
    }

    /// A random filter: its text, with `#` where a property is indexed or not, its arguments as JSON, and
    /// what it means.
    mutating func randomFilter() -> (
        text: String, arguments: [String], matches: @Sendable (Item) -> Bool
    ) {
        func compared<T: Comparable & Sendable>(
            _ name: String, _ value: T?, _ json: String, _ operation: Int,
            _ own: @escaping @Sendable (Item) -> T?
        ) -> (String, [String], @Sendable (Item) -> Bool) {
            switch operation {
            case 0: return ("\(name) == $0", [json], { own($0) == value })
            case 1: return ("\(name) != $0", [json], { own($0) != value })
            case 2:
                return ("\(name) < $0", [json], { item in Self.both(own(item), value) { $0 < $1 } })
            case 3:
                return (
                    "\(name) >= $0", [json],
                    { item in
                        own(item) == nil && value == nil || Self.both(own(item), value) { $0 >= $1 }
                    }
                )
            default:
                return ("\(name) > $0", [json], { item in Self.both(own(item), value) { $0 > $1 } })
            }
        }
        let operation = Int.random(in: 0..<5, using: &generator)
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: return ("TRUEPREDICATE", [], { _ in true })
        case 1:
            let value = [-3, 0, 2, 7, nil].randomElement(using: &generator) ?? 0
            return compared("a#", value, value.map(String.init) ?? "null", operation) { $0.a }
        case 2:
            let text = randomText()
            return compared("s#", Bytes(text), quoted(text), operation) { $0.s.map { Bytes($0) } }
        case 3:
            let text = String(
                randomText().unicodeScalars.prefix(Int.random(in: 1...404, using: &generator)))
            return (
                "s# BEGINSWITH $0", [quoted(text)],
                { $0.s.map { $0.utf8.starts(with: text.utf8) } ?? false }
            )
        case 4:
            let values = (0..<3).map { _ in Int.random(in: -3...3, using: &generator) }
            return ("a# IN $0", ["\(values)"], { $0.a.map { values.contains($0) } ?? false })
        case 5:
            let low = Int.random(in: -3...3, using: &generator)
            let high = Int.random(in: -3...3, using: &generator)
            return (
                "a# BETWEEN $0", ["[\(low),\(high)]"],
                { $0.a.map { low <= $0 && $0 <= high } ?? false }
            )
        case 6:
            let value = Int.random(in: -3...3, using: &generator) * 1000
            return compared("t#", value, "\"\(Self.date(value))\"", operation) { $0.t }
        case 7:
            let flag = Bool.random(using: &generator)
            let low = Int.random(in: -3...3, using: &generator)
            return (
                "b# == $0 AND a# > $1", ["\(flag)", "\(low)"],
                { item in item.b == flag && (item.a.map { $0 > low } ?? false) }
            )
        default:
            let text = randomText()
            let low = Int.random(in: -3...3, using: &generator)
            return (
                "s# == $0 OR a# == $1", [quoted(text), "\(low)"],
                { $0.s.map { $0.utf8.elementsEqual(text.utf8) } ?? false || $0.a == low }
            )
        }
    }

    private static func both<T>(_ a: T?, _ b: T?, _ test: (T, T) -> Bool) -> Bool {
        guard let a, let b else { return false }
        return test(a, b)
    }

    /// A text that compares by its bytes.
    private struct Bytes: Comparable, Sendable {
        let bytes: [UInt8]
        init(_ text: String) { bytes = Array(text.utf8) }
        static func < (a: Bytes, b: Bytes) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }
    }

    /// Makes the objects of many bodies, which the model does not know.
    func create(_ bodies: [String]) throws {
        try service.write("Item", array: "[\(bodies.joined(separator: ","))]")
    }

    /// One page.
    func page(
        _ filter: (text: String, arguments: [String]), _ sort: [Key], limit: Int, cursor: String?
    ) throws -> WrittenPage {
        var body =
            "{\"filter\":\(quoted(filter.text)),\"args\":[\(filter.arguments.joined(separator: ","))]"
        if !sort.isEmpty {
            body += ",\"sort\":\"\(sort.map(\.description).joined(separator: ","))\""
        }
        if let cursor { body += ",\"cursor\":\"\(cursor)\"" }
        body += ",\"limit\":\(limit),\"fields\":\"id\"}"
        return try page(body)
    }

    /// The page of the query that a body states.
    func page(_ body: String) throws -> WrittenPage {
        try #require(try service.page(.objects(.ofClass("Item")), body: body))
    }
}
