import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastQuery
import HoldfastTestSupport

// Rules that name the user, with what they say of this one.
extension RuleModels {
    /// A condition that asks for a claim alone.
    var levelIsOne: RuleText {
        RuleText(
            text: "$user.level == 1",
            predicate: user.flatMap { _ in level.map { .constant($0 == 1) } })
    }

    /// A condition that asks for the user.
    mutating func ofUser(
        _ name: String, _ world: PlainWorld, _ view: StoreView
    ) -> RuleText? {
        let properties = world.classes[name]?.properties ?? []
        switch Int.random(in: 0..<9, using: &random) {
        case 0:
            let id = chance(70) ? user ?? "1" : "1"
            return RuleText(
                text: "$user.id == '\(id)'", predicate: user.map { .constant($0 == id) })
        case 1: return levelIsOne
        case 2, 3: return linkToUser(name, world)
        case 4:
            guard let property = scalar(properties, world.classes["A"]?.properties ?? []) else {
                return nil
            }
            let value = ownObject(world)?.content[property.other.name]?.plainValue ?? .null
            return RuleText(
                text: "\(property.own.name) == $user.object.\(property.other.name)",
                predicate: value == .null
                    ? nil : Self.equal(path(name, property.own), .value(value)))
        case 5: return valueBehindOwnLink(name, world)
        case 6: return elementOfOwnList(name, world)
        case 7:
            let texts = properties.filter {
                $0.type == .single(.scalar(.string)) && $0.cases == nil
            }
            guard let property = texts.randomElement(using: &random) else { return nil }
            return RuleText(
                text: "\(property.name) IN $user.groups",
                predicate: user.flatMap { _ in groups }.map { groups in
                    .or(groups.map { Self.equal(path(name, property), .value(.string($0))) })
                })
        default:
            guard let property = scalar(properties, properties)?.own else { return nil }
            // One that is not claimed has a name of its own.
            claimCount += 1
            let claim = "c\(claimCount)"
            let value = PlainDomain.value(property.scalar ?? .int, &random)
            let text = "\(property.name) == $user.\(claim)"
            guard chance(70), let json = Self.json(value) else {
                return RuleText(text: text, predicate: nil)
            }
            claimed.append((claim, json))
            return RuleText(
                text: text,
                predicate: user == nil ? nil : Self.equal(path(name, property), .value(value)))
        }
    }

    /// A condition that a link, behind other links or among several, leads to the user's object.
    private mutating func linkToUser(_ name: String, _ world: PlainWorld) -> RuleText? {
        var hops: [PlainPath.Hop] = []
        var text = ""
        var last = name
        func links(where isMeant: (Property) -> Bool) -> [Property] {
            (world.classes[last]?.properties ?? []).filter {
                guard case .object(let target)? = $0.type.element, isMeant($0) else { return false }
                return world.classes[target]?.kind == .object
            }
        }
        while hops.count < 2, chance(40),
            let hop = links(where: { _ in true }).randomElement(using: &random)
        {
            guard case .object(let target)? = hop.type.element else { break }
            if case .map = hop.type { break }
            hops.append(hop.type.isCollection ? .many(hop.name, form: "") : .one(hop.name))
            text += hop.name + "."
            last = target
        }
        let ends = links {
            if case .map = $0.type { return false }
            return $0.type.element == .object("A")
        }
        guard let end = ends.randomElement(using: &random) else { return nil }
        let path = PlainPath(
            root: name, hops: hops,
            end: end.type.isCollection ? .elements(end.name, form: "") : .value(end.name),
            type: .link("A"))
        let isMany = end.type.isCollection || path.crossesMany
        return RuleText(
            text: (isMany ? "ANY " : "") + text + end.name + " == $user.id",
            predicate: user.flatMap { Int64($0) }.map {
                Self.equal(path, .object("A", .int($0)), isMany ? .any : nil)
            })
    }

    /// The object of the class of users whose key is the user's id.
    private func ownObject(_ world: PlainWorld) -> PlainObject? {
        user.flatMap { Int64($0) }.flatMap { id in
            world.all("A").first { $0.content["id"] == .value(.int(id)) }
        }
    }

    /// A condition that a value is that of an object to which the user's links.
    private mutating func valueBehindOwnLink(_ name: String, _ world: PlainWorld) -> RuleText? {
        let links = (world.classes["A"]?.properties ?? []).filter {
            guard case .single(.object(let target)) = $0.type else { return false }
            return world.classes[target]?.kind == .object
        }
        guard let link = links.randomElement(using: &random),
            case .object(let target)? = link.type.element,
            let property = scalar(
                world.classes[name]?.properties ?? [], world.classes[target]?.properties ?? [])
        else { return nil }
        let value =
            ownObject(world)?.content[link.name].flatMap { world.object($0.plainValue) }?
            .content[property.other.name]?.plainValue ?? .null
        return RuleText(
            text: "\(property.own.name) == $user.object.\(link.name).\(property.other.name)",
            predicate: value == .null
                ? nil : Self.equal(path(name, property.own), .value(value)))
    }

    /// A condition that a value is one of a list or set of the user's object.
    private mutating func elementOfOwnList(_ name: String, _ world: PlainWorld) -> RuleText? {
        var pairs: [(own: Property, list: Property)] = []
        for own in world.classes[name]?.properties ?? [] where own.cases == nil {
            guard case .single(.scalar(let type)) = own.type, [.int, .string, .bool].contains(type)
            else { continue }
            for list in world.classes["A"]?.properties ?? []
            where list.type == .list(.scalar(type)) || list.type == .set(.scalar(type)) {
                pairs.append((own, list))
            }
        }
        guard let (own, list) = pairs.randomElement(using: &random) else { return nil }
        var predicate: PlainPredicate?
        if case .values(let values)? = ownObject(world)?.content[list.name] {
            if values.contains(.null) { return nil }
            predicate = .or(values.map { Self.equal(path(name, own), .value($0)) })
        }
        return RuleText(
            text: "\(own.name) IN $user.object.\(list.name)", predicate: predicate)
    }

    private func path(_ name: String, _ property: Property) -> PlainPath {
        PlainPath(
            root: name, hops: [], end: .value(property.name),
            type: .scalar(property.scalar?.widened ?? .int))
    }

    /// A property and another one of its type.
    private mutating func scalar(
        _ properties: [Property], _ others: [Property]
    ) -> (own: Property, other: Property)? {
        func isPlain(_ property: Property) -> Bool {
            guard case .single(.scalar(let type)) = property.type else { return false }
            return property.cases == nil && [.int, .string, .bool].contains(type.widened)
        }
        guard let own = properties.filter(isPlain).randomElement(using: &random) else {
            return nil
        }
        let other = others.filter { isPlain($0) && $0.type == own.type }
            .randomElement(using: &random)
        return other.map { (own, $0) }
    }

    private static func equal(
        _ path: PlainPath, _ kind: PlainConstant.Kind, _ quantifier: PlainQuantifier? = nil
    ) -> PlainPredicate {
        .comparison(
            .path(path, quantifier), PlainOperator(name: .equal),
            .constant(PlainConstant(kind: kind, isArgument: true)))
    }

    private static func json(_ value: Value) -> String? {
        switch value {
        case .int(let number): "\(number)"
        case .bool(let truth): "\(truth)"
        case .string(let text): text.contains("\0") ? nil : quoted(text)
        default: nil
        }
    }
}
