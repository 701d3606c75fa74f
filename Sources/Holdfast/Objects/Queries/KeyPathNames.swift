import Synchronization

/// The names of the properties on key paths, found once for each key path.
enum KeyPathNames {
    private struct Known: @unchecked Sendable {
        // Unchecked: key paths do not change.
        /// The names of key paths that lead to a property's value.
        var names: [AnyKeyPath: [String]] = [:]
        /// The paths of all properties that key paths read.
        var paths: [AnyKeyPath: [String]] = [:]
    }

    private static let known = Mutex(Known())

    /// Returns the names on a key path that leads to a property's value, joined by points as in query texts.
    static func text<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> String {
        valueNames(of: keyPath).joined(separator: ".")
    }

    /// Returns the paths of all properties that a key path reads of an object, each joined by points. Ends the process if the key
    /// path needs a missing value.
    ///
    /// - `read`: Evaluates the key path on an object of the class, or on a view of it.
    static func paths(
        of keyPath: AnyKeyPath, from root: ObjectBase.Type, _ read: @escaping (ObjectBase) -> Void
    ) -> [String] {
        if let paths = known.withLock({ $0.paths[keyPath] }) { return paths }
        let paths = chains(of: keyPath, from: root, read).map { $0.joined(separator: ".") }
        known.withLock { $0.paths[keyPath] = paths }
        return paths
    }

    private static func chains(
        of keyPath: AnyKeyPath, from root: ObjectBase.Type, _ read: @escaping (ObjectBase) -> Void
    ) -> [[String]] {
        let trace = KeyPathTrace.of(root, read)
        let chains = trace.chains
        // A value that is computed from the property may read more properties.
        if trace.isCut, chains.count != 1 || !isValue(of: keyPath, at: chains[0], from: root) {
            Misuse.end(KeyPathTrace.valueMissing(trace.lastName))
        }
        return chains
    }

    /// Whether a key path's value equals the value of the property at the end of a chain of names.
    private static func isValue(
        of keyPath: AnyKeyPath, at names: [String], from root: ObjectBase.Type
    ) -> Bool {
        field(at: names, of: root)?.wrapper.holds(type(of: keyPath).valueType) ?? false
    }

    /// Returns the names on a key path that leads to a property's value. Ends the process for any other key path, such as one to
    /// the length of a text.
    static func valueNames<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let names = known.withLock({ $0.names[keyPath] }) { return names }
        guard case .object(let root) = Root._element.kind else {
            Misuse.end("'\(Root.self)' is not a class of objects.")
        }
        let chains = chains(of: keyPath, from: root.type) { _ = Root._of($0)[keyPath: keyPath] }
        guard chains.count == 1, let names = chains.first,
            isValue(of: keyPath, at: names, from: root.type)
        else { Misuse.end("The key path of '\(Root.self)' leads through no persisted property.") }
        known.withLock { $0.names[keyPath] = names }
        return names
    }

    private static func field(at names: [String], of root: ObjectBase.Type) -> ModelField? {
        var type = root
        var field: ModelField?
        for name in names {
            if case .object(let next)? = field?.shape.element.kind { type = next.type }
            let model = ModelClass.of(type)
            field = model.position(of: name).map { model.fields[$0] }
        }
        return field
    }
}
