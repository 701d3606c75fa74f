@_spi(Reflection) import Swift
import Synchronization

/// A class of projections, as the program declares it: found once for each type. Immutable; any thread may use it.
final class ProjectionClass: Sendable {
    private let name: String
    /// The properties in the order of declaration, those of base classes first.
    let properties: [ProjectedProperty]

    private static let known = Mutex<[ObjectIdentifier: ProjectionClass]>([:])

    /// Returns the class of a projection. Cost: a look-up but for the first time.
    ///
    /// A key path that leads through no persisted property ends the process.
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
        // Of a class, and past fields whose types are not known at run time.
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

    /// The properties that key paths mean, by their names or by paths of the object; all without any.
    ///
    /// One that means none ends the process.
    func properties(meantBy keyPaths: [String]?) -> [ProjectedProperty] {
        guard let keyPaths, !keyPaths.isEmpty else { return properties }
        for keyPath in keyPaths where !properties.contains(where: { $0.isMeant(by: keyPath) }) {
            Misuse.end("property '\(keyPath)' not found in object of type '\(name)'")
        }
        return properties.filter { keyPaths.contains(where: $0.isMeant) }
    }
}
