import HoldfastObjectModel
import HoldfastObjectStore

/// What a store should hold after a change of its schema, worked out on plain dictionaries.
package struct EvolvedContents {
    /// What takes the place of each object's content; nil for a value that is made up, such as a random
    /// identifier.
    package private(set) var objects: [Identity: ObjectContent] = [:]
    /// Whether something of the old contents is lost.
    package private(set) var isLossy = false

    private let before: [ObjectClass]
    private let after: [ObjectClass]
    private let renames: SchemaRenames

    /// Works out what becomes of `contents`.
    package init(
        _ contents: [Identity: ObjectContent], from before: [ObjectClass], to after: [ObjectClass],
        _ renames: SchemaRenames
    ) {
        self.before = before
        self.after = after
        self.renames = renames
        for (identity, content) in contents {
            guard let old = before.first(where: { $0.name == identity.className }),
                let new = newClass(of: old.name)
            else {
                isLossy = true
                continue
            }
            objects[Identity(new.name, identity.key)] = convert(content, old, new)
        }
    }

    /// The class that a present class becomes.
    private func newClass(of name: String) -> ObjectClass? {
        let new = renames.newName(ofClass: name)
        return after.first { $0.name == new && renames.oldName(ofClass: new) == name }
    }

    private mutating func convert(
        _ content: ObjectContent, _ old: ObjectClass, _ new: ObjectClass
    ) -> ObjectContent {
        var result: ObjectContent = [:]
        var used: Set<String> = []
        for property in new.properties {
            if case .linkingObjects = property.type { continue }
            let name = renames.oldName(ofProperty: property.name, inNew: new.name)
            let found = old.properties.first { $0.name == name }
            guard let before = found, before.type.element != nil,
                renames.newName(ofProperty: name, inOld: old.name) == property.name
            else {
                result[property.name] = start(property)
                continue
            }
            used.insert(name)
            result[property.name] = convert(content[name] ?? .null, before, property)
        }
        for (name, value) in content where !used.contains(name) && !value.isNothing {
            isLossy = true
        }
        return result
    }

    /// What an added property holds in objects that were there.
    private func start(_ property: Property) -> Content {
        switch property.type {
        case .map: return .entries([:])
        case .list(let element), .set(let element):
            return isEmbedded(element) ? .embeddedList([]) : .values([])
        default: break
        }
        switch property.defaultValue {
        case .constant(let value)?: return .value(value)
        case .uuid?, .objectID?, .now?, .next?: return .generated(property.scalar ?? .uuid, 0)
        case nil, .user?: break
        }
        if property.isOptional { return .null }
        return property.cases?.first.map { .value($0) } ?? Self.zero(property)
    }

    /// The value of a property's type that stands for nothing.
    private static func zero(_ property: Property) -> Content {
        switch property.scalar {
        case .date?: .value(.date(Timestamp(seconds: 0, nanoseconds: 0)))
        case .uuid?: .value(.uuid(UUID128(high: 0, low: 0)))
        case .objectID?: .value(.objectID(ObjectID(high: 0, low: 0)))
        default: .constant(property.effectiveDefault)
        }
    }

    private func isEmbedded(_ element: ElementType) -> Bool {
        guard case .object(let name) = element else { return false }
        return (after + before).first { $0.name == name }?.kind == .embedded
    }

    // MARK: Properties

    /// Values out of their shape, with their keys where it is a map.
    private func parts(_ content: Content) -> [(key: String?, value: Content)] {
        switch content {
        case .values(let values): return values.map { (nil, .value($0)) }
        case .embeddedList(let list): return list.map { (nil, .embedded($0)) }
        case .entries(let entries):
            return entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { ($0.key, $0.value) }
        default: return [(nil, content)]
        }
    }

    private mutating func convert(
        _ content: Content, _ old: Property, _ new: Property
    ) -> Content {
        var parts = parts(content)
        if old.type.isMap != new.type.isMap {
            if !parts.isEmpty
                && !(parts.count == 1 && parts[0].value == .null && !old.type.isCollection)
            {
                isLossy = true
            }
            parts = []
        }
        if !old.type.isCollection, parts.count == 1, parts[0].value == .null,
            new.type.isCollection, !new.isOptional || new.scalar == nil
        {
            parts = []
        }
        let isFamily = sameFamily(old, new)
        if !isFamily, new.type.isCollection, new.scalar == nil || old.scalar == nil {
            if parts.contains(where: { $0.value != .null || old.type.isCollection }) {
                isLossy = true
            }
            parts = []
        }
        var converted: [(key: String?, value: Content)] = []
        for part in parts {
            converted.append((part.key, convertPart(part.value, old, new, isFamily)))
        }
        switch new.type {
        case .linkingObjects: return .null
        case .single:
            if converted.count > 1 { isLossy = true }
            if let first = converted.first { return first.value }
            return new.allowsNull ? .null : .constant(new.effectiveDefault)
        case .map:
            return .entries(
                Dictionary(
                    converted.map { ($0.key ?? "", $0.value) }, uniquingKeysWith: { $1 }))
        case .list(let element), .set(let element):
            if isEmbedded(element) {
                return .embeddedList(
                    converted.map { if case .embedded(let inner) = $0.value { inner } else { [:] } }
                )
            }
            let values = converted.map { part -> Value in
                if case .value(let value) = part.value { value } else { .null }
            }
            guard case .set = new.type else { return .values(values) }
            let set = Value.canonicalSet(values)
            if set.count < values.count { isLossy = true }
            return .values(set)
        }
    }

    /// Whether both hold plain values, or objects of one class.
    private func sameFamily(_ old: Property, _ new: Property) -> Bool {
        switch (old.type.element, new.type.element) {
        case (.scalar?, .scalar?): true
        case (.object(let before)?, .object(let after)?): newClass(of: before)?.name == after
        case (.object(let before)?, .scalar(.mixed)?): newClass(of: before)?.kind == .object
        default: false
        }
    }

    private mutating func convertPart(
        _ content: Content, _ old: Property, _ new: Property, _ isFamily: Bool
    ) -> Content {
        let nothing: Content =
            new.allowsNull
            ? .null
            : new.type.isCollection
                ? new.cases?.first.map { .value($0) }
                    ?? Self.zero(
                        Property(name: "", type: .single(new.type.element ?? .scalar(.int))))
                : .constant(new.effectiveDefault)
        guard isFamily else {
            if content != .null { isLossy = true }
            return nothing
        }
        switch content {
        case .embedded(let inner):
            guard case .object(let name)? = old.type.element,
                let oldClass = before.first(where: { $0.name == name }),
                let newClass = newClass(of: name)
            else { return .null }
            return .embedded(convert(inner, oldClass, newClass))
        case .value(let value) where new.scalar == .mixed: return .value(convertMixed(value))
        case .value(.link(let name, let key)) where new.scalar == nil:
            return .value(.link(className: renames.newName(ofClass: name), key: key))
        case .value(.null):
            if new.allowsNull { return .null }
            isLossy = true
            return nothing
        case .value(let value):
            guard let scalar = new.scalar else { return .null }
            // What only a mixed value can be, converts to nothing.
            if value.scalarType == nil {
                isLossy = true
                return nothing
            }
            func allows(_ value: Value) -> Bool { new.cases?.contains(value) ?? true }
            switch value.converted(to: scalar) {
            case .exact(let converted) where allows(converted): return .value(converted)
            case .rounded(let converted) where allows(converted):
                isLossy = true
                return .value(converted)
            case .exact, .rounded, .none:
                isLossy = true
                return nothing
            }
        default: return content
        }
    }

    /// A `mixed` value with the new names of classes, and null for links to those that go.
    private mutating func convertMixed(_ value: Value) -> Value {
        switch value {
        case .link(let name, let key):
            guard let target = newClass(of: name) else {
                isLossy = true
                return .null
            }
            return .link(className: target.name, key: key)
        case .list(let values):
            var converted: [Value] = []
            for value in values { converted.append(convertMixed(value)) }
            return .list(converted)
        case .map(let entries):
            var converted: [Value.MapEntry] = []
            for entry in entries {
                converted.append(Value.MapEntry(entry.key, convertMixed(entry.value)))
            }
            return .map(converted)
        default: return value
        }
    }
}

