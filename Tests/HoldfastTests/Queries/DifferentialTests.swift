import Foundation
import Holdfast
import Testing
import HoldfastTestSupport

/// An object as a plain value.
private struct Plain {
    var id: Int
    var int: Int
    var optInt: Int?
    var double: Double
    var string: String
    var optString: String?
    var flag: Bool
    var level: QueryModels.Level
    var ints: [Int]
    var map: [String: Int]
    /// Of the part that is linked to.
    var part: Int?
    /// Of the parts of the list.
    var parts: [Int]
}

/// A condition, as a query and as a function of the plain value.
private struct Condition {
    let text: String
    let query: (Query<QueryModels.Item>) -> Query<Bool>
    let holds: (Plain) -> Bool
}

@Suite("Random conditions")
struct DifferentialTests {
    typealias Item = QueryModels.Item
    typealias Part = QueryModels.Part

    @Test("find in a realm what they find among plain values, before and within a write")
    func random() throws {
        let seed = SeededGenerator.testSeed("conditions in Swift")
        var random = SeededGenerator(seed: seed)
        let realm = try QueryModels.realm()
        var plain = (0..<60).map { Self.plain($0, &random) }
        try realm.write {
            let parts = (0..<8).map { Part(value: ["id": $0, "size": $0, "isNew": $0 % 3 == 0]) }
            realm.add(parts)
            for value in plain { realm.add(Self.item(value, parts)) }
        }
        let items = realm.objects(Item.self)
        for round in 0..<SeededGenerator.scaled(400) {
            let condition = Self.condition(depth: 3, &random)
            func check() {
                let found = Array(items.where(condition.query).map(\.id))
                let expected = plain.filter(condition.holds).map(\.id)
                #expect(found == expected, "seed \(seed), round \(round): \(condition.text)")
            }
            check()
            guard round % 20 == 0 else { continue }
            try realm.write {
                let index = Int.random(in: 0..<plain.count, using: &random)
                plain[index].int = Int.random(in: -3...3, using: &random)
                plain[index].ints = Self.ints(&random)
                items[index].int = plain[index].int
                items[index].ints.removeAll()
                items[index].ints.append(objectsIn: plain[index].ints)
                check()
            }
        }
    }

    // MARK: Values

    private static let words = ["", "a", "ab", "B", "ba", "É", "e", "ß"]

