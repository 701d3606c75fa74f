import CHoldfastRuntime
import HoldfastObjectModel
import HoldfastRows
@_spi(Reflection) import Swift
import Synchronization

/// A class of objects, as the program declares it: found once for each type. Immutable; any thread may use it.
final class ModelClass: @unchecked Sendable {
    // Unchecked: a class's type is no value that changes.

    let type: ObjectBase.Type
    let name: String
    let kind: ObjectClass.Kind
    /// The properties in the order of declaration, base classes first.
    let fields: [ModelField]
    private let names: NameTable
    /// The fault of the declaration by itself, a sentence; nil for a correct declaration.
    let fault: String?
    /// The class as the store's model has it.
    let definition: ObjectClass

    private static let known = Mutex<[ObjectIdentifier: ModelClass]>([:])

    /// Returns the class of a type. Cost: a look-up, except for the first time.
    static func of(_ type: ObjectBase.Type) -> ModelClass {
        let id = ObjectIdentifier(type)
        if let found = known.withLock({ $0[id] }) { return found }
        // Outside of the lock: an initializer of the program runs.
        let made = ModelClass(type)
        return known.withLock { known in
            if let other = known[id] { return other }
            known[id] = made
            return made
        }
    }

    /// Returns the name of a type's table: the class's name without the types that it is nested in.
    static func name(of type: ObjectBase.Type) -> String {
        // The runtime would put it together.
        let name = holdfast_class_name(unsafeBitCast(type, to: UnsafeRawPointer.self))
        return name.map { String(cString: $0) } ?? String(describing: type)
    }

    private init(_ type: ObjectBase.Type) {
        self.type = type
        name = Self.name(of: type)
        kind =
            type is EmbeddedObject.Type
            ? .embedded : type is AsymmetricObject.Type ? .asymmetric : .object
        let mapping = type.propertiesMapping()
        let sample = type.init()
        let base = Unmanaged.passUnretained(sample).toOpaque()
        let fields = StoredFields.of(type).map { field in
            // The wrapper of `age` is stored as `_age`.
            let name = field.name.hasPrefix("_") ? String(field.name.dropFirst()) : field.name
            let address = base + field.offset
            return ModelField(
                name: name, columnName: mapping[name] ?? name, offset: field.offset,
                shape: field.shape, attributes: field.layout.attributes(at: address),
                originProperty: field.layout.originProperty(at: address), storage: field.wrapper)
        }
        withExtendedLifetime(sample) {}
        let primaryKeys = fields.filter(\.attributes.isPrimaryKey)
        fault =
            primaryKeys.count > 1
            ? "Properties '\(primaryKeys[0].name)' and '\(primaryKeys[1].name)' are both marked as the primary key of '\(name)'."
            : nil
        self.fields = fields
        definition = ObjectClass(
            name: name, kind: kind, primaryKey: primaryKeys.first?.columnName,
            properties: fields.map(\.definition))
        names = NameTable(fields.map(\.name))
    }

    /// Returns the position of a property by its name; nil if the class does not have it.
    func position(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { names.position(of: UnsafeRawBufferPointer($0)) }
    }
}

extension ModelField {
    /// The name in the class, if the stored name differs. Queries use it.
    private var alias: String? { name == columnName ? nil : name }

    /// The property as the store's model has it.
    var definition: HoldfastObjectModel.Property {
        let element: ElementType
        switch shape.element.kind {
        case .scalar(let scalar): element = .scalar(scalar)
        case .object(let reference): element = .object(ModelClass.name(of: reference.type))
        }
        let type: HoldfastObjectModel.PropertyType
        switch shape.kind {
        case .single: type = .single(element)
        case .list: type = .list(element)
        case .set: type = .set(element)
        case .map: type = .map(element)
        case .origins:
            if case .object(let reference) = shape.element.kind {
                let name = originProperty ?? ""
                let model = reference.type
                type = .linkingObjects(
                    className: ModelClass.name(of: model),
                    property: model.propertiesMapping()[name] ?? name)
            } else {
                type = .linkingObjects(className: "", property: originProperty ?? "")
            }
            return HoldfastObjectModel.Property(name: columnName, type: type, mapTo: alias)
        }
        return HoldfastObjectModel.Property(
            name: columnName, type: type, isOptional: shape.element.isOptional,
            isIndexed: attributes.isIndexed, cases: shape.element.cases, mapTo: alias)
    }
}

/// The persisted stored properties of a class, base classes first.
final class StoredFields {
    struct Field {
        /// The name of the stored property: `_age` of `age`.
        let name: String
        /// The offset of its wrapper in an instance.
        let offset: Int
        let wrapper: FieldWrapper
        /// A type of wrapper that has the same layout, and is at hand.
        let layout: any PersistedField.Type
        let shape: PropertyShape
    }

    private var fields: [Field] = []
    private var key: [UInt8] = []

    private init() {}

    static func of(_ type: ObjectBase.Type) -> [Field] {
        let found = StoredFields()
        let isWhole = withExtendedLifetime(found) {
            holdfast_for_each_field(
                unsafeBitCast(type, to: UnsafeRawPointer.self),
                unsafeBitCast(ObjectBase.self, to: UnsafeRawPointer.self),
                { name, typeName, offset, context in
                    guard let context else { return }
                    let found = Unmanaged<StoredFields>.fromOpaque(context).takeUnretainedValue()
                    found.take(name, MangledName(typeName), offset)
                }, Unmanaged.passUnretained(found).toOpaque())
        }
        if !isWhole { found.search(type) }
        return found.fields
    }

    private func take(_ name: UnsafePointer<CChar>, _ type: MangledName, _ offset: Int) {
        guard let found = FieldTypes.property(of: type, &key) else { return }
        fields.append(
            Field(
                name: String(cString: name), offset: offset, wrapper: found.wrapper,
                layout: found.like, shape: found.shape))
    }

    /// Finds the properties of a generic class. Their types depend on its parameters, which the runtime knows.
    private func search(_ type: ObjectBase.Type) {
        // The options select classes, and skip fields with types that are not known at run time.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 0b11)) {
            name, offset, fieldType, _ in
            guard let wrapper = fieldType as? any PersistedField.Type else { return true }
            fields.append(
                Field(
                    name: String(cString: name), offset: offset, wrapper: .known(wrapper),
                    layout: wrapper, shape: wrapper.shape))
            return true
        }
    }
}

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

    /// The persisted property that a type's stored property is; nil for other stored properties.
    ///
    /// - Returns: The wrapper, a wrapper type with the same layout, and the shape.
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
        // Outside of the lock, because a type of the program may have answered the question itself.
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
