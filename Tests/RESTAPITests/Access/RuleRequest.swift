import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastTestSupport

@testable import HoldfastRESTAPI

/// A random request that reads, of what is there, of what a user does not see, and of what nobody has.
struct RuleRequest: CustomStringConvertible {
    var method = "GET"
    var target: String
    var body: String?
    var headers: [(String, String)] = []
    /// Whether it goes on with the cursor of each page, in the URL or in the body.
    var hasPages = false
    fileprivate var parameters: [(String, String)] = []

    var description: String { "\(method) \(address) \(body ?? "") \(headers)" }

    /// The target with its parameters.
    var address: String {
        let query = parameters.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
        return query.isEmpty ? target : target + (target.contains("?") ? "&" : "?") + query
    }

    /// The same for the page behind a cursor.
    func following(_ cursor: String) -> RuleRequest {
        var next = self
        if let body {
            next.body = body.dropLast() + ",\"cursor\":\(quoted(cursor))}"
        } else {
            next.parameters.append(("cursor", cursor))
        }
        return next
    }

    private init(_ target: String) { self.target = target }

    /// Makes a request.
    static func make(_ twins: inout RuleTwins, _ random: inout SeededGenerator) -> RuleRequest {
        var maker = Maker(twins: twins, random: random)
        let request = maker.make()
        (twins, random) = (maker.twins, maker.random)
        return request
    }

