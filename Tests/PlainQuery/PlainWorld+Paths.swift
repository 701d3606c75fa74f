import HoldfastObjectModel
import HoldfastObjectSupport

/// What a path leads to.
struct PlainReach {
    /// Whether the path stands for several values.
    var isMany: Bool
    /// The values; of a path to collections in several objects those of each by themselves.
    var groups: [[Value]]

    static func one(_ value: Value) -> PlainReach { PlainReach(isMany: false, groups: [[value]]) }
    static func many(_ values: [Value]) -> PlainReach { PlainReach(isMany: true, groups: [values]) }
    /// Collections that are compared one at a time; none counts as one that is empty.
    static func several(_ groups: [[Value]]) -> PlainReach {
        PlainReach(isMany: true, groups: groups.isEmpty ? [[]] : groups)
    }
}

extension PlainWorld {
    /// The class that a hop leads to.
    func target(of hop: PlainPath.Hop, from className: String) -> String? {
        switch hop {
        case .links(let origin, _): return origin
        case .one(let name), .many(let name, _), .at(let name, _), .inverse(let name):
            switch property(className, name)?.type {
            case .linkingObjects(let origin, _)?: return origin
            case let type?: if case .object(let target)? = type.element { return target }
            case nil: break
            }
            return nil
        }
    }

    /// The objects that hops lead to. Without a step to several objects it is one, or nil where there is
    /// none; behind such a step what is missing is left out.
    func follow(_ hops: [PlainPath.Hop], from object: PlainObject) -> [PlainObject?] {
        var present: [PlainObject?] = [object]
        var isMany = false
        for hop in hops {
            isMany = isMany || hop.isMany
            present = present.flatMap { object -> [PlainObject?] in
                guard let object else { return hop.isMany ? [] : [nil] }
                return take(hop, from: object)
            }
            if isMany { present.removeAll { $0 == nil } }
        }
        return present
    }

    private func take(_ hop: PlainPath.Hop, from object: PlainObject) -> [PlainObject?] {
        let target = target(of: hop, from: object.className) ?? ""
        func enter(_ content: Content?) -> PlainObject? {
            switch content {
            case .value(let link)?: self.object(link)
            case .embedded(let inner)?:
                PlainObject(className: target, key: object.key, content: inner)
            default: nil
            }
        }
        switch hop {
        case .one(let name): return [enter(object.content[name])]
        case .many(let name, _): return object.content[name]?.elements.map { enter($0) } ?? []
        case .at(let name, let position): return [enter(element(object.content[name], position))]
        case .inverse(let name):
            guard
                case .linkingObjects(let origin, let forward)? =
                    property(object.className, name)?.type
            else { return [] }
            return origins(of: object, origin, forward)
        case .links(let origin, let forward): return origins(of: object, origin, forward)
        }
    }

    /// What a collection has at a position; nil for nothing.
    func element(_ content: Content?, _ position: PlainPath.Position) -> Content? {
        if case .key(let key, _) = position {
            guard case .entries(let entries)? = content else { return nil }
            return entries[key]
        }
        return content.flatMap { $0.elements.at(position) }
    }

