import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// Objects with every kind of value, and aggregates of them by the plainest means.
struct PlainGroups {
    /// A property, or what lies behind one, and its values.
    struct Path {
        let text: String
        let type: ScalarType?
        var isMany = false

        /// Whether it leads to a link.
        var isLink: Bool { type == nil }
    }

    /// What groups have in common.
    struct Key {
        let text: String
        let path: Path
        /// The type of the value that a reply shows; nil for a link.
        let type: ScalarType?
        let value: @Sendable (Value) -> Value
    }

    /// An object; links are ids.
    struct Item {
        var id: Int64
        var values: [String: Value] = [:]
        var lists: [String: [Value]] = [:]
    }

    static let schema = Schema(classes: [
        ObjectClass(
            name: "Thing", primaryKey: "id",
            properties: [Schemas.property("id", .int)]
                + singles.map {
                    Schemas.property($0.text, $0.type ?? .int, optional: $0.type != .mixed)
                }
                + [
                    Schemas.link("next", "Thing"), Schemas.list("near", of: "Thing"),
                    Schemas.list("tags", .string, optional: true), Schemas.list("nums", .int),
                ])
    ])

    private static let singles = [
        Path(text: "i", type: .int), Path(text: "big", type: .int), Path(text: "d", type: .double),
        Path(text: "f", type: .float), Path(text: "p", type: .decimal128),
        Path(text: "any", type: .mixed), Path(text: "s", type: .string),
        Path(text: "at", type: .date), Path(text: "b", type: .bool),
    ]
    /// What operations and groups are made of.
    static let paths =
        singles + [
            Path(text: "next.i", type: .int), Path(text: "next.p", type: .decimal128),
            Path(text: "next.any", type: .mixed), Path(text: "near.@count", type: .int),
            Path(text: "nums.@sum", type: .int), Path(text: "next.nums.@sum", type: .int),
            Path(text: "next.near.@count", type: .int),
        ]
    private static let collections = [
        Path(text: "tags", type: .string, isMany: true),
        Path(text: "nums", type: .int, isMany: true),
        Path(text: "near", type: nil, isMany: true), Path(text: "near.i", type: .int, isMany: true),
        Path(text: "near.any", type: .mixed, isMany: true),
        Path(text: "near.tags", type: .string, isMany: true),
    ]

    let items: [Item]

    init(count: Int, _ random: inout SeededGenerator) {
        var items = (0..<Int64(count)).map { Item(id: $0) }
        for index in items.indices {
            for path in Self.singles {
                items[index].values[path.text] = Self.value(path, &random)
            }
            func id() -> Value { .int(Int64.random(in: 0..<Int64(count), using: &random)) }
            items[index].values["next"] = Bool.random(using: &random) ? id() : .null
            func list(_ make: () -> Value) -> [Value] {
                (0..<max(0, Int.random(in: -2...4, using: &random))).map { _ in make() }
            }
            items[index].lists["near"] = list(id)
            items[index].lists["nums"] = list { .int(Int64.random(in: -12...12, using: &random)) }
            items[index].lists["tags"] = list {
                Int.random(in: 0..<6, using: &random) == 0
                    ? .null : .string(["x", "y", "z", "ü"].randomElement(using: &random) ?? "")
            }
        }
        self.items = items
    }

    private static func value(_ path: Path, _ random: inout SeededGenerator) -> Value {
        let rare = Int.random(in: 0..<24, using: &random)
        if rare < 4 { return .null }
        let small = Int64.random(in: -20...20, using: &random)
        switch path.text {
        case "i": return .int(small)
        case "big": return rare == 4 ? .int(.min) : rare == 5 ? .int(.max) : .int(small << 50)
        case "d":
            if rare == 4 { return .double(.nan) }
            return rare == 5
                ? .double(small < 0 ? -.infinity : .infinity) : .double(Double(small) / 8)
        case "f": return rare == 4 ? .float(.nan) : .float(Float(small) / 4)
        case "p":
            return .decimal(
                rare == 4 ? Decimal128("NaN") ?? Decimal128(0) : decimal(hundredths: small * 7))
        case "s": return .string(["", "a", "b", "ä", "B"].randomElement(using: &random) ?? "")
        case "b": return .bool(small > 0)
        case "at": return .date(Timestamp(seconds: small * 5_011_211 + small % 3, nanoseconds: 5))
        default:
            if rare == 4 { return .double(.nan) }
            switch small & 3 {
            case 0: return .int(small / 4)
            case 1: return .double(Double(small / 4) / 2)
            case 2: return .decimal(decimal(hundredths: small * 25))
            default: return .string("\(small / 4)")
            }
        }
    }

    private static func decimal(hundredths: Int64) -> Decimal128 {
        let (whole, rest) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let text = (hundredths < 0 ? "-" : "") + "\(whole)." + (rest < 10 ? "0" : "") + "\(rest)"
        return Decimal128(text) ?? Decimal128(0)
    }

    // MARK: Values

