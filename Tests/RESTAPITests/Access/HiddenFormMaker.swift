import HoldfastTestSupport

/// Makes random requests for the changes of ``HiddenDocs``, most of which read links.
struct HiddenFormMaker {
    private var random: SeededGenerator

    private static let single = ["ref", "ref", "secret", "part.to"]
    private static let many = [
        "refs", "refs", "back", "back", "behind", "others", "secrets", "parts.to", "named",
    ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// The path of a stream, with its parameters.
    mutating func make() -> String {
        var parameters: [(String, String)] = []
        var path = "/classes/Doc/changes"
        switch Int.random(in: 0..<20, using: &random) {
        case 0: path = "/classes/Doc/objects/\(pick([1, 2, 3, 7, 8, 11, 90]))/changes"
        case 1, 2:
            let property = pick(["ref", "refs", "others", "named", "parts", "free", "note", "back"])
            path = "/classes/Doc/objects/\(pick([1, 2, 3, 6, 11]))/properties/\(property)/changes"
            shape(&parameters)
            return text(path, parameters)
        case 3:
            path = "/classes/Doc/sections/changes"
            parameters = [("by", scalar()), ("fields", "id")]
            if chance(40) { parameters.append(("filter", condition())) }
            return text(path, parameters)
        case 4:
            path = "/classes/Doc/aggregate/changes"
            parameters = [("op", pick(["count", "sum(\(number()))", "max(\(number()))"]))]
            if chance(40) { parameters.append(("by", scalar())) }
            if chance(60) { parameters.append(("filter", condition())) }
            return text(path, parameters)
        case 5: return text("/projections/\(pick(["Card", "Links"]))/changes", parameters)
        case 6:
            parameters = [("sort", "\(scalar()),id"), ("fields", "id")]
            if chance(40) { parameters.append(("filter", condition())) }
            return text(path, parameters)
        default: break
        }
        if chance(70), !path.contains("objects") { parameters.append(("filter", condition())) }
        if chance(25) { parameters.append(("keyPaths", keyPath())) }
        if chance(10) { parameters.append(("old", "true")) }
        shape(&parameters)
        return text(path, parameters)
    }

    /// The path of a request for what there is.
    mutating func read() -> String {
        switch Int.random(in: 0..<9, using: &random) {
        case 8: return "/classes/Reading/outbox?limit=\(pick([1, 3, 100]))"
        case 0, 1:
            return text(
                "/classes/Doc/aggregate",
                [("op", "count,sum(\(number()))"), ("by", scalar()), ("filter", condition())])
        case 2, 3:
            return text(
                "/classes/Doc/sections",
                [("by", scalar()), ("objects", "3"), ("fields", "id"), ("filter", condition())])
        default:
            var parameters = [
                ("filter", condition()), ("sort", "\(scalar()),id"), ("count", "exact"),
            ]
            shape(&parameters)
            return text("/classes/Doc/objects", parameters)
        }
    }

    private func text(_ path: String, _ parameters: [(String, String)]) -> String {
        let query = parameters.map { "\($0)=\(RuleRequest.escaped($1))" }.joined(separator: "&")
        return query.isEmpty ? path : path + "?" + query
    }

    private mutating func shape(_ parameters: inout [(String, String)]) {
        if chance(50) {
            parameters.append(("fields", "id"))
        } else if chance(60) {
            let fields = (0..<pick([1, 2])).map { _ in
                pick([
                    "title", links(), link(), "\(links()).title", "\(link()).title",
                    "\(links()).@count",
                ])
            }
            parameters.append(("fields", (["id"] + fields).joined(separator: ",")))
        }
        if chance(25) { parameters.append(("expand", pick([link(), links(), "\(links()).ref"]))) }
    }

    private mutating func link() -> String { pick(Self.single) }
    private mutating func links() -> String { pick(Self.many) }

    /// A path to one value.
    private mutating func scalar() -> String {
        let hops = (0..<pick([0, 1, 1, 2])).map { _ in link() }
        let end = pick(["title", "n", "note", "id", "\(links()).@count"])
        return (hops + [end]).joined(separator: ".")
    }

    /// A path to one number.
    private mutating func number() -> String {
        pick(["n", "\(link()).n", "\(links()).@count", "\(pick(["refs", "back"])).@sum.n"])
    }

    private mutating func keyPath() -> String {
        pick([
            "title", link(), links(), "\(link()).title", "\(links()).title", "\(links()).n",
            "\(links()).*", "\(links()).\(link()).n", "\(links()).@count",
            "\(link()).\(links()).title",
        ])
    }

    private mutating func condition(_ depth: Int = 0) -> String {
        switch Int.random(in: 0..<(depth > 1 ? 14 : 18), using: &random) {
        case 0, 1: return "\(link()).\(pick(["title == 'x'", "title != 'x'", "n > 5", "n == 99"]))"
        case 2: return "\(pick(["ANY", "ALL", "NONE"])) \(links()).title == 'x'"
        case 3: return "ANY \(links()).\(link()).\(pick(["n > 5", "title == 'x'", "n == 99"]))"
        case 4: return "\(links()).@count \(pick(["> 0", "== 0", "> 1"]))"
        case 5: return "\(pick(["refs", "back", "secrets"])).@\(pick(["sum", "max"])).n > 5"
        case 6:
            return
                "SUBQUERY(\(links()), $s, $s.\(pick(["title == 'x'", "ref.n > 5", "back.@count > 0"]))).@count > 0"
        case 7:
            return pick([
                "@links.@count > 1", "@links.Doc.refs.title == 'x'", "@links.Doc.secret.@count > 0",
                "@links.Doc.ref.@count > 0", "ANY @links.Doc.refs.ref.n == 99",
                "ref.@links.@count > 0",
            ])
        case 8: return "\(link()) == \(pick(["null", "11", "3", "90"]))"
        case 9: return "\(link()).\(link()).title == 'x'"
        case 10: return "ANY \(links()) == \(pick(["2", "11", "90"]))"
        case 11, 12:
            return pick(["title == 'x'", "n > 9", "note == 'x'", "id < 6", "public == true"])
        case 13: return "\(pick(["named.a", "free"])).title == 'x'"
        case 14: return "NOT (\(condition(depth + 1)))"
        default:
            return
                "(\(condition(depth + 1))) \(pick(["AND", "OR"])) (\(condition(depth + 1)))"
        }
    }
}
