import HoldfastRows

/// The links of a transaction to objects that have a key and no row yet.
struct PendingLinks {
    enum Undo {
        /// One more link waits for this object.
        case added(ObjectIdentity)
        /// The links that waited for an object were forgotten.
        case removed(ObjectIdentity, [WriteOrigin])
    }

    /// The origins of the links, by their targets.
    private var origins: [ObjectIdentity: [WriteOrigin]] = [:]
    /// The changes of an attempt.
    var undo = UndoLog<Undo>()

    var isEmpty: Bool { origins.isEmpty }

    func contains(_ target: ObjectIdentity) -> Bool { !origins.isEmpty && origins[target] != nil }

    /// Adds a link to the links that wait for its target.
    mutating func add(to target: ObjectIdentity, from origin: WriteOrigin) {
        undo.note(.added(target))
        origins[target, default: []].append(origin)
    }

    /// Forgets the links that waited for an object, because it exists now.
    mutating func remove(to target: ObjectIdentity) {
        guard !origins.isEmpty, let waiting = origins.removeValue(forKey: target) else { return }
        undo.note(.removed(target, waiting))
    }

    /// The links that wait, in the order of their sources and places.
    func dangling(_ rows: RowSchema) -> [DanglingLink] {
        if origins.isEmpty { return [] }
        var result: [DanglingLink] = []
        for (target, origins) in origins {
            for origin in origins {
                result.append(
                    DanglingLink(
                        source: origin.source, path: origin.path,
                        targetClass: rows.classes[target.classIndex].definition.name))
            }
        }
        result.sort { $0.isBefore($1) }
        return result
    }

    // MARK: Taking back

    /// Reverts the changes of the attempt.
    mutating func rollBack() {
        while let change = undo.popLast() {
            switch change {
            case .added(let target):
                origins[target]?.removeLast()
                if origins[target]?.isEmpty ?? false { origins[target] = nil }
            case .removed(let target, let before): origins[target] = before
            }
        }
    }

    /// Forgets everything.
    mutating func removeAll() {
        if !origins.isEmpty { origins.removeAll(keepingCapacity: true) }
    }
}

/// The changes of an organ of a transaction that an attempt may take back, newest last.
///
/// Cost: nothing for a change outside an attempt.
struct UndoLog<Change> {
    private var changes: [Change] = []
    /// Whether an attempt is under way.
    private(set) var isOpen = false

    /// Begins to keep changes.
    mutating func open() { isOpen = true }

    /// Keeps a change if an attempt is under way.
    mutating func note(_ change: @autoclosure () -> Change) {
        if isOpen { changes.append(change()) }
    }

    /// The changes of the attempt, the oldest first.
    var all: [Change] { changes }

    /// Removes the newest change and returns it; nil if there are no changes.
    mutating func popLast() -> Change? { changes.popLast() }

    /// Ends the attempt and forgets its changes.
    mutating func close() {
        isOpen = false
        if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
    }
}
