import Synchronization

/// The names of the properties that key paths lead through, each found once.
enum KeyPathNames {
    private struct Known: @unchecked Sendable {
        // Unchecked: key paths do not change.
        var names: [AnyKeyPath: [String]] = [:]
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

    /// Returns the names of a key path that leads to a property's value; ends the process for another one, such as to the count of
    /// a text.
    static func valueNames<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let names = known.withLock({ $0.names[keyPath] }) { return names }
        guard case .object(let root) = Root._element.kind else {
            Misuse.end("'\(Root.self)' is no class of objects.")
        }
        let chains = KeyPathTrace.chains(in: root.type) {
            _ = Root._of($0)[keyPath: keyPath]
        }
        guard chains.count == 1, let names = chains.first,
            let field = Self.field(at: names, of: root.type),
            field.wrapper.holds(type(of: keyPath).valueType)
        else {
            Misuse.end("The key path of '\(Root.self)' leads through no persisted property.")
        }
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
