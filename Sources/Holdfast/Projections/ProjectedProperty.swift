/// A property of a class of projections.
struct ProjectedProperty: @unchecked Sendable {
    // Unchecked: key paths do not change.

    let name: String
    /// The way from the object to the value.
    let keyPath: AnyKeyPath
    /// The properties that the value depends on, each by its path from the object.
    let paths: [String]

    /// The value that an object gives the property; nil for none.
    func value(of object: ObjectBase) -> Any? {
        object[keyPath: keyPath].flatMap { StatedValues.unwrapped($0) }
    }

    /// The property as far as key paths mean it: whole by its name, else by those of ``paths`` that are among them; nil where none is.
    func meant(by keyPaths: [String]) -> ProjectedProperty? {
        if keyPaths.contains(name) { return self }
        let meant = paths.filter(keyPaths.contains)
        return meant.isEmpty ? nil : ProjectedProperty(name: name, keyPath: keyPath, paths: meant)
    }
}
