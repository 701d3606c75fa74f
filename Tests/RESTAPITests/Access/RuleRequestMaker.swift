import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// Makes random requests of every operation that reads, and of writes that change nothing.
struct RuleRequestMaker {
    var twins: RuleModels
    var random: SeededGenerator

    mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    mutating func pick<T>(_ values: [T]) -> T {
        values[Int.random(in: values.indices, using: &random)]
    }

    /// A number from 1 up, as a text.
    mutating func count(to most: Int) -> String { "\(Int.random(in: 1...most, using: &random))" }

    /// Makes a request.
    mutating func make() -> RuleRequest {
        var request: RuleRequest
        switch Int.random(in: 0..<33, using: &random) {
        case 0:
            request = RuleRequest(
                pick(["/v1/classes", "/v1/schema", "/v1/projections", "/v1/openapi.json"]),
                takesSnapshot: false)
        case 1:
            request = RuleRequest(
                chance(50)
                    ? "/v1/schema/classes/\(className())" : "/v1/projections/\(projectionName())",
                takesSnapshot: false)
        case 2...6: request = object()
        case 7...10: request = property()
        case 11, 12: request = element()
        case 13...15: request = aggregate()
        case 16...18: request = sections()
        case 19: request = export()
        case 20...22: return write()
        case 23: return stream()
        case 24, 25: request = changes()
        default: request = list()
        }
        if request.method == "GET", chance(5) { request.method = "HEAD" }
        if chance(5) { request.headers.append(("Prefer", "int64=string")) }
        return request
    }

    // MARK: Names

    /// The name of a class, which may be unknown to one or to both.
    private mutating func className() -> String {
        if chance(5) { return pick(["D", "a", "Aa", "Bb"]) }
        return pick(twins.classes.map(\.name))
    }

    /// The same of objects that stand alone, mostly of a class that both know.
    mutating func objectClass() -> String {
        if chance(3) { return className() }
        let known = twins.knownClasses.filter { $0.kind == .object }.map(\.name)
        return known.isEmpty || chance(5) ? pick(["A", "B", "C"]) : pick(known)
    }

    private mutating func projectionName() -> String {
        let known = twins.knownProjections.map(\.name)
        return known.isEmpty || chance(8)
            ? pick(twins.projections.map(\.name) + ["Shown9"]) : pick(known)
    }

    /// The properties of a class of the first store.
    func properties(_ name: String) -> [Property] {
        twins.classes.first { $0.name == name }?.properties ?? []
    }

    func property(_ name: String, of className: String) -> Property? {
        properties(className).first { $0.name == name }
    }

    mutating func propertyName(
        _ name: String, where isMeant: (Property) -> Bool = { _ in true }
    ) -> String {
        let known = chance(6) ? nil : twins.knownClasses.first { $0.name == name }
        let names = (known?.properties ?? properties(name)).filter(isMeant).map(\.name)
        guard let found = names.randomElement(using: &random) else { return "id" }
        return chance(1) ? found + "s" : found
    }

    /// A property of one value of some types.
    mutating func scalar(
        _ name: String, where isMeant: (ScalarType) -> Bool = { $0 != .mixed }
    ) -> String {
        propertyName(name) {
            if case .single(.scalar(let type)) = $0.type { isMeant(type) } else { false }
        }
    }

    /// A path to one value of some types, which may go through links or count what there is.
    mutating func path(
        _ name: String, where isMeant: (ScalarType) -> Bool = { $0 != .mixed }
    ) -> String {
        if chance(25) {
            let first = propertyName(name) {
                if case .single(.object) = $0.type { true } else { false }
            }
            if case .object(let target)? = property(first, of: name)?.type.element {
                return "\(first).\(path(target, where: isMeant))"
            }
        }
        if chance(8) { return propertyName(name) { $0.type.isCollection } + ".@count" }
        return scalar(name, where: isMeant)
    }

    /// A path of links, backwards too.
    mutating func link(_ name: String) -> String {
        let first = propertyName(name) {
            if case .object? = $0.type.element { return true }
            if case .linkingObjects = $0.type { return true }
            return false
        }
        guard chance(30), let property = property(first, of: name) else { return first }
        switch property.type {
        case .linkingObjects(let origin, _): return "\(first).\(link(origin))"
        default:
            guard case .object(let target)? = property.type.element else { return first }
            return "\(first).\(link(target))"
        }
    }

    /// What holds objects, a class or a projection, and the class whose they are.
    struct Container {
        let name: String
        let path: String
        let base: String
        let projection: Projection?
    }

    mutating func container() -> Container {
        if chance(25), !twins.knownProjections.isEmpty || chance(10) {
            let name = projectionName()
            let shown = twins.projections.first { $0.name == name }
            return Container(
                name: name, path: "/v1/projections/\(name)", base: shown?.className ?? name,
                projection: shown)
        }
        let name = objectClass()
        return Container(ofClass: name)
    }

    /// The class, or a projection of it that both know.
    mutating func container(of name: String) -> Container {
        let known = twins.knownProjections.filter { $0.className == name }
        guard chance(25), let shown = known.randomElement(using: &random) else {
            return Container(ofClass: name)
        }
        return Container(
            name: shown.name, path: "/v1/projections/\(shown.name)", base: name, projection: shown)
    }

