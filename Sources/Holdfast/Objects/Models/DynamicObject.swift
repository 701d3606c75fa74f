/// An object of any class, with access to its properties by name.
///
///     let dog = realm.dynamicObject(ofType: "Dog", forPrimaryKey: 1)
///     print(dog?.name ?? "none")
///
/// Values are the stored ones: the raw value of an enum, the stored value of a mapped type. Linked objects are dynamic as well.
/// The object belongs to the thread of its realm, as other objects do.
@dynamicMemberLookup
public final class DynamicObject: Object {
    /// The value of a property; nil for null. Ends the process for an unknown name. A value that does not fit fails the write in
    /// progress, or ends the process outside of a write.
    public subscript(dynamicMember member: String) -> Any? {
        get { value(forKey: member) }
        set { setValue(newValue, forKey: member) }
    }

    /// Always false: `DynamicObject` has no table.
    public override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

extension ObjectBase {
    /// The class as the program declares it; of a ``DynamicObject`` that of the stored object.
    final var model: ModelClass {
        if let place, place.binding.isDynamic { return place.binding.model }
        return ModelClass.of(Swift.type(of: self))
    }

    /// The same stored object as an instance of another type: its own class, or ``DynamicObject``; nil if it is unmanaged or has
    /// another class.
    final func seen<T: ObjectBase>(as type: T.Type) -> T? {
        guard let place, type == DynamicObject.self || type == place.binding.model.type else {
            return nil
        }
        let realm = place.realm
        let binding = realm.binding(of: place.binding.model.type).seen(as: type)
        let same = ObjectReference(realm, binding, key: place.key, way: place.way)
        return realm.object(same, nil) as? T
    }

    private func position(_ key: String) -> (field: ModelField, position: FieldPosition)? {
        guard let place, let index = place.binding.model.position(of: key) else { return nil }
        return (place.binding.model.fields[index], place.binding.positions[index])
    }

    /// Reads a property of a managed object without its wrapper.
    final func dynamicValue(_ field: ModelField) -> Any? {
        guard let (_, position) = position(field.name) else { return nil }
        func read<T: _Persistable>(_ type: T.Type) -> Any? {
            ExplicitValues.unwrapped(T._read(self, position))
        }
        return read(field.shape.dynamicType)
    }

    /// Writes a property of a managed object without its wrapper.
    ///
    /// - Returns: Whether the value fits.
    final func setDynamicValue(_ value: Any, _ field: ModelField) -> Bool {
        guard let (_, position) = position(field.name) else { return false }
        func write<T: _Persistable>(_ type: T.Type) -> Bool {
            guard let value = T._converted(value, ExplicitValues(reader: ValueReader())) else {
                return false
            }
            T._assign(value, self, position)
            return true
        }
        return write(field.shape.dynamicType)
    }

    /// A collection of a managed object. Ends the process if the property has another type.
    private func dynamicCollection<T: _Persistable>(
        _ name: String, _ kind: PropertyShape.Kind, _ what: String, _ type: T.Type
    ) -> T {
        guard let (field, position) = position(name) else {
            Misuse.end(
                "The class '\(model.name)' has no property '\(name)', or the object is not managed."
            )
        }
        guard field.shape.kind == kind, case .object = field.shape.element.kind else {
            Misuse.end("The property '\(model.name).\(name)' is not a \(what) of objects.")
        }
        return T._read(self, position)
    }

    /// A list of objects by the name of its property. Ends the process for any other property, and for an unmanaged object.
    public final func dynamicList(_ propertyName: String) -> List<DynamicObject> {
        dynamicCollection(propertyName, .list, "list", List<DynamicObject>.self)
    }

    /// A set of objects by the name of its property. Ends the process for any other property, and for an unmanaged object.
    public final func dynamicMutableSet(_ propertyName: String) -> MutableSet<DynamicObject> {
        dynamicCollection(propertyName, .set, "set", MutableSet<DynamicObject>.self)
    }

    /// A map of objects by the name of its property. Ends the process for any other property, and for an unmanaged object.
    public final func dynamicMap(_ propertyName: String) -> Map<String, DynamicObject?> {
        dynamicCollection(propertyName, .map, "map", Map<String, DynamicObject?>.self)
    }
}
