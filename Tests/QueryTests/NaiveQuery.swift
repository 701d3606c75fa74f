import HoldfastObjectModel
import HoldfastQuery
import HoldfastTestSupport

/// What a path leads to from one person, found in the plainest way.
enum Reached {
    case one(Value)
    case many([Value])
    /// Collections that are compared one at a time.
    case groups([[Value]])
}

/// A path as text and as a walk over plain objects.
struct NaivePath: Sendable {
    enum Kind: Sendable { case bool, int, double, string, data, date, objectID, uuid }
    var text: String
    var kind: Kind
    var isPrimitive = false
    var read: @Sendable (World, Person) -> Reached

    private static func v(_ value: Int64?) -> Value { value.map { .int($0) } ?? .null }
    private static func v(_ value: String?) -> Value { value.map { .string($0) } ?? .null }
    private static func v(_ value: Double?) -> Value { value.map { .double($0) } ?? .null }
    private static func average(_ values: [Int64]) -> Double? {
        values.isEmpty ? nil : values.map(Double.init).reduce(0, +) / Double(values.count)
    }
    private static func count(_ count: Int) -> Reached { .one(.int(Int64(count))) }
    private static func sorted(_ tags: [String]) -> [Value] {
        tags.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map { .string($0) }
    }
    private static func crew(_ person: Person) -> [Person] {
        person.crew.sorted { $0.key < $1.key }
    }
    private static func origins(_ world: World, _ person: Person, _ property: String) -> [Person] {
        world.origins(of: person, 0, property).map { world.people[Int($0)] }
    }

