import HoldfastObjectModel
import HoldfastPlainQuery
import HoldfastServiceSupport
import HoldfastTestSupport

/// Makes random writes of every form: of the objects that a user reads, with values that others of these have, and now and then of what
/// the user does not see.
struct RuleChangeMaker {
    var requests: RuleRequestMaker
    /// The objects that the user reads, by class.
    let seen: [String: [[String: QueryJSON]]]
    /// How many keys have been made up.
    var keyCount: Int

    mutating func chance(_ percent: Int) -> Bool { requests.chance(percent) }
    mutating func pick<T>(_ values: [T]) -> T { requests.pick(values) }

    /// Makes a request.
    mutating func make() -> RuleRequest {
        let name = requests.objectClass()
        var request: RuleRequest
        switch Int.random(in: 0..<20, using: &requests.random) {
        case 0, 1: request = put(name)
        case 2, 3: request = merge(name)
        case 4, 5: request = patch(name)
        case 6, 7: request = create(name)
        case 8: request = RuleRequest(path(name), "DELETE")
        case 9: request = bulk(name, "PATCH")
        case 10: request = bulk(name, "DELETE")
        case 11, 12: request = element(name)
        case 13: request = lines(name)
        case 14: request = chance(50) ? lines(name) : table(name)
        case 15: request = chance(60) ? projected() : projectedBulk()
        case 16: request = projectedPart(name)
        default: request = transaction()
        }
        if request.method != "DELETE" {
            if chance(8) { request.headers.append(("Prefer", "return=minimal")) }
            if request.method != "PUT", !request.target.hasSuffix("/import"), chance(8) {
                keyCount += 1
                request.headers.append(("Idempotency-Key", "\"k\(keyCount)\""))
            }
        }
        return request
    }

    // MARK: Objects

    /// The properties of a class that the user may state, but for its key.
    func stored(_ name: String) -> [Property] {
        let known = requests.twins.knownClasses.first { $0.name == name }
        return (known?.properties ?? []).filter { property in
            if case .linkingObjects = property.type { return false }
            return property.name != known?.primaryKey
        }
    }

    func definition(_ name: String) -> ObjectClass? {
        requests.twins.classes.first { $0.name == name }
    }

    /// The key of an object, mostly of one that is seen.
    mutating func key(_ name: String) -> QueryJSON {
        guard chance(90), let objects = seen[name], !objects.isEmpty else {
            let key = requests.key(name, share: 50)
            return key.isText ? .string(key.text) : .int(Int64(key.text) ?? 0)
        }
        return pick(objects)[definition(name)?.primaryKey ?? "$id"] ?? .null
    }

    mutating func newKey(_ name: String) -> QueryJSON {
        keyCount += 1
        let digits = String(keyCount)
        func padded(_ count: Int) -> String {
            String(repeating: "0", count: count - digits.count) + digits
        }
        return switch definition(name)?.properties.first?.scalar {
        case .string: .string("new\(digits)")
        case .uuid: .string("99999999-0000-0000-0000-" + padded(12))
        case .objectID: .string("99" + padded(22))
        default: .int(Int64(1_000 + keyCount))
        }
    }

    private func path(_ name: String, _ key: QueryJSON) -> String {
        let text = if case .string(let text) = key { text } else { key.text }
        return text.isEmpty || text == "."
            ? "/v1/classes/\(name)/object?key=" + RuleRequest.escaped(key.text)
            : "/v1/classes/\(name)/objects/" + RuleRequest.escaped(text)
    }

    private mutating func path(_ name: String) -> String { path(name, key(name)) }

    /// What an object has in the properties that may be stated.
    mutating func whole(_ name: String) -> [String: QueryJSON] {
        let members = base(name)
        guard let objects = seen[name], !objects.isEmpty else { return members }
        return members.merging(stated(pick(objects), name)) { $1 }
    }

    /// Of what was read of an object what may be stated.
    private func stated(_ object: [String: QueryJSON], _ name: String) -> [String: QueryJSON] {
        let names = Set(stored(name).map(\.name))
        return object.filter { names.contains($0.key) }
    }

    /// What has to be stated of an object that may be new.
    private func base(_ name: String) -> [String: QueryJSON] {
        var members: [String: QueryJSON] = [:]
        for property in stored(name) where !canBeMissing(property) {
            members[property.name] = Self.generated[property.scalar ?? .date]
        }
        return members
    }

    /// Values of the types for which the stores would make up something, each for itself, where nothing is stated.
    private static let generated: [ScalarType: QueryJSON] = [
        .date: .string("2001-02-03T04:05:06Z"),
        .uuid: .string("00000000-0000-0000-0000-000000000007"),
        .objectID: .string("000000000000000000000007"),
    ]

    func canBeMissing(_ property: Property) -> Bool {
        guard case .single(.scalar(let type)) = property.type else { return true }
        return property.isOptional || Self.generated[type] == nil
    }

