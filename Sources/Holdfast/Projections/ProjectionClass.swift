@_spi(Reflection) import Swift
import Synchronization

/// A class of projections as declared by the program; made once for each type. Immutable; any thread may use it.
final class ProjectionClass: Sendable {
    private let name: String
    /// The properties in the order of declaration, base classes first.
    let properties: [ProjectedProperty]

    private static let known = Mutex<[ObjectIdentifier: ProjectionClass]>([:])

    /// Returns the class of a projection. Cost: a look-up, except for the first time.
    ///
    /// Ends the process if a key path leads through no persisted property.
    static func of<P: ProjectionObservable>(_ projection: P) -> ProjectionClass {
        let id = ObjectIdentifier(type(of: projection))
        if let found = known.withLock({ $0[id] }) { return found }
        // Outside of the lock: code of the program runs.
        let made = ProjectionClass(projection)
        return known.withLock { known in
            if let other = known[id] { return other }
            known[id] = made
            return made
        }
    }

    private init<P: ProjectionObservable>(_ projection: P) {
        let type = type(of: projection)
        name = String(describing: type)
        let base = Unmanaged.passUnretained(projection).toOpaque()
        var properties: [ProjectedProperty] = []
        // The options select classes, and skip fields with types that are not known at run time.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 0b11)) {
            name, offset, fieldType, _ in
            guard let field = fieldType as? any ProjectedField.Type else { return true }
            // The wrapper of `homeCity` is stored as `_homeCity`.
            let stored = String(cString: name)
            let name = stored.hasPrefix("_") ? String(stored.dropFirst()) : stored
            let keyPath = field.keyPath(at: base + offset)
            let paths = KeyPathNames.paths(of: keyPath, from: P.Root.self) {
                _ = $0[keyPath: keyPath]
            }
            if paths.isEmpty {
                Misuse.end(
                    "@Projected property '\(type).\(name)' leads through no persisted property of '\(P.Root.className())'."
                )
            }
            properties.append(ProjectedProperty(name: name, keyPath: keyPath, paths: paths))
            return true
        }
        self.properties = properties
    }

    /// The properties that key paths name, by property names or by paths of the object; all properties if there are no key paths.
    ///
    /// Ends the process for a name without a property.
    func properties(meantBy keyPaths: [String]?) -> [ProjectedProperty] {
        guard let keyPaths, !keyPaths.isEmpty else { return properties }
        for keyPath in keyPaths where !properties.contains(where: { $0.isMeant(by: keyPath) }) {
            Misuse.end("property '\(keyPath)' not found in object of type '\(name)'")
        }
        return properties.filter { keyPaths.contains(where: $0.isMeant) }
    }
}

/// A property of a projection: the value that a key path of the object leads to.
///
/// The key path leads through properties of the object and of linked and embedded objects, and may end in a computed value. It is
/// read at each access. A writable key path makes the property writable, inside a write as for the object itself.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
    let keyPath: KeyPath<Root, Value>

    /// Projects the value that a key path leads to.
    public init(_ projectedKeyPath: KeyPath<Root, Value>) { keyPath = projectedKeyPath }

    /// Only projections have projected properties.
    @available(*, unavailable, message: "@Projected is for properties of a Projection")
    public var wrappedValue: Value {
        get { Misuse.end("@Projected is for properties of a Projection.") }
        // swift-format-ignore: UnusedSetterValue
        set { Misuse.end("@Projected is for properties of a Projection.") }
    }

    /// The value of the object that the projection shows.
    public static subscript<Owner: Projection<Root>>(_enclosingInstance projection: Owner,
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
protocol ProjectedField { static func keyPath(at address: UnsafeMutableRawPointer) -> AnyKeyPath }

extension Projected: ProjectedField {
    static func keyPath(at address: UnsafeMutableRawPointer) -> AnyKeyPath {
        address.assumingMemoryBound(to: Self.self).pointee.keyPath
    }
}

/// A property of a class of projections.
struct ProjectedProperty: @unchecked Sendable {
    // Unchecked: key paths do not change.

    let name: String
    /// The key path from the object to the value.
    let keyPath: AnyKeyPath
    /// The properties that the value depends on, each by its path from the object.
    let paths: [String]

    /// The value that an object gives the property; nil without a value.
    func value(of object: ObjectBase) -> Any? {
        object[keyPath: keyPath].flatMap { ExplicitValues.unwrapped($0) }
    }

    /// Whether a key path is the property's name, or the path of the object that it projects.
    func isMeant(by keyPath: String) -> Bool { name == keyPath || paths == [keyPath] }
}