    static let all: [NaivePath] = [
        NaivePath(text: "name", kind: .string) { _, p in .one(v(p.name)) },
        NaivePath(text: "age", kind: .int) { _, p in .one(v(p.age)) },
        NaivePath(text: "score", kind: .double) { _, p in .one(p.score.map { .double($0) } ?? .null)
        },
        NaivePath(text: "active", kind: .bool) { _, p in .one(p.active.map { .bool($0) } ?? .null)
        },
        NaivePath(text: "born", kind: .date) { _, p in .one(p.born.map { .date($0) } ?? .null) },
        NaivePath(text: "oid", kind: .objectID) { _, p in .one(p.oid.map { .objectID($0) } ?? .null)
        },
        NaivePath(text: "uid", kind: .uuid) { _, p in .one(p.uid.map { .uuid($0) } ?? .null) },
        NaivePath(text: "blob", kind: .data) { _, p in .one(p.blob.map { .data($0) } ?? .null) },
        NaivePath(text: "home.city", kind: .string) { _, p in .one(v(p.home?.city)) },
        NaivePath(text: "home.zip", kind: .int) { _, p in .one(v(p.home?.zip)) },
        NaivePath(text: "home.owner.age", kind: .int) { _, p in .one(v(p.home?.owner?.age)) },
        NaivePath(text: "friend.name", kind: .string) { _, p in .one(v(p.friend?.name)) },
        NaivePath(text: "friend.friend.age", kind: .int) { _, p in .one(v(p.friend?.friend?.age)) },
        NaivePath(text: "ints[0]", kind: .int) { _, p in .one(v(p.ints.first ?? nil)) },
        NaivePath(text: "names[LAST]", kind: .string) { _, p in .one(v(p.names.last ?? nil)) },
        NaivePath(text: "friends[1].age", kind: .int) { _, p in
            .one(v(p.friends.count > 1 ? p.friends[1].age : nil))
        },
        NaivePath(text: "places[FIRST].city", kind: .string) { _, p in .one(v(p.places.first?.city))
        },
        NaivePath(text: "friends.@count", kind: .int) { _, p in count(p.friends.count) },
        NaivePath(text: "ints.@size", kind: .int) { _, p in count(p.ints.count) },
        NaivePath(text: "name.@count", kind: .int) { _, p in
            .one(v(p.name.map { Int64($0.utf8.count) }))
        },
        NaivePath(text: "friend.@count", kind: .int) { _, p in count(p.friend == nil ? 0 : 1) },
        NaivePath(text: "friends.crew.@count", kind: .int) { _, p in
            count(p.friends.flatMap(\.crew).count)
        },
        NaivePath(text: "fans.@count", kind: .int) { w, p in count(origins(w, p, "friend").count) },
        NaivePath(text: "@links.@count", kind: .int) { w, p in
            count(w.incomingLinkCount(classIndex: 0, key: p.key))
        },
        NaivePath(text: "ints", kind: .int, isPrimitive: true) { _, p in .many(p.ints.map(v)) },
        NaivePath(text: "names", kind: .string, isPrimitive: true) { _, p in .many(p.names.map(v))
        },
        NaivePath(text: "tags", kind: .string, isPrimitive: true) { _, p in .many(sorted(p.tags)) },
        NaivePath(text: "friends.age", kind: .int) { _, p in .many(p.friends.map { v($0.age) }) },
        NaivePath(text: "friends.friend.name", kind: .string) { _, p in
            .many(p.friends.compactMap(\.friend).map { v($0.name) })
        },
        NaivePath(text: "crew.home.city", kind: .string) { _, p in
            .many(crew(p).compactMap(\.home).map { v($0.city) })
        },
        NaivePath(text: "places.zip", kind: .int) { _, p in .many(p.places.map { v($0.zip) }) },
        NaivePath(text: "places.owner.age", kind: .int) { _, p in
            .many(p.places.compactMap(\.owner).map { v($0.age) })
        },
        NaivePath(text: "fans.name", kind: .string) { w, p in
            .many(origins(w, p, "friend").map { v($0.name) })
        },
        NaivePath(text: "@links.Person.friends.age", kind: .int) { w, p in
            .many(origins(w, p, "friends").map { v($0.age) })
        },
        NaivePath(text: "friend.ints", kind: .int, isPrimitive: true) { _, p in
            .many((p.friend?.ints ?? []).map(v))
        },
        NaivePath(text: "names.length", kind: .int) { _, p in
            .many(p.names.map { v(Int64($0?.utf8.count ?? 0)) })
        },
        NaivePath(text: "friends.ints", kind: .int, isPrimitive: true) { _, p in
            .groups(p.friends.map { $0.ints.map(v) })
        },
        NaivePath(text: "crew.tags", kind: .string, isPrimitive: true) { _, p in
            .groups(crew(p).map { sorted($0.tags) })
        },
        NaivePath(text: "friends.ints.@count", kind: .int) { _, p in
            .many(p.friends.map { v(Int64($0.ints.count)) })
        },
        NaivePath(text: "age + 1", kind: .int) { _, p in .one(v(p.age.map { $0 + 1 })) },
        NaivePath(text: "score * 2", kind: .double) { _, p in .one(v(p.score.map { $0 * 2 })) },
        NaivePath(text: "age - friend.age * 2", kind: .int) { _, p in
            .one(v(p.age.flatMap { own in p.friend?.age.map { own - $0 * 2 } }))
        },
        NaivePath(text: "age / 2", kind: .int) { _, p in .one(v(p.age.map { $0 / 2 })) },
        NaivePath(text: "score + age", kind: .double) { _, p in
            .one(v(p.score.flatMap { own in p.age.map { own + Double($0) } }))
        },
        NaivePath(text: "ints + 1", kind: .int) { _, p in
            .many(p.ints.map { v($0.map { $0 + 1 }) })
        },
        NaivePath(text: "friends.age * 2", kind: .int) { _, p in
            .many(p.friends.map { v($0.age.map { $0 * 2 }) })
        },
        NaivePath(text: "friends.ints - 1", kind: .int) { _, p in
            .groups(p.friends.map { $0.ints.map { v($0.map { $0 - 1 }) } })
        },
        NaivePath(text: "ints.@min", kind: .int) { _, p in .one(v(p.ints.compactMap { $0 }.min()))
        },
        NaivePath(text: "ints.@max", kind: .int) { _, p in .one(v(p.ints.compactMap { $0 }.max()))
        },
        NaivePath(text: "ints.@sum", kind: .int) { _, p in
            .one(v(p.ints.compactMap { $0 }.reduce(0, +)))
        },
        NaivePath(text: "ints.@avg", kind: .double) { _, p in
            .one(v(average(p.ints.compactMap { $0 })))
        },
        NaivePath(text: "friends.@max.age", kind: .int) { _, p in
            .one(v(p.friends.compactMap(\.age).max()))
        },
        NaivePath(text: "friends.crew.@sum.age", kind: .int) { _, p in
            .one(v(p.friends.flatMap(\.crew).compactMap(\.age).reduce(0, +)))
        },
        NaivePath(text: "fans.@avg.age", kind: .double) { w, p in
            .one(v(average(origins(w, p, "friend").compactMap(\.age))))
        },
        NaivePath(text: "friends.ints.@sum", kind: .int) { _, p in
            .many(p.friends.map { v($0.ints.compactMap { $0 }.reduce(0, +)) })
        },
        NaivePath(text: "SUBQUERY(friends, $f, $f.age > 0).@count", kind: .int) { _, p in
            count(p.friends.count { ($0.age ?? 0) > 0 })
        },
        NaivePath(
            text:
                "SUBQUERY(fans, $f, SUBQUERY($f.crew, $g, age == 1 OR name == null).@count > 0).@count",
            kind: .int
        ) { w, p in
            count(
                origins(w, p, "friend").count { fan in
                    fan.crew.contains { $0.age == 1 || $0.name == nil }
                })
        },
        NaivePath(text: "@links.Address.owner.zip", kind: .int) { w, p in
            .many(
                w.people.flatMap { owner in
                    ([owner.home].compactMap { $0 } + owner.places).filter { $0.owner === p }
                        .map { v($0.zip) }
                })
        },
    ]

    var isMany: Bool {
        switch text {
        case "ints", "names", "tags", "friends.age", "friends.friend.name", "crew.home.city",
            "places.zip",
            "places.owner.age", "fans.name", "@links.Person.friends.age", "friend.ints",
            "names.length",
            "friends.ints", "crew.tags", "friends.ints.@count", "ints + 1", "friends.age * 2",
            "friends.ints - 1", "friends.ints.@sum", "@links.Address.owner.zip":
            true
        default: false
        }
    }
}

