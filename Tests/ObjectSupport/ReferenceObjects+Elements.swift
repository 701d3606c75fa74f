import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Changes of single elements.
extension ReferenceObjects {
    /// Changes one element of a collection.
    ///
    /// - `draft`: The collection of the one element, or the map of the one entry; nil for none.
    package mutating func edit(
        _ edit: ElementEdit, _ name: String, of identity: Identity, _ draft: Content?
    ) throws(Failure) {
        guard let (property, made) = try make(name, of: identity, draft),
            var content = objects[identity]?.content, let stored = content[name]
        else { throw .objectNotFound }
        if case .entries(var entries) = stored {
            guard case .entries(let stated)? = draft, let key = stated.keys.first else { return }
            if edit == .removeEntry {
                guard entries.removeValue(forKey: key) != nil else { throw .elementNotFound }
            } else if case .entries(let made)? = made {
                entries[key] = made[key]
            }
            content[name] = .entries(entries)
        } else {
            var elements = stored.elements
            try edit.apply(to: &elements, made?.elements ?? [])
            content[name] = canonical(stored.with(elements), property)
        }
        put(identity, content)
    }

    /// Changes something inside a `mixed` value.
    ///
    /// - `place`: Where in a collection the value stands; nil for a single property.
    package mutating func edit(
        inside edit: MixedEdit, of place: EditPath.Element?, _ name: String, of identity: Identity,
        _ draft: Content?
    ) throws(Failure) {
        guard let (property, made) = try make(name, of: identity, draft),
            var content = objects[identity]?.content, let stored = content[name]
        else { throw .objectNotFound }
        var new = Value.null
        if case .value(let value)? = made { new = value }
        if case .value(let value)? = made?.elements.first { new = value }
        switch (place, stored) {
        case (nil, .value(let value)):
            content[name] = .value(try value.changed(edit.steps[...], edit.action, new))
        case (.index(let index)?, .values(var values)):
            guard index < values.count else { throw .elementNotFound }
            values[index] = try values[index].changed(edit.steps[...], edit.action, new)
            content[name] = canonical(.values(values), property)
        case (.key(let key)?, .entries(var entries)):
            let key = String(decoding: key, as: UTF8.self)
            guard case .value(let value)? = entries[key] else { throw .elementNotFound }
            entries[key] = .value(try value.changed(edit.steps[...], edit.action, new))
            content[name] = .entries(entries)
        default: throw .elementNotFound
        }
        put(identity, content)
    }

    /// What a draft states of a property, in full, once its nested objects are written.
    private mutating func make(
        _ name: String, of identity: Identity, _ draft: Content?
    ) throws(Failure) -> (property: Property, made: Content?)? {
        guard objects[identity] != nil, let objectClass = classes[identity.className],
            let property = objectClass.properties.first(where: { $0.name == name })
        else { return nil }
        guard let draft else { return (property, nil) }
        var part = objectClass
        part.properties = [property]
        let resolved = try resolve(part, [name: draft])
        let made = merged(part, resolved, over: nil, keepsAbsent: false, isMerge: false)[name]
        return (property, made)
    }
}

extension Content {
    /// The elements of a list or set, or the values of a map.
    package var elements: [Content] {
        switch self {
        case .values(let values): values.map { .value($0) }
        case .embeddedList(let list): list.map { .embedded($0) }
        case .entries(let entries): Array(entries.values)
        default: []
        }
    }

    /// A list or set of the same kind.
    fileprivate func with(_ elements: [Content]) -> Content {
        if case .embeddedList = self {
            return .embeddedList(
                elements.compactMap { if case .embedded(let inner) = $0 { inner } else { nil } })
        }
        return .values(
            elements.compactMap { if case .value(let value) = $0 { value } else { nil } })
    }

    fileprivate static func areEqual(_ a: Content, _ b: Content) -> Bool {
        if case .value(let a) = a, case .value(let b) = b { return Value.areEqual(a, b) }
        return a == b
    }
}

extension ElementEdit {
    /// Does it to the elements of a list or set.
    fileprivate func apply(
        to elements: inout [Content], _ new: [Content]
    ) throws(ReferenceObjects.Failure) {
        switch self {
        case .insert(let place):
            let place = place ?? elements.count
            guard place <= elements.count else { throw .positionOutOfRange }
            elements.insert(contentsOf: new, at: place)
        case .replace(let place):
            guard place < elements.count else { throw .elementNotFound }
            elements.replaceSubrange(place...place, with: new)
        case .remove(let place):
            guard place < elements.count else { throw .elementNotFound }
            elements.remove(at: place)
        case .add:
            for element in new where !elements.contains(where: { Content.areEqual($0, element) }) {
                elements.append(element)
            }
        case .removeEqual:
            let count = elements.count
            elements.removeAll { element in new.contains { Content.areEqual($0, element) } }
            if elements.count == count { throw .elementNotFound }
        case .put, .removeEntry: break
        }
    }
}

extension Value {
    /// The value with something changed where the steps lead.
    fileprivate func changed(
        _ steps: ArraySlice<[UInt8]>, _ action: MixedEdit.Action, _ new: Value
    ) throws(ReferenceObjects.Failure) -> Value {
        let step = String(decoding: steps.first ?? [], as: UTF8.self)
        switch self {
        case .list(var values):
            if steps.isEmpty {
                guard case .insert(let place) = action, place ?? 0 <= values.count else {
                    throw .elementNotFound
                }
                values.insert(new, at: place ?? values.count)
                return .list(values)
            }
            guard let index = Int(step), values.indices.contains(index) else {
                throw .elementNotFound
            }
            switch action {
            case .put where steps.count == 1: values[index] = new
            case .remove where steps.count == 1: values.remove(at: index)
            default: values[index] = try values[index].changed(steps.dropFirst(), action, new)
            }
            return .list(values)
        case .map(var entries):
            if steps.isEmpty { throw .elementNotFound }
            let index = entries.firstIndex { $0.key == step }
            switch action {
            case .put where steps.count == 1:
                entries.removeAll { $0.key == step }
                entries.append(MapEntry(step, new))
                entries.sort { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                return .map(entries)
            case .remove where steps.count == 1:
                guard let index else { throw .elementNotFound }
                entries.remove(at: index)
            default:
                guard let index else { throw .elementNotFound }
                let value = try entries[index].value.changed(steps.dropFirst(), action, new)
                entries[index] = MapEntry(step, value)
            }
            return .map(entries)
        default: throw .elementNotFound
        }
    }
}
