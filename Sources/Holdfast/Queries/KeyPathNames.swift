import Synchronization

/// The names of the properties that key paths lead through, each found once.
enum KeyPathNames {
    private struct Known: @unchecked Sendable {
        // Unchecked: key paths do not change.
        var names: [AnyKeyPath: [String]] = [:]
    }

    private static let known = Mutex(Known())

    /// Returns the names joined by points, as texts have them.
    static func text<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> String {
        names(of: keyPath).joined(separator: ".")
    }

    /// Returns the names of the object's properties on the way; ends the process for a key path that leads through none.
    static func names<Root: _ObjectView>(of keyPath: PartialKeyPath<Root>) -> [String] {
        if let names = known.withLock({ $0.names[keyPath] }) { return names }
        guard case .object(let root) = Root._element.kind else {
            Misuse.end("'\(Root.self)' is no class of objects.")
        }
        let chains = KeyPathTrace.chains(in: root.type) { _ = Root._of($0)[keyPath: keyPath] }
        guard chains.count == 1, let names = chains.first else {
            Misuse.end("The key path of '\(Root.self)' leads through no persisted property.")
        }
        known.withLock { $0.names[keyPath] = names }
        return names
    }
}
