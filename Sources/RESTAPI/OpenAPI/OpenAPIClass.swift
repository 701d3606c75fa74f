import HoldfastObjectJSON
import HoldfastObjectModel

/// A class with the names that the document gives to what belongs to it.
struct OpenAPIClass {
    /// The class.
    let definition: ObjectClass
    /// The schema of an object as replies have it.
    let object: String
    /// The title of that schema. Clients use it as the name if the class has the name of a type of a generator. Nil for other classes.
    let clientName: String?
    /// The schema of a whole object in a write: what is left out gets its default.
    let input: String
    /// The schema of a change: what is left out stays.
    let patch: String
    /// The schema of an object that is created, or merged into the one that its key names.
    let new: String
    /// The schema of a page of objects.
    let page: String
    /// The schema of a page of sections.
    let sectionPage: String
    /// The schema of the reply to a write of several objects.
    let written: String
    /// The schema of a page of changes.
    let changePage: String
    /// The schema of a page of current matches.
    let snapshotPage: String
    /// The noun behind the verb in the ids of operations.
    let noun: String
    /// The path of the class.
    let path: String

    /// Whether there are operations on its objects.
    var hasOperations: Bool { definition.kind.standsAlone }

    /// Whether objects are only created, and consumed from the outbox.
    var isAsymmetric: Bool { definition.kind == .asymmetric }

    /// The property that names objects; nil where `$id` does.
    var primaryKey: Property? { Self.primaryKey(definition) }

    /// The type of what names objects.
    var keyType: ScalarType { primaryKey.flatMap(Self.scalar) ?? .int }

    /// Whether a new object has to state its key, because the service does not make keys of its type.
    static func mustStateKey(_ definition: ObjectClass) -> Bool {
        guard let key = primaryKey(definition), key.defaultValue != .next else { return false }
        switch scalar(key) {
        case nil, .objectID, .uuid: return false
        default: return true
        }
    }

    private static func primaryKey(_ definition: ObjectClass) -> Property? {
        definition.primaryKey.flatMap { name in
            definition.properties.first { $0.name.isSame(as: name) }
        }
    }

    private static func scalar(_ property: Property) -> ScalarType? {
        guard case .single(.scalar(let scalar)) = property.type else { return nil }
        return scalar
    }

    /// Whether its objects have the members of the reply to a write of several.
    var looksLikeWritten: Bool {
        ["objects", "version"].allSatisfy { name in
            definition.properties.contains { $0.name.isSame(as: name) }
        }
    }

    /// Whether there are keys that no path carries: null, the empty string, one with a slash.
    var hasKeysWithoutPath: Bool {
        guard let primaryKey else { return false }
        return primaryKey.isOptional || keyType == .string
    }

    /// Whether replies name `$id` as a property. Where a property has nearly the same name, a
    /// generated client could not tell them apart.
    var declaresID: Bool {
        definition.kind.standsAlone && primaryKey == nil
            && !definition.properties.contains { OpenAPINames.folded($0.name) == "id" }
    }
}
