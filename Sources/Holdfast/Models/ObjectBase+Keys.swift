extension ObjectBase {
    /// The field of a name; ends the process where there is none.
    private func field(_ name: String) -> (field: ModelField, address: UnsafeMutableRawPointer) {
        let model = ModelClass.of(Swift.type(of: self))
        guard let index = model.index[name] else {
            Misuse.end("The class '\(model.name)' has no property '\(name)'.")
        }
        let field = model.fields[index]
        return (field, Unmanaged.passUnretained(self).toOpaque() + field.offset)
    }

    /// The value of a property; nil for null. An unknown name ends the process.
    public final func value(forKey key: String) -> Any? {
        let (field, address) = field(key)
        return StatedValues.unwrapped(field.wrapper.value(address, self))
    }

    /// Gives a property a value.
    ///
    /// A value of another type fails the write of a managed object, and ends the process for an unmanaged one, as an unknown name does.
    public final func setValue(_ value: Any?, forKey key: String) {
        let (field, address) = field(key)
        if field.wrapper.set(value as Any, address, self, ValueReader()) { return }
        let model = ModelClass.of(Swift.type(of: self))
        let message =
            "Invalid value '\(value.map { "\($0)" } ?? "nil")' of type '\(value.map { "\(Swift.type(of: $0))" } ?? "nil")' for '\(field.typeName)' property '\(model.name).\(key)'."
        guard let place else { Misuse.end(message) }
        _ = place.realm.requireWrite()
        place.realm.fail(message)
    }

    /// The value of a property by its name, as of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }
}
