import Synchronization

/// The names of the properties that key paths lead through, each found once.
enum KeyPathNames {
    private struct Known: @unchecked Sendable {
        // Unchecked: key paths do not change.
        var names: [AnyKeyPath: [String]] = [:]
        /// Those that lead to values of properties.
        var values: [AnyKeyPath: [String]] = [:]
    }

    private static let known = Mutex(Known())

    /// Returns the names joined by points of a key path that leads to a property's value, as texts have them.
    static func text<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> String {
        valueNames(of: keyPath).joined(separator: ".")
    }

    /// Returns the paths of all properties that are read of an object, each joined by points.
    static func paths(from type: ObjectBase.Type, _ body: (ObjectBase) -> Void) -> [String] {
        KeyPathTrace.chains(in: type, body).map { $0.joined(separator: ".") }
    }

    /// Returns the names of the object's properties on the way; ends the process for a key path that leads through none.
    static func names<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let names = known.withLock({ $0.names[keyPath] }) { return names }
        let chains = KeyPathTrace.chains(in: root(Root.self)) {
            _ = Root._of($0)[keyPath: keyPath]
        }
        guard chains.count == 1, let names = chains.first else { endWithoutProperty(Root.self) }
        known.withLock { $0.names[keyPath] = names }
        return names
    }

    /// Returns the names of a key path that leads to a property's value; ends the process for another one, such as to the count of
    /// a text.
    static func valueNames<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let names = known.withLock({ $0.values[keyPath] }) { return names }
        let names = names(of: keyPath)
        guard
            field(at: names, of: root(Root.self))?.wrapper.holds(type(of: keyPath).valueType)
                ?? false
        else { endWithoutProperty(Root.self) }
        known.withLock { $0.values[keyPath] = names }
        return names
    }

    private static func root<Root: _ObjectView>(_ type: Root.Type) -> ObjectBase.Type {
        guard case .object(let root) = Root._element.kind else {
            Misuse.end("'\(Root.self)' is no class of objects.")
        }
        return root.type
    }

    private static func endWithoutProperty(_ root: Any.Type) -> Never {
        Misuse.end("The key path of '\(root)' leads through no persisted property.")
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
