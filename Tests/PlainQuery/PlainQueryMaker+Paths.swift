import HoldfastObjectModel
import HoldfastTestSupport

extension PlainWorld {
    /// The class that a path ends in.
    func lastClass(_ path: PlainPath) -> String {
        path.hops.reduce(path.root) { target(of: $1, from: $0) ?? $0 }
    }

    /// Whether a path stands for several values.
    func isMany(_ path: PlainPath) -> Bool {
        if path.isFold { return false }
        switch path.end {
        case .elements, .keys, .lengths, .inverse, .links: return true
        case .mixed(_, let steps, _): return path.crossesMany || steps.contains { $0.isMany }
        case .count(let name, _), .countAt(let name, _):
            return path.crossesMany && property(lastClass(path), name)?.scalar != nil
        default: return path.crossesMany
        }
    }

    /// Whether a path leads to the values of a map.
    func endsInMap(_ path: PlainPath) -> Bool {
        guard case .elements(let name, _) = path.end else { return false }
        return property(lastClass(path), name)?.type.isMap ?? false
    }
}

extension PlainPath {
    /// Whether it leads to the elements of a collection of plain values, or to keys.
    var isPrimitiveCollection: Bool {
        switch (end, type) {
        case (.elements, .scalar), (.keys, _): return true
        case (.mixed(_, let steps, .value), _):
            // A star alone stands for the collection as it is.
            if steps.count == 1, case .all = steps[0] { return true }
            return false
        default: return false
        }
    }
}

/// Random paths.
extension PlainQueryMaker {
    /// A path from a class to whatever there is; nil when the steps come to nothing.
    mutating func path(_ className: String) -> PlainPath? {
        var hops: [PlainPath.Hop] = []
        var present = className
        for _ in 0..<pick([0, 0, 0, 1, 1, 2, 3]) {
            guard let hop = hop(present), let next = world.target(of: hop, from: present),
                next != "P"
            else { break }
            hops.append(hop)
            present = next
        }
        guard let (end, type) = end(present, &hops) else { return nil }
        return PlainPath(
            root: className, hops: hops, end: end, type: type,
            isPrefixed: subqueryDepth > 0 && chance(60))
    }

    /// A step from objects of a class to others.
    mutating func hop(_ className: String) -> PlainPath.Hop? {
        let properties = (world.classes[className]?.properties ?? []).filter { $0.scalar == nil }
        guard let property = properties.randomElement(using: &random) else { return nil }
        if world.classes[className]?.kind == .object, chance(10) {
            return backwards(to: className).map { .links($0.0, $0.1) }
        }
        switch property.type {
        case .single: return .one(property.name)
        case .list:
            return chance(20)
                ? .at(property.name, listPosition())
                : .many(property.name, form: pick(["", "", "[*]"]))
        case .set: return .many(property.name, form: "")
        case .map:
            return chance(40)
                ? .at(property.name, key())
                : .many(property.name, form: pick(["", "[*]", ".@values"]))
        case .linkingObjects: return .inverse(property.name)
        }
    }

    private mutating func listPosition() -> PlainPath.Position {
        pick([.index(0), .index(1), .index(2), .first, .last])
    }

    private mutating func key() -> PlainPath.Position {
        let key = pick(PlainDomain.keys)
        return .key(key, isDotted: !key.isEmpty && chance(50))
    }

    /// A class and a property of it that links to a class.
    private mutating func backwards(to className: String) -> (String, String)? {
        var ways: [(String, String)] = []
        for origin in world.names {
            for property in world.classes[origin]?.properties ?? []
            where property.type.element == .object(className) {
                ways.append((origin, property.name))
            }
        }
        return ways.randomElement(using: &random)
    }