    /// What a path leads to from an object of its class.
    func read(_ path: PlainPath, from object: PlainObject) -> PlainReach {
        let found = follow(path.hops, from: object)
        let objects = found.compactMap { $0 }
        /// One value for each object; `none` behind a null link.
        func each(none: Value = .null, _ read: (PlainObject) -> Value?) -> PlainReach {
            if path.crossesMany { return .many(objects.compactMap(read)) }
            return .one(objects.first.map { read($0) ?? .null } ?? none)
        }
        /// A collection for each object.
        func collections(_ read: (PlainObject) -> [Value]) -> PlainReach {
            path.crossesMany ? .several(objects.map(read)) : .many(objects.flatMap(read))
        }
        func total(_ count: (PlainObject) -> Int) -> PlainReach {
            .one(.int(Int64(objects.reduce(0) { $0 + count($1) })))
        }
        func values(_ object: PlainObject, _ name: String) -> [Value] {
            object.content[name]?.elements.map(\.plainValue) ?? []
        }
        func origins(_ hop: PlainPath.Hop) -> PlainReach {
            .many(objects.flatMap { follow([hop], from: $0) }.compactMap { $0?.link })
        }
        switch path.end {
        case .value(let name): return each { $0.content[name]?.plainValue ?? .null }
        case .elements(let name, _):
            // Objects make one list, also behind several others.
            if case .link = path.type { return .many(objects.flatMap { values($0, name) }) }
            return collections { values($0, name) }
        case .elementAt(let name, let position):
            if case .key = position, path.crossesMany, case .scalar = path.type {
                return .several(
                    objects.map { [element($0.content[name], position)?.plainValue ?? .null] })
            }
            return each { element($0.content[name], position)?.plainValue }
        case .keys(let name):
            return collections { object in
                guard case .entries(let entries)? = object.content[name] else { return [] }
                return entries.inKeyOrder.map { .string($0.key) }
            }
        case .lengths(let name):
            return collections { object in
                values(object, name).compactMap(Self.length)
            }
        case .count(let name, _):
            return isAboutObjects(name, behind: path)
                ? total { objectCount($0, name) }
                : each(none: isCollection(name, behind: path) ? .int(0) : .null) {
                    Self.count($0.content[name])
                }
        case .countAt(let name, let position):
            if isAboutObjects(name, behind: path) {
                return total { object in
                    let found = element(object.content[name], position)
                    return found == nil || found == .null ? 0 : 1
                }
            }
            return each { element($0.content[name], position).map { Self.count($0) } }
        case .linkCount(let origin, let forward):
            return total { self.origins(of: $0, origin, forward).count }
        case .incomingCount: return total { linkCount(of: $0) }
        case .inverse(let name): return origins(.inverse(name))
        case .links(let origin, let forward): return origins(.links(origin, forward))
        case .aggregate(let function, let name):
            let type = property(lastClass(path), name)?.scalar?.widened ?? .int
            return each(none: PlainAggregate.result(function, [], type)) {
                PlainAggregate.result(function, values($0, name), elementType($0, name))
            }
        case .objectAggregate(let function, let name):
            let type = property(lastClass(path), name)?.scalar?.widened ?? .int
            return .one(
                PlainAggregate.result(
                    function, objects.map { $0.content[name]?.plainValue ?? .null }, type))
        case .mixed(let name, let steps, let result):
            return readMixed(name, steps, result, of: objects, crossesMany: path.crossesMany)
        case .matchCount(_, let predicate): return total { holds(predicate, for: $0) ? 1 : 0 }
        }
    }

    private func elementType(_ object: PlainObject, _ name: String) -> ScalarType {
        property(object.className, name)?.scalar?.widened ?? .int
    }

    /// How many bytes an element has; of `mixed` ones only texts and data have a length.
    private static func length(_ value: Value) -> Value? {
        switch value {
        case .null: .int(0)
        case .string(let text): .int(Int64(text.utf8.count))
        case .data(let bytes): .int(Int64(bytes.count))
        default: nil
        }
    }

    /// How many bytes or elements there are.
    static func count(_ content: Content?) -> Value {
        switch content {
        case .value(.string(let text))?: .int(Int64(text.utf8.count))
        case .value(.data(let bytes))?: .int(Int64(bytes.count))
        case .value(.list(let values))?: .int(Int64(values.count))
        case .value(.map(let entries))?: .int(Int64(entries.count))
        case .values(let values)?: .int(Int64(values.count))
        case .embeddedList(let objects)?: .int(Int64(objects.count))
        case .entries(let entries)?: .int(Int64(entries.count))
        default: .null
        }
    }

    /// Whether a property of the objects that a path leads to holds objects.
    private func isAboutObjects(_ name: String, behind path: PlainPath) -> Bool {
        property(lastClass(path), name)?.scalar == nil
    }

    /// Whether a property of the objects that a path leads to is a collection.
    private func isCollection(_ name: String, behind path: PlainPath) -> Bool {
        property(lastClass(path), name)?.type.isCollection ?? false
    }

    private func objectCount(_ object: PlainObject, _ name: String) -> Int {
        switch property(object.className, name)?.type {
        case .linkingObjects(let origin, let forward)?:
            return origins(of: object, origin, forward).count
        case .single?: return object.content[name] ?? .null == .null ? 0 : 1
        default: return object.content[name]?.elements.count ?? 0
        }
    }
}

extension Array {
    /// The element at a position of a list; nil when there is none.
    func at(_ position: PlainPath.Position) -> Element? {
        switch position {
        case .index(let index): index < count ? self[index] : nil
        case .first: first
        case .last: last
        case .key: nil
        }
    }
}