    private static func ints(_ random: inout SeededGenerator) -> [Int] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in
            Int.random(in: -3...3, using: &random)
        }
    }

    private static func plain(_ id: Int, _ random: inout SeededGenerator) -> Plain {
        func int() -> Int { Int.random(in: -3...3, using: &random) }
        func maybe() -> Bool { Int.random(in: 0..<4, using: &random) > 0 }
        return Plain(
            id: id, int: int(), optInt: maybe() ? int() : nil, double: Double(int()) / 2,
            string: words.randomElement(using: &random) ?? "",
            optString: maybe() ? words.randomElement(using: &random) : nil,
            flag: Bool.random(using: &random),
            level: QueryModels.Level.allCases.randomElement(using: &random) ?? .low,
            ints: ints(&random), map: maybe() ? ["k": int(), "l": int()] : [:],
            part: maybe() ? Int.random(in: 0..<8, using: &random) : nil,
            parts: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Int.random(in: 0..<8, using: &random)
            })
    }

    private static func item(_ value: Plain, _ parts: [Part]) -> Item {
        let item = Item()
        item.id = value.id
        item.int = value.int
        item.optInt = value.optInt
        item.double = value.double
        item.string = value.string
        item.optString = value.optString
        item.flag = value.flag
        item.level = value.level
        item.ints.append(objectsIn: value.ints)
        for (key, number) in value.map { item.intMap[key] = number }
        item.part = value.part.map { parts[$0] }
        item.parts.append(objectsIn: value.parts.map { parts[$0] })
        return item
    }

    // MARK: Conditions

    private static func condition(depth: Int, _ random: inout SeededGenerator) -> Condition {
        guard depth > 0 else { return leaf(&random) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            let inner = condition(depth: depth - 1, &random)
            return Condition(text: "!(\(inner.text))") {
                !inner.query($0)
            } holds: {
                !inner.holds($0)
            }
        case 1, 2:
            let (a, b) = (
                condition(depth: depth - 1, &random), condition(depth: depth - 1, &random)
            )
            return Condition(text: "(\(a.text) && \(b.text))") {
                a.query($0) && b.query($0)
            } holds: {
                a.holds($0) && b.holds($0)
            }
        case 3:
            let (a, b) = (
                condition(depth: depth - 1, &random), condition(depth: depth - 1, &random)
            )
            return Condition(text: "(\(a.text) || \(b.text))") {
                a.query($0) || b.query($0)
            } holds: {
                a.holds($0) || b.holds($0)
            }
        default: return leaf(&random)
        }
    }

    private static func leaf(_ random: inout SeededGenerator) -> Condition {
        let n = Int.random(in: -3...3, using: &random)
        let word = words.randomElement(using: &random) ?? ""
        let all = numbers(n) + texts(word) + collections(n) + objects(n & 7)
        return all[Int.random(in: 0..<all.count, using: &random)]
    }

    private static func numbers(_ n: Int) -> [Condition] {
        let level = QueryModels.Level.mid
        return [
            Condition(text: "int == \(n)", query: { $0.int == n }, holds: { $0.int == n }),
            Condition(text: "int > \(n)", query: { $0.int > n }, holds: { $0.int > n }),
            Condition(
                text: "int in", query: { $0.int.in([n, 0]) }, holds: { [n, 0].contains($0.int) }),
            Condition(
                text: "int \(n)..<3", query: { $0.int.contains(n..<3) },
                holds: { (n..<3).contains($0.int) }),
            Condition(
                text: "optInt == nil", query: { $0.optInt == nil }, holds: { $0.optInt == nil }),
            Condition(text: "optInt != \(n)", query: { $0.optInt != n }, holds: { $0.optInt != n }),
            Condition(
                text: "optInt < \(n)", query: { $0.optInt < n },
                holds: { $0.optInt.map { $0 < n } ?? false }),
            Condition(
                text: "optInt -1...\(n + 3)", query: { $0.optInt.contains(-1...(n + 3)) },
                holds: { $0.optInt.map { $0 >= -1 && $0 <= n + 3 } ?? false }),
            Condition(
                text: "int < double", query: { $0.int < $0.double },
                holds: { Double($0.int) < $0.double }),
            Condition(
                text: "int == optInt", query: { $0.int == $0.optInt },
                holds: { $0.int == $0.optInt }),
            Condition(text: "flag", query: { $0.flag }, holds: { $0.flag }),
            Condition(text: "level", query: { $0.level == level }, holds: { $0.level == level }),
            Condition(text: "level >", query: { $0.level >= level }, holds: { $0.level >= level }),
        ]
    }

    private static func texts(_ word: String) -> [Condition] {
        [
            Condition(
                text: "string == \(word)", query: { $0.string == word },
                holds: { $0.string == word }),
            Condition(
                text: "string has \(word)", query: { $0.string.contains(word) },
                holds: { word.isEmpty || $0.string.contains(word) }),
            Condition(
                text: "string starts \(word)", query: { $0.string.starts(with: word) },
                holds: { $0.string.hasPrefix(word) }),
            Condition(
                text: "optString ends \(word)", query: { $0.optString.ends(with: word) },
                holds: { $0.optString?.hasSuffix(word) ?? false }),
            Condition(
                text: "optString != \(word)", query: { $0.optString != word },
                holds: { $0.optString != word }),
            Condition(
                text: "string ==[c] \(word)",
                query: { $0.string.equals(word, options: .caseInsensitive) },
                holds: { $0.string.lowercased() == word.lowercased() }),
            Condition(
                text: "string == optString", query: { $0.string == $0.optString },
                holds: { $0.string == $0.optString }),
        ]
    }

    private static func collections(_ n: Int) -> [Condition] {
        [
            Condition(
                text: "ints has \(n)", query: { $0.ints.contains(n) },
                holds: { $0.ints.contains(n) }),
            Condition(
                text: "ints any", query: { $0.ints.containsAny(in: [n, 1]) },
                holds: { $0.ints.contains(n) || $0.ints.contains(1) }),
            Condition(
                text: "ints count", query: { $0.ints.count > 1 }, holds: { $0.ints.count > 1 }),
            Condition(
                text: "ints sum", query: { $0.ints.sum >= n }, holds: { $0.ints.reduce(0, +) >= n }),
            Condition(text: "ints min", query: { $0.ints.min == n }, holds: { $0.ints.min() == n }),
            Condition(
                text: "ints -2...\(n + 3)", query: { $0.ints.contains(-2...(n + 3)) },
                holds: { !$0.ints.isEmpty && $0.ints.allSatisfy { $0 >= -2 && $0 <= n + 3 } }),
            Condition(text: "map k", query: { $0.intMap["k"] == n }, holds: { $0.map["k"] == n }),
            Condition(
                text: "map values", query: { $0.intMap.values > n },
                holds: { $0.map.values.contains { $0 > n } }),
            Condition(
                text: "map keys", query: { $0.intMap.keys == "l" }, holds: { $0.map["l"] != nil }),
        ]
    }

    private static func objects(_ n: Int) -> [Condition] {
        [
            Condition(
                text: "part.size > \(n)", query: { $0.part.size > n },
                holds: { $0.part.map { $0 > n } ?? false }),
            Condition(text: "part == nil", query: { $0.part == nil }, holds: { $0.part == nil }),
            Condition(
                text: "part.isNew", query: { $0.part.isNew },
                holds: { $0.part.map { $0 % 3 == 0 } ?? false }),
            Condition(
                text: "parts.size", query: { $0.parts.size == n }, holds: { $0.parts.contains(n) }),
            Condition(
                text: "parts.size max", query: { $0.parts.size.max < n },
                holds: { $0.parts.max().map { $0 < n } ?? false }),
            Condition(
                text: "subquery", query: { ($0.parts.size > n && $0.parts.isNew).count == 1 },
                holds: { $0.parts.filter { $0 > n && $0 % 3 == 0 }.count == 1 }),
            Condition(
                text: "negated subquery", query: { (!$0.parts.isNew).count >= 2 },
                holds: { $0.parts.filter { $0 % 3 != 0 }.count >= 2 }),
        ]
    }
}
