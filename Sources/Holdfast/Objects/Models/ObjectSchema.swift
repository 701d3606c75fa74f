import HoldfastObjectModel

/// The kind of values that a property has.
public enum PropertyType: Int, Hashable, Sendable {
    /// An integer of any width.
    case int
    /// True or false.
    case bool
    /// Text.
    case string
    /// Bytes.
    case data
    /// A point in time.
    case date
    /// A floating-point number of single precision.
    case float
    /// A floating-point number.
    case double
    /// A link, or an embedded object.
    case object
    /// Inverse links.
    case linkingObjects
    /// An object identifier.
    case objectId
    /// A decimal number.
    case decimal128
    /// A UUID.
    case UUID
    /// A value of any type.
    case any
}

/// A property of a class of objects.
public struct Property: Hashable, Sendable, CustomStringConvertible {
    /// Its name in the class.
    public let name: String
    /// The name under which it is stored.
    public let columnName: String
    /// The kind of its values or elements.
    public let type: PropertyType
    /// Whether it is a list.
    public let isArray: Bool
    /// Whether it is a set.
    public let isSet: Bool
    /// Whether it is a map.
    public let isMap: Bool
    /// Whether it has an index.
    public let isIndexed: Bool
    /// Whether the value, or each element, may be nil.
    public let isOptional: Bool
    /// The name of the class, for links and embedded objects.
    public let objectClassName: String?

    /// The name and the type.
    public var description: String { "\(name): \(type)\(isOptional ? "?" : "")" }

    init(_ field: ModelField) {
        name = field.name
        columnName = field.columnName
        isArray = field.shape.kind == .list || field.shape.kind == .origins
        isSet = field.shape.kind == .set
        isMap = field.shape.kind == .map
        isIndexed = field.attributes.isIndexed || field.attributes.isPrimaryKey
        isOptional = field.shape.element.isOptional
        switch field.shape.element.kind {
        case .object(let reference):
            type = field.shape.kind == .origins ? .linkingObjects : .object
            objectClassName = ModelClass.name(of: reference.type)
        case .scalar(let scalar):
            type = PropertyType(scalar)
            objectClassName = nil
        }
    }
}

extension PropertyType {
    fileprivate init(_ scalar: ScalarType) {
        switch scalar {
        case .bool: self = .bool
        case .int, .int8, .int16, .int32, .int64: self = .int
        case .float: self = .float
        case .double: self = .double
        case .decimal128: self = .decimal128
        case .string: self = .string
        case .data: self = .data
        case .date: self = .date
        case .objectID: self = .objectId
        case .uuid: self = .UUID
        case .mixed: self = .any
        }
    }
}

/// A class of objects: its name and its properties.
public struct ObjectSchema: Hashable, Sendable, CustomStringConvertible {
    /// The name of the class.
    public let className: String
    /// The properties in the order of declaration, base classes first.
    public let properties: [Property]
    /// The primary key; nil for a class without one.
    public let primaryKeyProperty: Property?

    /// The property of a name; nil if the class does not have it.
    public subscript(propertyName: String) -> Property? {
        properties.first { $0.name == propertyName }
    }

    /// The name and the properties.
    public var description: String {
        "\(className) {\n" + properties.map { "\t\($0)\n" }.joined() + "}"
    }

    init(_ model: ModelClass) {
        className = model.name
        properties = model.fields.map { Property($0) }
        primaryKeyProperty = model.fields.firstIndex(where: \.attributes.isPrimaryKey).map {
            Property(model.fields[$0])
        }
    }
}

/// The classes of a realm.
public struct Schema: Hashable, Sendable, CustomStringConvertible {
    /// The classes.
    public let objectSchema: [ObjectSchema]

    /// The class of a name; nil if the schema does not have it.
    public subscript(className: String) -> ObjectSchema? {
        objectSchema.first { $0.className == className }
    }

    /// The classes, one after the other.
    public var description: String { objectSchema.map { "\($0)" }.joined(separator: "\n") }
}

extension Realm {
    /// The classes of the realm.
    public var schema: Schema { Schema(objectSchema: core.models.map { ObjectSchema($0) }) }
}

extension ObjectBase {
    /// The class of the object.
    public final var objectSchema: ObjectSchema { ObjectSchema(model) }
}
