extension ObjectBase {
    /// The field of a name; ends the process where there is none.
    private func field(_ name: String) -> ModelField {
        guard let index = model.position(of: name) else {
            Misuse.end("The class '\(model.name)' has no property '\(name)'.")
        }
        return model.fields[index]
    }

    /// The value of a property; nil for null.
    final func value(_ field: ModelField) -> Any? {
        if place?.binding.isDynamic ?? false { return dynamicValue(field) }
        let address = Unmanaged.passUnretained(self).toOpaque() + field.offset
        return StatedValues.unwrapped(field.wrapper.value(address, self))
    }

    /// Gives a property a value; false where it does not fit.
    private final func set(_ value: Any, _ field: ModelField) -> Bool {
        if place?.binding.isDynamic ?? false { return setDynamicValue(value, field) }
        let address = Unmanaged.passUnretained(self).toOpaque() + field.offset
        return field.wrapper.set(value, address, self, ValueReader())
    }

    /// The value of a property; nil for null. An unknown name ends the process.
    public final func value(forKey key: String) -> Any? { value(field(key)) }

    /// Gives a property a value.
    ///
    /// A value of another type fails the write that is under way. Outside a write it ends the process, as an unknown name does. For values
    /// from outside the program, use ``setValue(validating:forKey:)``.
    public final func setValue(_ value: Any?, forKey key: String) {
        do { try setValue(validating: value, forKey: key) } catch {
            guard let place else { return ValueFault.raise("\(error)") }
            _ = place.realm.requireWrite()
            place.realm.fail("\(error)")
        }
    }

    /// Gives a property a value from outside. An unknown name ends the process.
    ///
    /// - Throws: ``ValueFault`` for a value of another type, which changes nothing.
    public final func setValue(validating value: Any?, forKey key: String) throws {
        let field = field(key)
        if set(value as Any, field) { return }
        throw ValueFault(
            "Invalid value '\(value.map { "\($0)" } ?? "nil")' of type '\(value.map { "\(Swift.type(of: $0))" } ?? "nil")' for '\(field.typeName)' property '\(model.name).\(key)'."
        )
    }

    /// The value of a property by its name, as of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }
}