    /// What is read of objects of a class; a step to several objects is added where that needs one.
    private mutating func end(
        _ className: String, _ hops: inout [PlainPath.Hop]
    ) -> (PlainPath.End, PlainType)? {
        let definition = world.classes[className]
        switch Int.random(in: 0..<24, using: &random) {
        case 0 where definition?.kind == .object: return (.incomingCount, .scalar(.int))
        case 1 where definition?.kind == .object:
            guard let (origin, name) = backwards(to: className) else { return nil }
            return (.linkCount(origin, name), .scalar(.int))
        case 2 where definition?.kind == .object:
            guard let (origin, name) = backwards(to: className),
                world.classes[origin]?.kind == .object
            else { return nil }
            return (.links(origin, name), .link(origin))
        case 3, 4: return objectAggregate(className, &hops)
        case 5 where subqueryDepth < 2: return matchCount(className, &hops)
        default: break
        }
        guard let property = definition?.properties.randomElement(using: &random) else {
            return nil
        }
        return end(property, className)
    }

    private mutating func end(
        _ property: Property, _ className: String
    ) -> (PlainPath.End, PlainType)? {
        let name = name(of: property)
        let scalar = property.scalar?.widened
        if scalar == .mixed, chance(70) { return mixedEnd(property) }
        guard let scalar else { return objectEnd(property) }
        switch property.type {
        case .single:
            if scalar == .string || scalar == .data, chance(10) {
                return (.count(name, form: countForm()), .scalar(.int))
            }
            return (.value(name), .scalar(scalar))
        case .linkingObjects: return nil
        case .list, .set, .map: break
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return (.count(name, form: countForm()), .scalar(.int))
        case 1, 2:
            let function = pick(PlainPath.Function.allCases)
            guard let type = Self.result(function, scalar) else { return nil }
            return (.aggregate(function, name), .scalar(type))
        case 3:
            guard !property.type.isMap, [.string, .data, .mixed].contains(scalar) else {
                return nil
            }
            return (.lengths(name), .scalar(.int))
        case 4, 5:
            if property.type.isMap {
                if chance(30) { return (.keys(name), .scalar(.string)) }
                return (.elementAt(name, key()), .scalar(scalar))
            }
            guard case .list = property.type else { return nil }
            let position = listPosition()
            if scalar == .string || scalar == .data, chance(30) {
                return (.countAt(name, position), .scalar(.int))
            }
            return (.elementAt(name, position), .scalar(scalar))
        default:
            let form = property.type.isMap ? pick(["", "[*]", ".@values"]) : pick(["", "", "[*]"])
            // A star begins a path within mixed values.
            return (.elements(name, form: scalar == .mixed ? "" : form), .scalar(scalar))
        }
    }

    private mutating func countForm() -> String { pick([".@count", ".@size", "[SIZE]"]) }

    private mutating func objectEnd(_ property: Property) -> (PlainPath.End, PlainType)? {
        let name = property.name
        if chance(30) { return (.count(name, form: ".@count"), .scalar(.int)) }
        switch property.type {
        case .linkingObjects(let origin, _):
            guard world.classes[origin]?.kind == .object else { return nil }
            return (.inverse(name), .link(origin))
        case .single(.object(let target)):
            let isEmbedded = world.classes[target]?.kind == .embedded
            return (.value(name), isEmbedded ? .embedded : .link(target))
        case .list(.object(let target)), .set(.object(let target)), .map(.object(let target)):
            guard world.classes[target]?.kind == .object else { return nil }
            return (.elements(name, form: ""), .link(target))
        default: return nil
        }
    }

    /// The type of what a function makes of values of a type; nil where it makes nothing.
    static func result(_ function: PlainPath.Function, _ type: ScalarType) -> ScalarType? {
        let isExtreme = function == .min || function == .max
        switch type {
        case .date: return isExtreme ? .date : nil
        case .mixed: return isExtreme ? .mixed : .decimal128
        case .int: return function == .average ? .double : .int
        case .float: return isExtreme ? .float : .double
        case .double, .decimal128: return type
        default: return nil
        }
    }

