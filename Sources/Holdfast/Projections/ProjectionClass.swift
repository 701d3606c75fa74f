@_spi(Reflection) import Swift
import Synchronization

/// A class of projections, as the program declares it: found once for each type. Immutable; any thread may use it.
final class ProjectionClass: Sendable {
    /// The properties in the order of declaration, those of base classes first.
    let properties: [ProjectedProperty]

    private static let known = Mutex<[ObjectIdentifier: ProjectionClass]>([:])

    /// Returns the class of a projection. Cost: a look-up but for the first time.
    ///
    /// A key path that leads through no persisted property ends the process.
    static func of<Root: ObjectBase>(_ projection: Projection<Root>) -> ProjectionClass {
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

    private init<Root: ObjectBase>(_ projection: Projection<Root>) {
        let type = type(of: projection)
        let base = Unmanaged.passUnretained(projection).toOpaque()
        var properties: [ProjectedProperty] = []
        // Of a class, and past fields whose types are not known at run time.
        _forEachField(of: type, options: _EachFieldOptions(rawValue: 0b11)) {
            name, offset, fieldType, _ in
            guard let field = fieldType as? any ProjectedField.Type else { return true }
            // The wrapper of `homeCity` is stored as `_homeCity`.
            let stored = String(cString: name)
            let name = stored.hasPrefix("_") ? String(stored.dropFirst()) : stored
            let keyPath = field.keyPath(at: base + offset)
            let chains = KeyPathTrace.chains(in: Root.self) { _ = $0[keyPath: keyPath] }
            if chains.isEmpty {
                Misuse.end(
                    "@Projected property '\(type).\(name)' leads through no persisted property of '\(ModelClass.name(of: Root.self))'."
                )
            }
            properties.append(ProjectedProperty(name: name, keyPath: keyPath, chains: chains))
            return true
        }
        self.properties = properties
    }
}
