import HoldfastObjectModel
import HoldfastObjectStore

/// What becomes of the holders of links when objects are deleted.
extension ReferenceObjects {
    /// A rule that a link states, and whether the object itself holds the link and no embedded one.
    private struct Rule: Hashable {
        var onDelete: OnDelete
        var isOwn: Bool
    }

    /// Deletes an object, what goes with it, and every link to them.
    package mutating func delete(_ identity: Identity) throws(Failure) {
        guard objects[identity] != nil else { throw .objectNotFound }
        var waiting = [identity]
        while let target = waiting.popLast() {
            guard objects[target] != nil else { continue }
            release(target, &waiting)
            remove(target)
        }
    }

    /// Takes the objects of an asymmetric class away that are as old as one, or older.
    package mutating func acknowledge(_ last: Identity) throws(Failure) {
        guard let birth = objects[last]?.birth else {
            guard classes[last.className]?.primaryKey == nil, case .int(let end) = last.key else {
                throw .objectNotFound
            }
            // An object key says how far, whether the object is there, was taken before, or went with another
            // object.
            for identity in objects.keys where identity.className == last.className {
                if case .int(let key) = identity.key, key <= end { remove(identity) }
            }
            return
        }
        for (identity, object) in objects
        where identity.className == last.className && object.birth <= birth { remove(identity) }
    }

    private mutating func remove(_ identity: Identity) {
        guard let dead = objects.removeValue(forKey: identity) else { return }
        names[dead.birth] = identity
        changes[dead.birth] = Change(kind: .delete, properties: [])
    }

    private mutating func release(_ target: Identity, _ waiting: inout [Identity]) {
        for (origin, object) in objects where origin != target {
            guard let objectClass = classes[origin.className] else { continue }
            var rules: Set<Rule> = []
            collectRules(objectClass, object.content, target.link, isOwn: true, &rules)
            if rules.isEmpty || waiting.contains(origin) { continue }
            if rules.contains(Rule(onDelete: .cascade, isOwn: true)) {
                waiting.append(origin)
                continue
            }
            if rules.contains(where: { $0.onDelete == .deny }) { holders.insert(object.birth) }
            let content = unlinked(objectClass, object.content, target.link)
            if rules.contains(where: { $0.onDelete != .deny }) {
                put(origin, content)
            } else {
                objects[origin]?.content = content
            }
        }
    }

    private func embeddedClass(_ property: Property) -> ObjectClass? {
        guard case .object(let name)? = property.type.element,
            let objectClass = classes[name], objectClass.kind == .embedded
        else { return nil }
        return objectClass
    }

    /// The embedded objects of a property's content.
    static func inner(_ content: Content?) -> [ObjectContent] {
        switch content {
        case .embedded(let one)?: return [one]
        case .embeddedList(let list)?: return list
        case .entries(let entries)?:
            return entries.values.compactMap {
                if case .embedded(let one) = $0 { one } else { nil }
            }
        default: return []
        }
    }

    private func collectRules(
        _ objectClass: ObjectClass, _ content: ObjectContent, _ link: Value, isOwn: Bool,
        _ rules: inout Set<Rule>
    ) {
        for property in objectClass.properties {
            if let embedded = embeddedClass(property) {
                for inner in Self.inner(content[property.name]) {
                    collectRules(embedded, inner, link, isOwn: false, &rules)
                }
            } else if content[property.name]?.linksInMixed.contains(link) ?? false {
                rules.insert(Rule(onDelete: property.onDelete, isOwn: isOwn))
            }
        }
    }

    /// Whether an embedded object goes with the target of a link of its own.
    private func goes(_ objectClass: ObjectClass, _ content: ObjectContent, _ link: Value) -> Bool {
        objectClass.properties.contains { property in
            property.onDelete == .cascade
                && content[property.name]?.linksInMixed.contains(link) ?? false
        }
    }

    /// The content without its links to an object: null, or gone from lists and sets.
    private func unlinked(
        _ objectClass: ObjectClass, _ content: ObjectContent, _ link: Value
    ) -> ObjectContent {
        var result = content
        for property in objectClass.properties {
            guard let value = content[property.name] else { continue }
            if let embedded = embeddedClass(property) {
                result[property.name] = unlinked(embedded, value, link)
            } else if property.onDelete == .nullify {
                result[property.name] = canonical(Self.without(link, value), property)
            } else if case .link(let name, _) = link, classes[name]?.primaryKey != nil {
                // It leads to what is gone, and to nothing that comes under the same primary key. An object key is given once, so
                // that a link by it is the same as before.
                result[property.name] = Self.dangling(link, value)
            }
        }
        return result
    }

    private func unlinked(_ embedded: ObjectClass, _ value: Content, _ link: Value) -> Content {
        func kept(_ inner: ObjectContent) -> ObjectContent? {
            goes(embedded, inner, link) ? nil : unlinked(embedded, inner, link)
        }
        switch value {
        case .embedded(let inner): return kept(inner).map { .embedded($0) } ?? .null
        case .embeddedList(let list): return .embeddedList(list.compactMap(kept))
        case .entries(let entries):
            return .entries(
                entries.compactMapValues { entry in
                    guard case .embedded(let inner) = entry else { return entry }
                    return kept(inner).map { .embedded($0) }
                })
        default: return value
        }
    }

    private static func dangling(_ link: Value, _ value: Content) -> Content {
        let gone: Value = .link(className: "", key: .null)
        switch value {
        case .value(link): return .value(gone)
        case .values(let values): return .values(values.map { $0 == link ? gone : $0 })
        case .entries(let entries): return .entries(entries.mapValues { dangling(link, $0) })
        default: return value
        }
    }

    private static func without(_ link: Value, _ value: Content) -> Content {
        switch value {
        case .value(let inner): return .value(inner.withoutInMixed(link))
        case .values(let values):
            return .values(values.filter { $0 != link }.map { $0.withoutInMixed(link) })
        case .entries(let entries): return .entries(entries.mapValues { without(link, $0) })
        default: return value
        }
    }
}