    private mutating func objectAggregate(
        _ className: String, _ hops: inout [PlainPath.Hop]
    ) -> (PlainPath.End, PlainType)? {
        guard let target = enterMany(className, &hops),
            let property = world.classes[target]?.properties.randomElement(using: &random),
            case .single(.scalar(let scalar)) = property.type
        else { return nil }
        let function = pick(PlainPath.Function.allCases)
        guard let type = Self.result(function, scalar.widened) else { return nil }
        return (.objectAggregate(function, name(of: property)), .scalar(type))
    }

    private mutating func matchCount(
        _ className: String, _ hops: inout [PlainPath.Hop]
    ) -> (PlainPath.End, PlainType)? {
        guard let target = enterMany(className, &hops), target != "P" else { return nil }
        subqueryDepth += 1
        defer { subqueryDepth -= 1 }
        let variable = "$v\(subqueryDepth)"
        let predicate = predicate(target, pick([0, 0, 1]))
        return (.matchCount(variable: variable, predicate), .scalar(.int))
    }

    /// Goes on to several objects.
    private mutating func enterMany(
        _ className: String, _ hops: inout [PlainPath.Hop]
    ) -> String? {
        for _ in 0..<6 {
            guard let hop = hop(className), hop.isMany,
                let target = world.target(of: hop, from: className)
            else { continue }
            if case .many(let name, _) = hop {
                hops.append(.many(name, form: ""))
            } else {
                hops.append(hop)
            }
            return target
        }
        return nil
    }

    /// One of a property's names.
    private mutating func name(of property: Property) -> String {
        guard let second = property.mapTo, chance(60) else { return property.name }
        return second
    }

    // MARK: Mixed values

    private mutating func mixedEnd(_ property: Property) -> (PlainPath.End, PlainType)? {
        let name = name(of: property)
        var steps: [PlainPath.MixedStep] = []
        switch property.type {
        case .single: break
        case .list: steps.append(chance(50) ? .position(listPosition()) : .all)
        case .set: steps.append(.all)
        case .map: steps.append(chance(70) ? mixedKey() : .all)
        case .linkingObjects: return nil
        }
        for _ in 0..<pick([0, 0, 1, 1, 2]) {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1: steps.append(.position(listPosition()))
            case 2, 3: steps.append(mixedKey())
            case 4: steps.append(.all)
            default:
                steps.append(.keys)
                return (.mixed(name, steps, .value), .scalar(.string))
            }
        }
        // A star alone stands for the collection as it is.
        var isWhole = false
        if property.type.isCollection, steps.count == 1, case .all = steps[0] { isWhole = true }
        switch Int.random(in: isWhole ? 4..<8 : 0..<8, using: &random) {
        case 0, 1, 7: return (.mixed(name, steps, .kind), .kinds)
        case 2: return (.mixed(name, steps, .count), .scalar(.int))
        case 3:
            let function = pick(PlainPath.Function.allCases)
            return (
                .mixed(name, steps, .aggregate(function)),
                .scalar(Self.result(function, .mixed) ?? .mixed)
            )
        default:
            if steps.isEmpty { return (.value(name), .scalar(.mixed)) }
            // A key alone reads the map itself, as one of any other type.
            if property.type.isMap, steps.count == 1, case .key(let key, let isDotted) = steps[0] {
                return (.elementAt(name, .key(key, isDotted: isDotted)), .scalar(.mixed))
            }
            return (.mixed(name, steps, .value), .scalar(.mixed))
        }
    }

    private mutating func mixedKey() -> PlainPath.MixedStep {
        // Also the names of properties, for links on the way.
        let names = (world.classes["A"]?.properties ?? []).map(\.name)
        let key = pick(["a", "b", "one", "", "a", "b", names.randomElement(using: &random) ?? "a"])
        return .key(key, isDotted: !key.isEmpty && chance(60))
    }
}
