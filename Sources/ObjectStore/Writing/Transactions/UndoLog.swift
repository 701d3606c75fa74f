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

    /// Takes the newest change out; nil when there is none.
    mutating func popLast() -> Change? { changes.popLast() }

    /// Ends the attempt and forgets its changes.
    mutating func close() {
        isOpen = false
        if !changes.isEmpty { changes.removeAll(keepingCapacity: true) }
    }
}