    /// Some of it, and now and then what no object has.
    private mutating func some(_ name: String, _ counts: [Int] = [1, 1, 2, 3]) -> [String:
        QueryJSON]
    {
        let all = whole(name).sorted { $0.key < $1.key }.shuffled(using: &requests.random)
        var members = Dictionary(uniqueKeysWithValues: all.prefix(pick(counts)).map { ($0, $1) })
        if chance(12) {
            let properties = stored(name)
            guard !properties.isEmpty else { return members }
            let property = pick(properties)
            members[property.name] =
                link(property) ?? pick([.null, .int(1), .string("a"), .array([])])
        }
        return members
    }

    /// The same of an object that may be new.
    mutating func someOfNew(_ name: String) -> [String: QueryJSON] {
        base(name).merging(some(name)) { $1 }
    }

    /// A link to an object that may be hidden, in the form that the property takes.
    private mutating func link(_ property: Property) -> QueryJSON? {
        guard case .object(let target)? = property.type.element, definition(target)?.kind == .object
        else { return nil }
        let key = key(target)
        return switch property.type {
        case .single: key
        case .map: .object(["a": key])
        default: .array([key])
        }
    }

    private mutating func put(_ name: String) -> RuleRequest {
        let key = chance(85) ? key(name) : newKey(name)
        let idName = definition(name)?.primaryKey ?? "$id"
        var members: [String: QueryJSON] = whole(name)
        // As it was read, but for something.
        if let own = seen[name]?.first(where: { $0[idName] == key }), chance(75) {
            members = stated(own, name)
        }
        members.merge(some(name)) { $1 }
        return RuleRequest(path(name, key), "PUT", .object(members))
    }

    private mutating func merge(_ name: String) -> RuleRequest {
        let isUpsert = chance(15)
        let key = isUpsert && chance(60) ? newKey(name) : key(name)
        var request = RuleRequest(
            path(name, key), "PATCH", .object(isUpsert ? whole(name) : some(name)))
        if isUpsert { request.parameters.append(("upsert", "true")) }
        return request
    }

    /// Makes a request that creates one object under a new key.
    mutating func creation(_ name: String) -> RuleRequest {
        var members = whole(name)
        if let primaryKey = definition(name)?.primaryKey { members[primaryKey] = newKey(name) }
        return RuleRequest("/v1/classes/\(name)/objects", "POST", .object(members))
    }

    private mutating func create(_ name: String) -> RuleRequest {
        let primaryKey = definition(name)?.primaryKey
        let objects = (0..<pick([1, 1, 2, 3])).map { _ -> QueryJSON in
            var members = whole(name)
            if let primaryKey { members[primaryKey] = chance(60) ? newKey(name) : key(name) }
            return .object(members)
        }
        var request = RuleRequest(
            "/v1/classes/\(name)/objects", "POST", objects.count == 1 ? objects[0] : .array(objects)
        )
        if chance(60) {
            request.parameters.append(("mode", pick(["create", "ignore", "merge", "replace"])))
        }
        return request
    }

    private mutating func bulk(_ name: String, _ method: String) -> RuleRequest {
        var request = RuleRequest("/v1/classes/\(name)/objects", method)
        requests.filter(&request, name, percent: 100)
        if request.parameters.isEmpty { request.parameters.append(("filter", "FALSEPREDICATE")) }
        if method == "PATCH" { request.body = QueryJSON.object(some(name)).text }
        if method == "DELETE" || chance(30) {
            request.headers.append(("Prefer", "max-affected=\(pick(["1", "2", "4"]))"))
        }
        return request
    }

    // MARK: Parts of objects

    private mutating func patch(_ name: String) -> RuleRequest {
        RuleRequest(path(name), "PATCH", steps(name), type: "application/json-patch+json")
    }

    /// Steps of a JSON patch.
    private mutating func steps(_ name: String) -> QueryJSON {
        let steps = (0..<pick([1, 1, 2, 3])).compactMap { _ -> QueryJSON? in
            // A dictionary's order is another one in each process.
            let members = some(name, [1]).sorted { $0.key < $1.key }
            guard let (property, value) = members.randomElement(using: &requests.random) else {
                return nil
            }
            let isOptional = stored(name).contains { $0.name == property && canBeMissing($0) }
            let path = "/" + property.replacing("~", with: "~0")
            func step(_ name: String, _ path: String, _ more: [String: QueryJSON]) -> QueryJSON {
                .object(
                    ["op": .string(name), "path": .string(path)].merging(more) { $1 })
            }
            let places =
                if case .object = value { ["a", "b", "zz"] } else { ["0", "0", "1", "2", "-"] }
            let (place, other) = (path + "/" + pick(places), path + "/" + pick(places))
            let inner =
                Self.values(in: value).map { $0.randomElement(using: &requests.random) ?? .null }
                ?? value
            return switch Int.random(in: 0..<9, using: &requests.random) {
            case 0 where isOptional: step("remove", path, [:])
            case 1: step("test", path, ["value": value])
            case 2: step("remove", place, [:])
            case 3: step("replace", place, ["value": inner])
            case 4: step("add", place, ["value": inner])
            case 5: step(pick(["move", "copy"]), place, ["from": .string(other)])
            default: step(pick(["add", "replace"]), path, ["value": value])
            }
        }
        return .array(steps)
    }

