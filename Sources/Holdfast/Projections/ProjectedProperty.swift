/// A property of a class of projections.
struct ProjectedProperty: @unchecked Sendable {
    // Unchecked: key paths do not change.

    let name: String
    /// The way from the object to the value.
    let keyPath: AnyKeyPath
    /// The properties of the object that the value depends on, each by the names that lead there.
    let chains: [[String]]

    /// The value that an object gives the property; nil for none.
    func value(of object: ObjectBase) -> Any? {
        object[keyPath: keyPath].flatMap { StatedValues.unwrapped($0) }
    }
}
