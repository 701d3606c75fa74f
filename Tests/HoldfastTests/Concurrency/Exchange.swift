import Holdfast
import Synchronization

/// What those who live on one store hand each other, and what they find wrong.
final class Exchange: Sendable {
    /// The items of a version, and how they were when they were frozen.
    typealias Frozen = (items: Results<ObservedItem>, texts: [String])

    private struct Things: @unchecked Sendable {
        // Unchecked: frozen results are read by any thread.
        var frozen: [Frozen] = []
        var references: [ThreadSafeReference<ObservedItem>] = []
    }

    private let things = Mutex(Things())
    private let found = Mutex<Set<String>>([])
    private let calls = Atomic(0)

    func put(_ frozen: Frozen) {
        nonisolated(unsafe) let frozen = frozen
        things.withLock { things in
            things.frozen.append(frozen)
            if things.frozen.count > 6 { things.frozen.removeFirst() }
        }
    }

    var frozen: [Frozen] { things.withLock { $0 }.frozen }

    func put(_ reference: ThreadSafeReference<ObservedItem>) {
        things.withLock { $0.references.append(reference) }
    }

    func takeReference() -> ThreadSafeReference<ObservedItem>? {
        things.withLock { $0.references.popLast() }
    }

    func require(_ holds: Bool, _ what: @autoclosure () -> String) {
        if holds { return }
        let what = what()
        _ = found.withLock { $0.insert(what) }
    }

    var failures: Set<String> { found.withLock { $0 } }

    /// Notes that an observer of a query was called.
    func noteCall() { calls.wrappingAdd(1, ordering: .relaxed) }

    var callCount: Int { calls.load(ordering: .relaxed) }
}