    /// What an array or an object has in it, in an order that is always the same; nil for other values.
    private static func values(in json: QueryJSON) -> [QueryJSON]? {
        switch json {
        case .array(let elements): elements
        case .object(let members): members.sorted { $0.key < $1.key }.map(\.value)
        default: nil
        }
    }

    /// The path of an object whose properties are asked for, without parameters.
    private mutating func holderPath(_ name: String) -> String {
        path(name).split(separator: "?").first.map(String.init) ?? ""
    }

    private mutating func element(_ name: String) -> RuleRequest {
        let collections = whole(name).filter { Self.values(in: $0.value) != nil }
            .sorted { $0.key < $1.key }
        guard let (property, value) = collections.randomElement(using: &requests.random) else {
            return patch(name)
        }
        let inner = Self.values(in: value)?.randomElement(using: &requests.random) ?? .null
        var request = RuleRequest(
            holderPath(name) + "/properties/\(property)/elements",
            pick(["POST", "PUT", "PUT", "DELETE"]))
        if request.method != "DELETE" { request.body = inner.text }
        if request.method == "POST" {
            if chance(40) { request.parameters.append(("at", pick(["0", "1", "2"]))) }
        } else if request.method == "DELETE", chance(30) {
            request.parameters.append(("value", inner.text))
        } else {
            let isMap = if case .object = value { true } else { false }
            request.target += "/" + (isMap ? pick(["a", "b", "ab"]) : pick(["0", "1", "2"]))
            if chance(10) { request.target += "/" + pick(["0", "1", "a"]) }
        }
        return request
    }

    // MARK: Projections

    /// Values for some of a projection's properties, from objects that have what it shows.
    private mutating func shown(_ projection: Projection) -> QueryJSON {
        var members: [String: QueryJSON] = [:]
        for property in projection.properties where chance(60) {
            var name = projection.className
            for step in property.path.dropLast() {
                let known = definition(name)?.properties.first { $0.name == step }
                guard case .object(let target)? = known?.type.element else { break }
                name = target
            }
            members[property.name] = whole(name)[property.path.last ?? ""] ?? .null
        }
        return .object(members)
    }

    private mutating func projected() -> RuleRequest {
        guard let shown = requests.twins.projections.randomElement(using: &requests.random) else {
            return patch("A")
        }
        let target = path(shown.className).replacing(
            "/v1/classes/\(shown.className)/", with: "/v1/projections/\(shown.name)/")
        return RuleRequest(target, "PATCH", self.shown(shown))
    }

    private mutating func projectedBulk() -> RuleRequest {
        guard let shown = requests.twins.projections.randomElement(using: &requests.random) else {
            return patch("A")
        }
        var request = RuleRequest(
            "/v1/projections/\(shown.name)/objects", "PATCH", self.shown(shown))
        if let property = shown.properties.randomElement(using: &requests.random), chance(50) {
            request.parameters.append(
                ("filter", "\(property.name) \(pick(["==", "!="])) nil"))
        } else {
            request.parameters.append(("all", "true"))
        }
        if chance(30) {
            request.headers.append(("Prefer", "max-affected=\(pick(["1", "2", "4"]))"))
        }
        return request
    }

    private mutating func projectedPart(_ name: String) -> RuleRequest {
        let parts = requests.twins.projections.filter { $0.className == "E" }
        guard let shown = parts.randomElement(using: &requests.random) else { return merge(name) }
        var request = RuleRequest(holderPath(name) + "/properties/part", "PATCH", self.shown(shown))
        request.parameters.append(("projection", shown.name))
        return request
    }

    // MARK: Transactions

    private mutating func transaction() -> RuleRequest {
        var operations: [QueryJSON] = []
        for _ in 0..<pick([1, 2, 2, 3, 4]) {
            let name = requests.objectClass()
            let kind = pick(["patch", "patch", "merge", "put", "create", "delete"])
            var operation: [String: QueryJSON] = ["op": .string(kind), "class": .string(name)]
            let isNew = kind == "create" ? chance(90) : kind != "patch" && chance(30)
            if kind != "create" || definition(name)?.primaryKey != nil {
                operation["id"] = isNew ? newKey(name) : key(name)
            }
            switch kind {
            case "delete": break
            case "patch": operation["value"] = chance(30) ? steps(name) : .object(some(name))
            case "merge" where !isNew:
                operation["value"] = .object(someOfNew(name))
            default: operation["value"] = .object(whole(name))
            }
            operations.append(.object(operation))
        }
        return RuleRequest(
            "/v1/transactions", "POST", .object(["operations": .array(operations)]))
    }
}
