import CHoldfastRuntime
import HoldfastObjectModel
import HoldfastRows
import Synchronization

/// A class of objects, as the program declares it: found once for each type. Immutable; any thread may use it.
final class ModelClass: @unchecked Sendable {
    // Unchecked: a class's type is no value that changes.

    let type: ObjectBase.Type
    /// The name of its table.
    let name: String
    let kind: ObjectClass.Kind
    /// The properties in the order of declaration, those of base classes first.
    let fields: [ModelField]
    private let names: NameTable
    /// The fault of the declaration by itself, a sentence; nil for none.
    let fault: String?
    /// The class as the store's model has it.
    let definition: ObjectClass

    private static let known = Mutex<[ObjectIdentifier: ModelClass]>([:])

    /// Returns the class of a type. Cost: a look-up but for the first time.
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

    /// Returns the name of a type's table: that of the class without what it is nested in.
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
                originProperty: field.layout.originProperty(at: address),
                storage: field.wrapper)
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

    /// Returns the position of the property of a name; nil where there is none.
    func position(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { names.position(of: UnsafeRawBufferPointer($0)) }
    }
}

extension ModelField {
    /// The name in the class, where it is stored under another one: queries use it.
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