    /// A text as a part of a URL.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        return text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            default: "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }.joined()
    }

    private struct Maker {
        var twins: RuleTwins
        var random: SeededGenerator

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &random) < percent
        }

        mutating func pick<T>(_ values: [T]) -> T {
            values[Int.random(in: values.indices, using: &random)]
        }

        mutating func make() -> RuleRequest {
            switch Int.random(in: 0..<24, using: &random) {
            case 0: return RuleRequest(pick(["/v1/schema", "/v1/projections", "/v1/openapi.json"]))
            case 1: return RuleRequest("/v1/classes")
            case 2: return RuleRequest("/v1/schema/classes/\(className())")
            case 3:
                return RuleRequest("/v1/projections/\(projectionName())")
            case 4...7: return object()
            case 8...10: return property()
            case 11: return element()
            case 12, 13: return aggregate()
            case 14, 15: return sections()
            case 16: return export()
            default: return list()
            }
        }

        // MARK: Names

        /// The name of a class, which may be unknown to one or to both.
        mutating func className() -> String {
            if chance(5) { return pick(["D", "a", "Aa", "Bb"]) }
            return pick(twins.classes.map(\.name))
        }

        /// The same of objects that stand alone, mostly of a class that both know.
        mutating func objectClass() -> String {
            if chance(10) { return className() }
            let known = twins.knownClasses.filter { $0.kind == .object }.map(\.name)
            return known.isEmpty || chance(10) ? pick(["A", "B", "C"]) : pick(known)
        }

        mutating func projectionName() -> String {
            pick(twins.projections.map(\.name) + ["Shown9"])
        }

        /// The properties of a class of the first store.
        func properties(_ name: String) -> [Property] {
            let base = twins.projections.first { $0.name == name }?.className ?? name
            return twins.classes.first { $0.name == base }?.properties ?? []
        }

        mutating func propertyName(
            _ name: String, where isMeant: (Property) -> Bool = { _ in true }
        )
            -> String
        {
            let names = properties(name).filter(isMeant).map(\.name)
            guard let found = names.randomElement(using: &random) else { return "id" }
            if chance(3) { return found + "s" }
            return found
        }

        mutating func scalar(_ name: String) -> String {
            propertyName(name) {
                if case .single(.scalar(let type)) = $0.type { type != .mixed } else { false }
            }
        }

        mutating func link(_ name: String) -> String {
            let first = propertyName(name) {
                if case .object? = $0.type.element { return true }
                if case .linkingObjects = $0.type { return true }
                return false
            }
            guard chance(25), let property = properties(name).first(where: { $0.name == first }),
                case .object(let target)? = property.type.element
            else { return first }
            return "\(first).\(link(target))"
        }

        /// What holds objects: a class or a projection.
        mutating func container() -> (name: String, path: String) {
            if chance(25), !twins.projections.isEmpty {
                let name = projectionName()
                return (name, "/v1/projections/\(name)")
            }
            let name = objectClass()
            return (name, "/v1/classes/\(name)")
        }

        mutating func address(_ name: String) -> String {
            let base = twins.projections.first { $0.name == name }?.className ?? name
            let keys = (chance(85) ? twins.objects : twins.allObjects)[base] ?? []
            let key = keys.randomElement(using: &random) ?? .int(3)
            guard let text = Self.text(key) else { return "/object?key=null" }
            return chance(20)
                ? "/object?key=" + escaped(Self.isText(key) ? quoted(text) : text)
                : "/objects/" + escaped(text)
        }

        private static func isText(_ key: Value) -> Bool {
            if case .int = key { false } else { true }
        }

        private static func text(_ key: Value) -> String? {
            switch key {
            case .int(let number): "\(number)"
            case .string(let text): text
            case .uuid(let id): "\(id)"
            case .objectID(let id): "\(id)"
            default: nil
            }
        }

        // MARK: Requests

        mutating func object() -> RuleRequest {
            let (name, path) = container()
            var request = RuleRequest(path + address(name))
            shape(&request, name, path)
            if chance(15) { request.headers.append(("If-Match", "\"00000000-1\"")) }
            if chance(10) { request.headers.append(("Prefer", "large-ints=string")) }
            return request
        }

        mutating func shape(_ request: inout RuleRequest, _ name: String, _ path: String) {
            let isProjected = path.hasPrefix("/v1/projections")
            if chance(35) {
                let shown = twins.projections.first { $0.name == name }?.properties.map(\.name)
                var fields: [String] = []
                for _ in 0..<pick([1, 2, 3]) {
                    if isProjected, let shown {
                        fields.append(pick(shown + ["*", "$id"]))
                    } else {
                        fields.append(field(name))
                    }
                }
                request.parameters.append(("fields", fields.joined(separator: ",")))
            }
            if !isProjected, chance(25) { request.parameters.append(("expand", link(name))) }
        }

        mutating func field(_ name: String) -> String {
            if chance(15) { return pick(["*", "$id"]) }
            let first = propertyName(name)
            guard let property = properties(name).first(where: { $0.name == first }) else {
                return first
            }
            if case .object(let target)? = property.type.element, chance(60) {
                return "\(first).\(propertyName(target))"
            }
            if case .linkingObjects(let target, _) = property.type, chance(50) {
                return chance(50) ? "\(first).@count" : "\(first).\(propertyName(target))"
            }
            return property.type.isCollection && chance(30) ? "\(first).@count" : first
        }

        mutating func filter(_ request: inout RuleRequest, _ name: String) {
            guard chance(70) else { return }
            for _ in 0..<20 {
                let query = twins.query()
                guard query.className == name || chance(4),
                    let arguments = QueryArgument.parameters(query.arguments)
                else { continue }
                request.parameters.append(("filter", query.text))
                request.parameters += arguments
                return
            }
        }

        mutating func list() -> RuleRequest {
            let (name, path) = container()
            let base = twins.projections.first { $0.name == name }?.className ?? name
            var request = RuleRequest(path + "/objects")
            filter(&request, base)
            let filter = request.parameters.first?.1 ?? ""
            let isStaged = ["LIMIT(", "SORT(", "DISTINCT("].contains { filter.contains($0) }
            if !isStaged || chance(5) {
                if chance(40) {
                    request.parameters.append(("sort", (chance(50) ? "" : "-") + scalar(base)))
                }
                if chance(15) { request.parameters.append(("distinct", scalar(base))) }
            }
            request.parameters.append(("limit", "\(Int.random(in: 1...7, using: &random))"))
            if chance(30) { request.parameters.append(("count", "exact")) }
            shape(&request, name, path)
            request.hasPages = true
            if chance(8) { request.parameters.append((scalar(base), "1")) }
            if chance(12) {
                request.headers.append(
                    ("Accept", chance(50) ? "text/csv" : "application/geo+json"))
                if chance(30) {
                    request.parameters.append(("geometry", pick(["place", "one.place", "here"])))
                }
            } else if chance(25), !request.parameters.contains(where: { $0.0 == "text" }) {
                return inBody(request, path)
            }
            return request
        }

        private func inBody(_ request: RuleRequest, _ path: String) -> RuleRequest {
            var posted = RuleRequest(path + "/query")
            posted.method = "POST"
            posted.hasPages = true
            var members: [String] = []
            var arguments: [String] = []
            for (name, value) in request.parameters {
                switch name {
                case "arg": arguments.append(value)
                case "limit": members.append("\"limit\":\(value)")
                case "count": members.append("\"count\":\"exact\"")
                default: members.append("\(quoted(name)):\(quoted(value))")
                }
            }
            if !arguments.isEmpty {
                members.append("\"args\":[\(arguments.joined(separator: ","))]")
            }
            posted.body = "{" + members.joined(separator: ",") + "}"
            return posted
        }

        mutating func property() -> RuleRequest {
            let name = objectClass()
            let property = propertyName(name)
            var request = RuleRequest(
                "/v1/classes/\(name)" + objectPath(name) + "/properties/\(property)")
            let definition = properties(name).first { $0.name == property }
            guard definition?.type.isCollection ?? false else {
                if chance(10) { request.headers.append(("Accept", "application/octet-stream")) }
                return request
            }
            request.hasPages = true
            request.parameters.append(("limit", "\(Int.random(in: 1...5, using: &random))"))
            if chance(30) { request.parameters.append(("count", "exact")) }
            if case .object(let target)? = definition?.type.element {
                if chance(30) { filter(&request, target) }
                if chance(20) { request.parameters.append(("sort", scalar(target))) }
                if chance(15), !twins.projections.isEmpty {
                    request.parameters.append(("projection", projectionName()))
                } else if chance(20) {
                    request.parameters.append(("fields", field(target)))
                }
            }
            return request
        }

        mutating func objectPath(_ name: String) -> String {
            let path = address(name)
            return path.hasPrefix("/objects/") ? path : "/objects/1"
        }

        mutating func element() -> RuleRequest {
            let name = objectClass()
            let property = propertyName(name) { $0.type.isCollection || $0.scalar == .mixed }
            var request = RuleRequest(
                "/v1/classes/\(name)" + objectPath(name) + "/properties/\(property)/elements")
            if chance(30) {
                request.parameters.append(("key", pick(["\"a\"", "\"b\"", "\"\""])))
            } else {
                request.target += "/" + pick(["0", "1", "2", "a", "ab"])
                if chance(20) { request.target += "/" + pick(["0", "a"]) }
            }
            return request
        }

        mutating func aggregate() -> RuleRequest {
            let (name, path) = container()
            let base = twins.projections.first { $0.name == name }?.className ?? name
            var request = RuleRequest(path + "/aggregate")
            var operations = ["count"]
            for function in ["min", "max"] where chance(60) {
                operations.append("\(function)(\(scalar(base)))")
            }
            request.parameters.append(("op", operations.joined(separator: ",")))
            if chance(50) {
                request.parameters.append(("by", scalar(base)))
                request.parameters.append(("limit", "\(Int.random(in: 1...5, using: &random))"))
                request.hasPages = true
            }
            filter(&request, base)
            return request
        }

        mutating func sections() -> RuleRequest {
            let (name, path) = container()
            let base = twins.projections.first { $0.name == name }?.className ?? name
            var request = RuleRequest(path + "/sections")
            request.parameters.append(("by", scalar(base)))
            request.parameters.append(("limit", "\(Int.random(in: 1...5, using: &random))"))
            request.parameters.append(("objects", "\(Int.random(in: 0...3, using: &random))"))
            if chance(30) { request.parameters.append(("count", "exact")) }
            filter(&request, base)
            request.hasPages = true
            return request
        }

        mutating func export() -> RuleRequest {
            let (name, path) = container()
            var request = RuleRequest(path + "/export")
            if chance(40) { request.headers.append(("Accept", "text/csv")) }
            if chance(50), path.hasPrefix("/v1/classes") {
                request.parameters.append(("fields", field(name)))
            }
            return request
        }
    }
}
