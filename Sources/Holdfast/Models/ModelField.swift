import HoldfastObjectModel

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