    /// Everything that a path leads to from an object.
    func values(_ path: Path, _ item: Item) -> [Value] {
        if let value = item.values[path.text] { return [value] }
        if let list = item.lists[path.text] { return list }
        if path.text.contains("@") {
            // Of a link that is null there are no elements.
            var item: Item? = item
            if path.text.hasPrefix("next."), let link = item?.values["next"] {
                item = if case .int(let id) = link { items[Int(id)] } else { nil }
            }
            let list = item?.lists[path.text.contains("nums") ? "nums" : "near"] ?? []
            guard path.text.hasSuffix("@sum") else { return [.int(Int64(list.count))] }
            return [.int(list.reduce(0) { if case .int(let int) = $1 { $0 + int } else { $0 } })]
        }
        let parts = path.text.split(separator: ".").map(String.init)
        let targets =
            item.lists[parts[0]] ?? [item.values[parts[0]] ?? .null]
        return targets.flatMap { target -> [Value] in
            guard case .int(let id) = target else { return [.null] }
            let item = items[Int(id)]
            return item.values[parts[1]].map { [$0] } ?? item.lists[parts[1]] ?? []
        }
    }

    // MARK: Keys

    /// Everything that groups are made by.
    static let keys: [Key] = {
        var keys = (paths + collections + [Path(text: "next", type: nil)]).map { path in
            Key(text: path.text, path: path, type: path.type) { $0 }
        }
        for path in paths + collections {
            switch path.type {
            case .date?:
                for (word, zone) in zip(["year", "month", "day", "hour"], 0...) {
                    keys.append(
                        Key(text: "\(word)(\(path.text))", path: path, type: .int) {
                            part($0, zone)
                        })
                }
            case .int?:
                keys.append(
                    Key(text: "bucket(\(path.text),7)", path: path, type: .int) { value in
                        guard case .int(let int) = value else { return .null }
                        var bound = Int128(int)
                        while bound % 7 != 0 { bound -= 1 }
                        return .int(Int64(clamping: bound))
                    })
            case .double?, .float?:
                keys.append(
                    Key(text: "bucket(\(path.text),0.75)", path: path, type: .double) { value in
                        switch value {
                        case .double(let number): .double((number / 0.75).rounded(.down) * 0.75)
                        case .float(let number):
                            .double((Double(number) / 0.75).rounded(.down) * 0.75)
                        default: .null
                        }
                    })
            case .decimal128?:
                keys.append(
                    Key(text: "bucket(\(path.text),0.5)", path: path, type: .decimal128) { value in
                        guard case .decimal(let number) = value, number.kind == .finite else {
                            return value
                        }
                        let hundredths = Int64((number.doubleFloor.value * 100).rounded())
                        var bound = hundredths
                        while bound % 50 != 0 { bound -= 1 }
                        return .decimal(decimal(hundredths: bound))
                    })
            default: break
            }
        }
        return keys
    }()

    /// How far the zone is ahead of UTC in which parts of dates are read.
    static let zone = (text: "-03:30", seconds: Int64(-12_600))

    /// A part of a date, by counting days.
    private static func part(_ value: Value, _ index: Int) -> Value {
        guard case .date(let date) = value else { return .null }
        let seconds = date.seconds + zone.seconds
        var days = Int64((Double(seconds) / 86_400).rounded(.down))
        let hour = (seconds - days * 86_400) / 3600
        var year: Int64 = 1970
        func lengths(_ year: Int64) -> [Int64] {
            let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
            return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        }
        func length(_ year: Int64) -> Int64 { lengths(year).reduce(0, +) }
        while days < 0 {
            year -= 1
            days += length(year)
        }
        while days >= length(year) {
            days -= length(year)
            year += 1
        }
        var month = 0
        while days >= lengths(year)[month] {
            days -= lengths(year)[month]
            month += 1
        }
        return .int([year, Int64(month) + 1, days + 1, hour][index])
    }

    // MARK: Writing

    /// An object as JSON.
    static func json(_ item: Item) -> String {
        let values = item.values.map { name, value in
            "\"\(name)\":" + json(value, isMixed: name == "any")
        }
        let lists = item.lists.map { name, list in
            "\"\(name)\":[" + list.map { json($0, isMixed: false) }.joined(separator: ",") + "]"
        }
        return "{\"id\":\(item.id)," + (values + lists).sorted().joined(separator: ",") + "}"
    }

    private static func json(_ value: Value, isMixed: Bool) -> String {
        switch value {
        case .int(let value): "\(value)"
        case .bool(let value): "\(value)"
        case .double(let value) where isMixed && value.isNaN: "{\"$double\":\"NaN\"}"
        case .double(let value): value.isFinite ? "\(value)" : number(value)
        case .float(let value): value.isNaN ? "\"NaN\"" : "\(value)"
        case .decimal(let value):
            isMixed ? "{\"$decimal\":\"\(value.description)\"}" : "\"\(value.description)\""
        case .string(let text): "\"\(text)\""
        case .date(let date): "\"\(date.description)\""
        default: "null"
        }
    }

    private static func number(_ value: Double) -> String {
        value.isNaN ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\""
    }
}
