import Synchronization

/// A property of a class of objects, as the program declares it.
struct ModelField: @unchecked Sendable {
    // Unchecked: the default value's closure is the program's own, as in every instance.

    let name: String
    /// The name under which it is stored.
    let columnName: String
    /// The offset of its wrapper in an instance.
    let offset: Int
    let shape: PropertyShape
    let attributes: FieldAttributes
    /// For an inverse link: the property that it is the inverse of, by its name in the class.
    let originProperty: String?
    let storage: FieldWrapper

    /// The wrapper's type.
    var wrapper: any PersistedField.Type { storage.type }
}

/// The attributes that `@Persisted` adds to a property.
@usableFromInline
struct FieldAttributes: Hashable, Sendable {
    var isIndexed = false
    var isPrimaryKey = false

    @usableFromInline
    init(isIndexed: Bool = false, isPrimaryKey: Bool = false) {
        self.isIndexed = isIndexed
        self.isPrimaryKey = isPrimaryKey
    }
}

/// The type of a property's wrapper.
enum FieldWrapper: @unchecked Sendable {
    // Unchecked: a type is no value that changes.
    case known(any PersistedField.Type)
    /// A type that is looked up at its first use: the wrapper of a link, because a look-up takes microseconds for each class.
    case named(NamedWrapper)

    var type: any PersistedField.Type {
        switch self {
        case .known(let type): type
        case .named(let named): named.type
        }
    }
}

/// The type of a wrapper by its mangled name, looked up once. Thread-safe.
final class NamedWrapper: Sendable {
    private final class Found: @unchecked Sendable {
        // Unchecked as above.
        let type: any PersistedField.Type
        init(_ type: any PersistedField.Type) { self.type = type }
    }

    private let name: MangledName
    private let found = AtomicLazyReference<Found>()

    init(_ name: MangledName) { self.name = name }

    var type: any PersistedField.Type {
        if let found = found.load() { return found.type }
        guard let type = name.type as? any PersistedField.Type else {
            Misuse.end("The type of a property can't be found at run time.")
        }
        return found.storeIfNil(Found(type)).type
    }
}