    /// The key of an object as a text, in so many cases of one that is seen.
    mutating func key(_ base: String, share: Int = 85) -> (text: String, isText: Bool) {
        let keys = (chance(share) ? twins.objects : twins.allObjects)[base] ?? []
        switch keys.randomElement(using: &random) ?? .int(3) {
        case .int(let number): return ("\(number)", false)
        case .string(let text): return (text, true)
        case .uuid(let id): return ("\(id)", true)
        case .objectID(let id): return ("\(id)", true)
        default: return ("null", false)
        }
    }

    // MARK: Objects and what they have

    private mutating func object() -> RuleRequest {
        let container = container()
        let key = key(container.base)
        let ending =
            chance(20)
            ? "/object?key=" + RuleRequest.escaped(key.isText ? quoted(key.text) : key.text)
            : "/objects/" + RuleRequest.escaped(key.text)
        var request = RuleRequest(container.path + ending)
        shape(&request, container)
        if chance(15) { request.headers.append(("If-Match", "\"00000000-1\"")) }
        if chance(5) { request.headers.append(("If-None-Match", "*")) }
        return request
    }

    /// Adds what is shown of objects.
    mutating func shape(_ request: inout RuleRequest, _ container: Container) {
        if chance(35) {
            let fields = (0..<pick([1, 2, 3])).map { _ in
                container.projection.map { pick($0.properties.map(\.name) + ["*", "$id"]) }
                    ?? field(container.base)
            }
            request.parameters.append(("fields", fields.joined(separator: ",")))
        }
        if container.projection == nil, chance(25) {
            request.parameters.append(("expand", link(container.base)))
        }
    }

    mutating func field(_ name: String) -> String {
        if chance(15) { return pick(["*", "$id", "$version"]) }
        let first = propertyName(name)
        guard let property = property(first, of: name) else { return first }
        if property.type.isCollection, property.type.element != nil, chance(30) {
            return "\(first).\(pick(["@count", "@count", "@max", "@avg"]))"
        }
        if case .object(let target)? = property.type.element, chance(60) {
            if property.type.isCollection, chance(30) {
                return "\(first).\(pick(["@min", "@sum"])).\(scalar(target))"
            }
            return "\(first).\(propertyName(target))"
        }
        if case .linkingObjects(let origin, _) = property.type, chance(60) {
            if chance(20) { return "\(first).$owner" }
            return chance(40)
                ? "\(first).\(pick(["@count", "@max.\(scalar(origin))"]))"
                : "\(first).\(propertyName(origin))"
        }
        return first
    }

    private mutating func property() -> RuleRequest {
        let name = objectClass()
        let property = propertyName(name)
        var request = RuleRequest(objectPath(name) + "/properties/\(property)")
        let definition = self.property(property, of: name)
        guard definition?.type.isCollection ?? false else {
            if chance(10) { request.headers.append(("Accept", "application/octet-stream")) }
            return request
        }
        request.hasPages = true
        request.parameters.append(("limit", count(to: 5)))
        if chance(30) { request.parameters.append(("count", "exact")) }
        if case .object(let target)? = definition?.type.element {
            filter(&request, target, percent: 40)
            if chance(30) { request.parameters.append(("sort", sort(target))) }
            if chance(15) {
                request.parameters.append(("projection", projectionName()))
            } else {
                shape(&request, Container(ofClass: target))
            }
        }
        return request
    }

    mutating func objectPath(_ name: String) -> String {
        "/v1/classes/\(name)/objects/" + RuleRequest.escaped(key(name).text)
    }

    /// An element of a collection, or of what is nested in it.
    mutating func element() -> RuleRequest {
        let name = objectClass()
        let property = propertyName(name) { $0.type.isCollection || $0.scalar == .mixed }
        var request = RuleRequest(objectPath(name) + "/properties/\(property)/elements")
        if chance(20) {
            request.parameters.append(("key", pick(["\"a\"", "\"b\"", "\"\""])))
        } else {
            let steps = (0..<pick([1, 1, 2, 3])).map { _ in pick(["0", "1", "2", "a", "b", "ab"]) }
            request.target += "/" + steps.joined(separator: "/")
        }
        return request
    }

    // MARK: Filters and orders

    mutating func filter(_ request: inout RuleRequest, _ name: String, percent: Int = 70) {
        guard chance(percent) else { return }
        for _ in 0..<20 {
            let query = twins.query()
            guard query.className == name || chance(4),
                let arguments = QueryArgument.parameters(query.arguments)
            else { continue }
            request.parameters.append(("filter", query.text))
            for (name, value) in arguments { request.parameters.append((name, value)) }
            return
        }
    }

    mutating func sort(_ name: String) -> String {
        (0..<pick([1, 1, 2])).map { _ in (chance(50) ? "" : "-") + path(name) }
            .joined(separator: ",")
    }
}

extension RuleRequestMaker.Container {
    init(ofClass name: String) {
        self.init(name: name, path: "/v1/classes/\(name)", base: name, projection: nil)
    }
}