/// The language's rules for two values, written a second time.
enum Naive {
    static func holds(_ a: Value, _ op: String, _ b: Value, ignoresCase: Bool) -> Bool {
        if a == .null || b == .null {
            switch op {
            case "==", "<=", ">=", "LIKE": return a == .null && b == .null
            case "!=": return !(a == .null && b == .null)
            case "<", ">": return false
            default: return b == .null
            }
        }
        if let (x, y) = texts(a, b) {
            let (l, r) = ignoresCase ? (fold(x), fold(y)) : (x, y)
            switch op {
            case "==": return l == r
            case "!=": return l != r
            case "BEGINSWITH": return l.starts(with: r)
            case "ENDSWITH": return l.reversed().starts(with: r.reversed())
            case "CONTAINS": return r.isEmpty || l.indices.contains { l[$0...].starts(with: r) }
            case "LIKE": return like(l[...], r[...])
            default: break
            }
        }
        guard let order = order(a, b) else { return op == "!=" }
        switch op {
        case "==": return order == 0
        case "!=": return order != 0
        case "<": return order < 0
        case "<=": return order <= 0
        case ">": return order > 0
        case ">=": return order >= 0
        default: return false
        }
    }

    private static func texts(_ a: Value, _ b: Value) -> ([Unicode.Scalar], [Unicode.Scalar])? {
        switch (a, b) {
        case (.string(let x), .string(let y)): (Array(x.unicodeScalars), Array(y.unicodeScalars))
        case (.data(let x), .data(let y)):
            (x.map { Unicode.Scalar($0) }, y.map { Unicode.Scalar($0) })
        default: nil
        }
    }

    private static func fold(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        text.map { $0.properties.lowercaseMapping.unicodeScalars.first ?? $0 }
    }

    private static func like(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == "*" {
            return like(text, rest) || (!text.isEmpty && like(text.dropFirst(), pattern))
        }
        guard let own = text.first, first == "?" || own == first else { return false }
        return like(text.dropFirst(), rest)
    }

    static func order(_ a: Value, _ b: Value) -> Int? {
        func compare<T: Comparable>(_ x: T, _ y: T) -> Int { x < y ? -1 : x == y ? 0 : 1 }
        func compare(_ x: Double, _ y: Double) -> Int {
            if x.isNaN || y.isNaN { return (x.isNaN ? 0 : 1) - (y.isNaN ? 0 : 1) }
            return x < y ? -1 : x == y ? 0 : 1
        }
        switch (a, b) {
        case (.bool(let x), .bool(let y)): return (x ? 1 : 0) - (y ? 1 : 0)
        case (.int(let x), .int(let y)): return compare(x, y)
        // The numbers of these tests are small, so that this is exact.
        case (.int(let x), .double(let y)): return compare(Double(x), y)
        case (.double(let x), .int(let y)): return compare(x, Double(y))
        case (.double(let x), .double(let y)): return compare(x, y)
        case (.string(let x), .string(let y)):
            return lexicographic(Array(x.utf8), Array(y.utf8))
        case (.data(let x), .data(let y)): return lexicographic(x, y)
        case (.date(let x), .date(let y)): return compare(x, y)
        case (.objectID(let x), .objectID(let y)): return compare(x, y)
        case (.uuid(let x), .uuid(let y)): return compare(x, y)
        default: return nil
        }
    }

    private static func lexicographic(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    /// The rules of section 5.
    static func compare(
        _ l: Reached, _ ql: String, _ op: String, _ r: Reached, _ qr: String, ignoresCase: Bool,
        leftIsConstant: Bool = false
    ) -> Bool {
        func holds(_ x: Value, _ op: String, _ y: Value, ignoresCase: Bool) -> Bool {
            if leftIsConstant, x == .null, ["CONTAINS", "BEGINSWITH", "ENDSWITH"].contains(op) {
                return false
            }
            return Self.holds(x, op, y, ignoresCase: ignoresCase)
        }
        func groups(_ side: Reached) -> (isMany: Bool, groups: [[Value]]) {
            switch side {
            case .one(let value): (false, [[value]])
            case .many(let values): (true, [values])
            case .groups(let groups): (true, groups.isEmpty ? [[]] : groups)
            }
        }
        let (left, right) = (groups(l), groups(r))
        func quantify(_ quantifier: String, _ values: [Value], _ body: (Value) -> Bool) -> Bool {
            let count = values.filter(body).count
            switch quantifier {
            case "ALL": return count == values.count
            case "NONE": return count == 0
            default: return count > 0
            }
        }
        return left.groups.contains { a in
            right.groups.contains { b in
                if left.isMany, right.isMany, ql.isEmpty, qr.isEmpty {
                    if a.count != b.count { return op == "!=" }
                    return zip(a, b).allSatisfy { holds($0, op, $1, ignoresCase: ignoresCase) }
                }
                return quantify(ql, a) { x in
                    quantify(qr, b) { y in holds(x, op, y, ignoresCase: ignoresCase) }
                }
            }
        }
    }
}
