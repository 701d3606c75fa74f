import HoldfastObjectModel
import Synchronization

/// A place for what each thread of a test makes.
final class Slots: Sendable {
    private let values: Mutex<[[ObjectID]]>

    init(count: Int) { values = Mutex(Array(repeating: [], count: count)) }

    func set(_ index: Int, _ ids: [ObjectID]) { values.withLock { $0[index] = ids } }

    var all: [ObjectID] { values.withLock { $0.flatMap { $0 } } }
}