extension Property {
    /// Whether a value may be null.
    fileprivate var allowsNull: Bool { isOptional || scalar == .mixed }
}

extension Content {
    /// Whether nothing is lost with it.
    fileprivate var isNothing: Bool {
        switch self {
        case .value(.null): true
        case .values(let values): values.isEmpty
        case .embeddedList(let list): list.isEmpty
        case .entries(let entries): entries.isEmpty
        default: false
        }
    }

    /// What a default stands for; random and present ones are made up.
    fileprivate static func constant(_ value: DefaultValue) -> Content {
        switch value {
        case .constant(let value): .value(value)
        case .uuid: .generated(.uuid, 0)
        case .objectID: .generated(.objectID, 0)
        case .now: .generated(.date, 0)
        case .next: .generated(.int, 0)
        case .user: .value(.null)
        }
    }

    /// Whether it is what another one expects, where made-up values stand for any.
    package func matches(_ expected: Content) -> Bool {
        switch (self, expected) {
        case (.value(let value), .generated(let scalar, _)): return value.scalarType == scalar
        case (.embedded(let inner), .embedded(let other)): return Self.match(inner, other)
        case (.embeddedList(let list), .embeddedList(let others)):
            return list.count == others.count
                && zip(list, others).allSatisfy { Self.match($0, $1) }
        case (.entries(let entries), .entries(let others)): return Self.match(entries, others)
        default: return self == expected
        }
    }

    /// Whether all properties are what is expected.
    package static func match(_ content: [String: Content], _ expected: [String: Content]) -> Bool {
        content.count == expected.count
            && content.allSatisfy { name, value in
                expected[name].map { value.matches($0) } ?? false
            }
    }
}
