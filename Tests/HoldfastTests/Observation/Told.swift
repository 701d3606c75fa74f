import Holdfast

/// What an observer of a collection was told.
final class Told<C> {
    /// One call, with the indices.
    enum Call: Equatable {
        case initial
        case update(deletions: [Int], insertions: [Int], modifications: [Int])
    }

    private(set) var calls: [Call] = []

    func take(_ change: RealmCollectionChange<C>) {
        switch change {
        case .initial: calls.append(.initial)
        case .update(_, let deletions, let insertions, let modifications):
            calls.append(
                .update(
                    deletions: deletions, insertions: insertions, modifications: modifications))
        case .error(let error):
            calls.append(.update(deletions: [], insertions: [], modifications: []))
            print(error)
        }
    }

    /// The calls since this was last asked.
    func taken() -> [Call] {
        defer { calls = [] }
        return calls
    }
}

extension Told.Call {
    static func update(_ deletions: [Int] = [], insertions: [Int] = [], modifications: [Int] = [])
        -> Self
    {
        .update(deletions: deletions, insertions: insertions, modifications: modifications)
    }
}

/// What an observer of an object was told: a line for each call.
final class ToldOfObject {
    private var lines: [String] = []

    func take<T: ObjectBase>(_ change: ObjectChange<T>) {
        switch change {
        case .change(_, let properties):
            lines.append(
                properties.map {
                    "\($0.name): \(Self.text($0.oldValue)) → \(Self.text($0.newValue))"
                }
                .joined(separator: ", "))
        case .deleted: lines.append("deleted")
        case .error(let error): lines.append("\(error)")
        }
    }

    private static func text(_ value: Any?) -> String {
        guard let value else { return "nil" }
        if let object = value as? ObjectBase {
            return object.isInvalidated ? "gone" : type(of: object).className()
        }
        return "\(value)"
    }

    func taken() -> [String] {
        defer { lines = [] }
        return lines
    }
}
