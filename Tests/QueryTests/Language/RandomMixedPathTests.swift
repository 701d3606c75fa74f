import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastRows
import HoldfastTestSupport
import Testing

/// Random paths within random `mixed` values, against the plainest walk over the values.
@Suite("Random mixed paths")
struct RandomMixedPathTests {
    private static let classes = [
        ObjectClass(
            name: "Knot", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "a", type: .single(.scalar(.int)), isOptional: true),
                Property(name: "b", type: .single(.scalar(.mixed))),
                Property(name: "c", type: .single(.object("Knot")), isOptional: true),
            ])
    ]

    private enum Step: CaseIterable {
        case a, b, c, quotedA, first, second, last, all, keys

        var text: String {
            switch self {
            case .a: ".a"
            case .b: ".b"
            case .c: ".c"
            case .quotedA: "['a']"
            case .first: "[0]"
            case .second: "[1]"
            case .last: "[LAST]"
            case .all: "[*]"
            case .keys: ".@keys"
            }
        }

        var key: String? {
            switch self {
            case .a, .quotedA: "a"
            case .b: "b"
            case .c: "c"
            default: nil
            }
        }

        var isMany: Bool { self == .all || self == .keys }
    }

    /// The objects by identifier.
    private struct Knots {
        var all: [Int64: [String: Value]] = [:]

        /// What a step leads to; nil for nothing.
        func go(_ step: Step, _ value: Value) -> Value? {
            if let key = step.key {
                switch value {
                case .map(let entries): return entries.first { $0.key == key }?.value ?? .null
                case .link(_, .int(let id)): return all[id]?[key]
                default: return nil
                }
            }
            guard case .list(let values) = value else { return nil }
            switch step {
            case .first: return values.first
            case .second: return values.count > 1 ? values[1] : nil
            default: return values.last
            }
        }

        func elements(_ step: Step, _ value: Value) -> [Value]? {
            switch (step, value) {
            case (.all, .list(let values)): values
            case (.all, .map(let entries)): entries.map(\.value)
            case (.keys, .map(let entries)): entries.map { .string($0.key) }
            default: nil
            }
        }

        func reached(_ steps: [Step], _ value: Value) -> Reached {
            let manyCount = steps.count(where: \.isMany)
            var ways: [Value?] = [value]
            for (index, step) in steps.enumerated() {
                if step.isMany, index == steps.count - 1, manyCount > 1 {
                    return .groups(ways.compactMap { $0.flatMap { elements(step, $0) } })
                }
                ways = ways.flatMap { way -> [Value?] in
                    guard let way else { return step.isMany ? [] : [nil] }
                    if step.isMany { return elements(step, way).map { $0.map { $0 } } ?? [] }
                    return [go(step, way)]
                }
            }
            if manyCount == 0 { return .one((ways.first ?? nil) ?? .null) }
            return .many(ways.compactMap { $0 })
        }
    }

    private func value(_ depth: Int, _ random: inout SeededGenerator) -> Value {
        switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &random) {
        case 0: return .null
        case 1: return .int(Int64.random(in: 0...2, using: &random))
        case 2: return .string(["a", "x"].randomElement(using: &random) ?? "")
        case 3: return .link(className: "Knot", key: .int(.random(in: 1...4, using: &random)))
        case 4: return .int(7)
        case 5, 6:
            return .list(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in value(depth - 1, &random) })
        default:
            return LanguageWorld.map(
                ["a", "b", "c"].filter { _ in Bool.random(using: &random) }
                    .map { ($0, value(depth - 1, &random)) })
        }
    }

    @Test("evaluation on bytes agrees with a walk over values")
    func paths() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("mixed paths"))
        var found = 0
        for _ in 0..<SeededGenerator.scaled(6) {
            let store = try Store(engine: try EngineCase.memory.open())
            try store.setSchema(Self.classes)
            var knots = Knots()
            for id in 1...4 as ClosedRange<Int64> {
                try store.put("Knot", ["id": .value(.int(id))])
            }
            for id in 1...4 as ClosedRange<Int64> {
                let a: Value = Bool.random(using: &random) ? .null : .int(id % 3)
                let b = value(3, &random)
                let c: Value =
                    Bool.random(using: &random)
                    ? .null
                    : .link(className: "Knot", key: .int(.random(in: 1...4, using: &random)))
                knots.all[id] = ["id": .int(id), "a": a, "b": b, "c": c]
                try store.put(
                    "Knot",
                    ["id": .value(.int(id)), "a": .value(a), "b": .value(b), "c": .value(c)])
            }
            for _ in 0..<400 {
                var steps: [Step] = []
                for _ in 0..<Int.random(in: 1...4, using: &random) where steps.last != .keys {
                    steps.append(Step.allCases.randomElement(using: &random) ?? .a)
                }
                let quantifier =
                    steps.contains(where: \.isMany)
                    ? ["", "ANY ", "ALL ", "NONE "].randomElement(using: &random) ?? "" : ""
                let relation = ["==", "!=", "<", ">="].randomElement(using: &random) ?? "=="
                let constant: Value =
                    steps.last == .keys
                    ? .string("b")
                    : [.int(1), .int(7), .string("x"), .null].randomElement(using: &random) ?? .null
                let path = "b" + steps.map(\.text).joined()
                let text = "\(quantifier)\(path) \(relation) $0"
                let expected = knots.all.keys.sorted().filter { id in
                    Naive.compare(
                        knots.reached(steps, knots.all[id]?["b"] ?? .null), quantifier.trimmed,
                        relation, .one(constant), "", ignoresCase: false)
                }
                let ids = try ids(text, constant, store)
                #expect(ids == expected, "\(text) \(constant): \(knots.all.mapValues { $0["b"] })")
                found += ids.count
            }
        }
        #expect(found > 1000)
    }

    private func ids(_ text: String, _ constant: Value, _ store: Store) throws -> [Int64] {
        try store.reading { transaction in
            let query = try CompiledQuery.compile(
                text: text, arguments: [.init(constant)], rootClass: 0, schema: transaction.rows)
            let matcher = query.predicate.makeMatcher(transaction.rows, source: transaction)
            let rowClass = transaction.rows.classes[0]
            var ids: [Int64] = []
            try transaction.scan(rowClass) { key, row in
                if matcher.matches(row: row, key: key, source: transaction) {
                    ids.append(rowClass.field(0, in: row).load(Int64.self))
                }
                return true
            }
            return ids.sorted()
        }
    }
}

extension String {
    /// Without the blank behind it.
    fileprivate var trimmed: String { hasSuffix(" ") ? String(dropLast()) : self }
}
