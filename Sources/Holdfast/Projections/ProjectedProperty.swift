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

    /// Whether a key path is the property's name, or the path of the object that it projects.
    func isMeant(by keyPath: String) -> Bool { name == keyPath || paths == [keyPath] }
}
