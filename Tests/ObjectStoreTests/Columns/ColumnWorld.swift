import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport

/// A class with every kind of property that columns keep, and random objects and queries of it.
enum ColumnWorld {
    static let classes: [ObjectClass] = [
        ObjectClass(
            name: "City", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "name", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "size", type: .single(.scalar(.int))),
                Property(name: "area", type: .single(.scalar(.double)), isOptional: true),
                Property(name: "founded", type: .single(.scalar(.date)), isOptional: true),
                Property(name: "twin", type: .single(.object("City")), isOptional: true),
            ]),
        ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "number", type: .single(.scalar(.int)), isOptional: true),
                Property(name: "wide", type: .single(.scalar(.int))),
                Property(name: "flag", type: .single(.scalar(.bool)), isOptional: true),
                Property(name: "score", type: .single(.scalar(.double)), isOptional: true),
                Property(name: "ratio", type: .single(.scalar(.float)), isOptional: true),
                Property(name: "born", type: .single(.scalar(.date)), isOptional: true),
                Property(name: "name", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "label", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "day", type: .single(.scalar(.date)), isOptional: true),
                Property(name: "blob", type: .single(.scalar(.data)), isOptional: true),
                Property(name: "uid", type: .single(.scalar(.uuid)), isOptional: true),
                Property(name: "city", type: .single(.object("City")), isOptional: true),
                Property(name: "tags", type: .list(.scalar(.string)), isOptional: true),
                Property(name: "marks", type: .set(.scalar(.double))),
                Property(name: "cities", type: .list(.object("City"))),
                Property(name: "extra", type: .single(.scalar(.mixed))),
            ]),
    ]

    static let cityCount: Int64 = 12

    /// Texts that collide, in both cases, beyond ASCII, and beyond what columns and rows keep.
    static let words: [String] = [
        "", "a", "A", "ab", "aB", "abc", "bca", "É", "é", "kelvin", "\u{212A}elvin", "straße",
        "STRASSE", "user1@mail3.example.com", "User22@MAIL3.example.com", "x\0y", "😀",
        "a long text of some forty bytes, or more", String(repeating: "ab", count: 600),
    ]

    /// Texts that columns keep, of which some begin alike, and one is cut in sort bytes.
    static let labels: [String] = [
        "", "a", "a\0", "\0", "É", "E\u{301}", "😀", "zzzzzzzz", "abcdefg", "abcdefgh", "abcdefgh\0",
        "abcdefgh1", "abcdefgh2", "abcdefghi", "ABCDEFGH", String(repeating: "cd", count: 230),
    ]

    static func word(_ random: inout SeededGenerator) -> String {
        words.randomElement(using: &random) ?? ""
    }

    private static func maybe(_ value: Value, _ random: inout SeededGenerator) -> Content {
        .value(Int.random(in: 0..<5, using: &random) == 0 ? .null : value)
    }

    static func wide(_ random: inout SeededGenerator) -> Int64 {
        [0, 1, 255, 256, 65_535, 65_536, 1 << 33, .min, .max, -1].randomElement(using: &random) ?? 0
    }

    static func double(_ random: inout SeededGenerator) -> Double {
        [-1.5, -0.0, 0, 1, 2.5, .nan, .infinity, -.infinity, 1e300].randomElement(using: &random)
            ?? 0
    }

    static func date(_ random: inout SeededGenerator) -> Timestamp {
        let any = Int64.random(in: -2_000_000_000...4_000_000_000, using: &random)
        return Timestamp(
            seconds: [-2, -1, 0, 1, any, 1 << 40, -(1 << 40)].randomElement(using: &random) ?? 0,
            nanoseconds: Int32.random(in: 0...2, using: &random))
    }

    static func city(_ random: inout SeededGenerator) -> Value {
        .link(className: "City", key: .int(Int64.random(in: 0..<cityCount, using: &random)))
    }

    static func uuid(_ random: inout SeededGenerator) -> UUID128 {
        UUID128(high: 0, low: UInt64.random(in: 0...3, using: &random))
    }

    /// A random value of a property of a thing.
    private static func value(_ name: String, _ random: inout SeededGenerator) -> Content {
        func several(_ make: (inout SeededGenerator) -> Value) -> [Value] {
            let count = Int.random(in: 0..<40, using: &random) == 0 ? 300 : 4
            return (0..<Int.random(in: 0..<count, using: &random)).map { _ in make(&random) }
        }
        switch name {
        case "number": return maybe(.int(Int64.random(in: -3...4, using: &random)), &random)
        case "wide": return .value(.int(wide(&random)))
        case "flag": return maybe(.bool(Bool.random(using: &random)), &random)
        case "score": return maybe(.double(double(&random)), &random)
        case "ratio": return maybe(.float(Float(double(&random))), &random)
        case "born": return maybe(.date(date(&random)), &random)
        case "name": return maybe(.string(word(&random)), &random)
        case "label": return maybe(.string(labels.randomElement(using: &random) ?? ""), &random)
        case "day":
            let seconds = Int64.random(in: -3...3, using: &random) * 86_400
            return maybe(.date(Timestamp(seconds: seconds, nanoseconds: 0)), &random)
        case "blob": return maybe(.data(Array(word(&random).utf8.prefix(5))), &random)
        case "uid": return maybe(.uuid(uuid(&random)), &random)
        case "city": return maybe(city(&random), &random)
        case "tags":
            return .values(
                several { Int.random(in: 0..<6, using: &$0) == 0 ? .null : .string(word(&$0)) })
        case "marks": return .values(Value.canonicalSet(several { .double(double(&$0)) }))
        case "cities": return .values(several(city))
        default: return maybe(.int(Int64.random(in: 0...3, using: &random)), &random)
        }
    }

    /// A random draft of a thing.
    static func thing(_ id: Int64, _ random: inout SeededGenerator) -> ObjectContent {
        var content: ObjectContent = ["id": .value(.int(id))]
        for property in classes[1].properties.dropFirst()
        where property.name == "wide" || Int.random(in: 0..<3, using: &random) > 0 {
            content[property.name] = value(property.name, &random)
        }
        return content
    }

    /// A random draft of a city.
    static func cityDraft(_ id: Int64, _ random: inout SeededGenerator) -> ObjectContent {
        [
            "id": .value(.int(id)), "name": maybe(.string(word(&random)), &random),
            "size": .value(.int(Int64.random(in: 0...5, using: &random))),
            "area": maybe(.double(double(&random)), &random),
            "founded": maybe(.date(date(&random)), &random),
        ]
    }

    /// A random change of the things with numbers below `count`.
    static func change(_ count: Int64, _ random: inout SeededGenerator) -> ObjectScript.Operation {
        let id = Int64.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return .delete(Identity("Thing", .int(id)))
        case 1:
            let city = Int64.random(in: 0..<cityCount, using: &random)
            return Int.random(in: 0..<3, using: &random) == 0
                ? .delete(Identity("City", .int(city)))
                : .write("City", cityDraft(city, &random), key: nil, .merge)
        case 2: return .write("Thing", thing(id, &random), key: nil, .replace)
        default:
            let name = classes[1].properties.dropFirst().randomElement(using: &random)?.name
            let content: ObjectContent = [
                "id": .value(.int(id)), name ?? "wide": value(name ?? "wide", &random),
            ]
            return .write("Thing", content, key: nil, .merge)
        }
    }

    // MARK: Queries

    /// A random comparison: its text, with `$n` for its arguments from `first` on.
    private static func comparison(
        _ arguments: inout [QueryArgument], _ random: inout SeededGenerator
    ) -> String {
        let orders = ["==", "!=", "<", "<=", ">", ">="]
        let texts = ["==", "!=", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "<"]
        func constant(_ path: String) -> Value {
            if path != "cities", Int.random(in: 0..<9, using: &random) == 0 { return .null }
            switch path {
            case "number", "city.size", "city.twin.size", "id":
                return .int(Int64.random(in: -3...4, using: &random))
            case "wide": return .int(wide(&random))
            case "flag": return .bool(Bool.random(using: &random))
            case "score", "ratio", "marks": return .double(double(&random))
            case "born": return .date(date(&random))
            case "blob": return .data(Array(word(&random).utf8.prefix(2)))
            case "uid": return .uuid(uuid(&random))
            case "city", "cities": return city(&random)
            case "extra": return .int(Int64.random(in: 0...3, using: &random))
            default: return .string(word(&random))
            }
        }
        let path =
            [
                "number", "wide", "flag", "score", "ratio", "born", "name", "blob", "uid", "city",
                "city.name", "city.size", "city.twin.size", "tags", "marks", "cities", "extra",
                "cities.name", "name",
            ].randomElement(using: &random) ?? "number"
        let isText = ["name", "blob", "city.name", "tags", "cities.name"].contains(path)
        let isLink = path == "city" || path == "cities"
        var sign =
            (isText ? texts : isLink ? ["==", "!="] : orders).randomElement(using: &random) ?? "=="
        let isMany = ["tags", "marks", "cities", "cities.name"].contains(path)
        if isText, path != "blob", sign != "<", Bool.random(using: &random) { sign += "[c]" }
        let quantifier =
            isMany ? ["", "ANY", "ALL", "NONE"].randomElement(using: &random) ?? "" : ""
        if sign == "==", !isLink, Int.random(in: 0..<3, using: &random) == 0 {
            let values = (0..<Int.random(in: 1...20, using: &random)).map { _ in constant(path) }
            arguments.append(QueryArgument(.list(values)))
            return "\(quantifier) \(path) IN $\(arguments.count - 1)"
        }
        arguments.append(QueryArgument(constant(path)))
        return "\(quantifier) \(path) \(sign) $\(arguments.count - 1)"
    }

    /// A random query.
    static func query(
        depth: Int, _ arguments: inout [QueryArgument], _ random: inout SeededGenerator
    ) -> String {
        switch depth == 0 ? 0 : Int.random(in: 0..<6, using: &random) {
        case 0, 1, 2: return comparison(&arguments, &random)
        case 3: return "NOT (\(query(depth: depth - 1, &arguments, &random)))"
        case 4:
            return "(\(query(depth: depth - 1, &arguments, &random))) AND "
                + "(\(query(depth: depth - 1, &arguments, &random)))"
        default:
            return "(\(query(depth: depth - 1, &arguments, &random))) OR "
                + "(\(query(depth: depth - 1, &arguments, &random)))"
        }
    }
}
