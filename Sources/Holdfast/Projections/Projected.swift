/// A property of a projection: what a key path leads to from the object.
///
/// The key path goes through properties of the object and of those that it links to or embeds, and may end in what is computed of
/// them. It is read at each access; where it can be written, so can the property, inside a write as the object itself.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let keyPath: KeyPath<Root, Value>

    /// Projects what a key path leads to.
    public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

    /// Only projections have projected properties.
    @available(*, unavailable, message: "@Projected is for properties of a Projection")
    public var wrappedValue: Value {
        get { Misuse.end("@Projected is for properties of a Projection.") }
        // swift-format-ignore: UnusedSetterValue
        set { Misuse.end("@Projected is for properties of a Projection.") }
    }

    /// The value that a projection shows of its object.
    public static subscript<Owner: Projection<Root>>(
        _enclosingInstance projection: Owner,
        wrapped property: ReferenceWritableKeyPath<Owner, Value>,
        storage storage: ReferenceWritableKeyPath<Owner, Self>
    ) -> Value {
        get { projection.rootObject[keyPath: projection[keyPath: storage].keyPath] }
        set {
            let keyPath = projection[keyPath: storage].keyPath
            guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
                Misuse.end(
                    "@Projected property of '\(Owner.self)' can't be written, because its key path can only be read."
                )
            }
            projection.rootObject[keyPath: writable] = newValue
        }
    }
}

/// A property's wrapper, by its address in a projection: `Projected` of any types.
protocol ProjectedField {
    static func keyPath(at address: UnsafeMutableRawPointer) -> AnyKeyPath
}

extension Projected: ProjectedField {
    static func keyPath(at address: UnsafeMutableRawPointer) -> AnyKeyPath {
        address.assumingMemoryBound(to: Self.self).pointee.keyPath
    }
}
