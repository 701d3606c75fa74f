import Synchronization

/// The kinds of stored properties' types, by the types' names: asking the runtime costs microseconds for each property, and
/// programs have thousands of few types. Thread-safe.
enum FieldTypes {
    /// The kind of a type.
    enum Kind: @unchecked Sendable {
        // Unchecked: types are no values that change.

        /// Not `Persisted`.
        case other
        case property(any PersistedField.Type, PropertyShape)
        /// A link, links or an inverse link to the class that the name refers to, as the property of one such class.
        case link(any PersistedField.Type, PropertyShape)
        /// One that depends on a class otherwise.
        case dependent
    }

    private static let known = Mutex<[[UInt8]: Kind]>([:])

    /// The persisted property that a stored one of a type is; nil for none.
    ///
    /// - Returns: The wrapper, one that has its layout, and the shape.
    static func property(
        of name: MangledName, _ key: inout [UInt8]
    ) -> (wrapper: FieldWrapper, like: any PersistedField.Type, shape: PropertyShape)? {
        let classes = name.read(into: &key)
        if classes.count < 2, let kind = known.withLock({ [key] in $0[key] }) {
            switch kind {
            case .other: return nil
            case .property(let type, let shape): return (.known(type), type, shape)
            case .link(let like, var shape):
                shape.element.kind = .object(ClassReference(type: classes[0]))
                return (.named(NamedWrapper(name)), like, shape)
            case .dependent: break
            }
        }
        let type = name.type as? any PersistedField.Type
        let shape = type?.shape
        // Outside of the lock: a type of the program's own may have said what it is.
        if classes.count < 2 {
            known.withLock { [key] in $0[key] = kind(type, shape, classes.first) }
        }
        guard let type, let shape else { return nil }
        return (.known(type), type, shape)
    }

    private static func kind(
        _ type: (any PersistedField.Type)?, _ shape: PropertyShape?, _ target: ObjectBase.Type?
    ) -> Kind {
        guard let type, let shape else { return .other }
        guard let target else { return .property(type, shape) }
        return target.isLinked(by: type) ? .link(type, shape) : .dependent
    }
}

extension ObjectBase {
    /// Whether a property's wrapper is of a link, links or an inverse link to the class.
    fileprivate static func isLinked(by wrapper: any PersistedField.Type) -> Bool {
        wrapper == Persisted<Self?>.self || wrapper == Persisted<List<Self>>.self
            || wrapper == Persisted<MutableSet<Self>>.self
            || wrapper == Persisted<Map<String, Self?>>.self
            || wrapper == Persisted<LinkingObjects<Self>>.self
    }
}
