import HoldfastObjectStore
import HoldfastRows

/// The notifications of an observer as a sequence: `for await change in dogs.changes()`.
///
/// It is iterated where the realm belongs, in a function of its actor or of the main actor. Observing begins with the iteration.
/// It ends with the iterator or its task.
public struct RealmChanges<Change>: AsyncSequence {
    private let observe: (@escaping (Change) -> Void) -> NotificationToken

    init(_ observe: @escaping (@escaping (Change) -> Void) -> NotificationToken) {
        self.observe = observe
    }

    /// Begins to observe, with the same faults as `observe`.
    public func makeAsyncIterator() -> Iterator { Iterator(observe) }

    /// The changes from the begin of the iteration on.
    public struct Iterator: AsyncIteratorProtocol {
        /// The changes that were reported and not taken yet.
        private final class Waiting { var changes: [Change] = [] }

        private let waiting = Waiting()
        private var signals: AsyncStream<Void>.Iterator
        private let token: NotificationToken

        fileprivate init(_ observe: (@escaping (Change) -> Void) -> NotificationToken) {
            let (stream, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            signals = stream.makeAsyncIterator()
            token = observe { [waiting] change in
                waiting.changes.append(change)
                continuation.yield()
            }
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Change? {
            while waiting.changes.isEmpty {
                if await signals.next(isolation: actor) == nil { return nil }
            }
            return waiting.changes.removeFirst()
        }

        /// The next change; nil when the task was cancelled.
        public mutating func next() async -> Change? { await next(isolation: #isolation) }
    }
}

@available(*, unavailable)
extension RealmChanges: Sendable {}

@available(*, unavailable)
extension RealmChanges.Iterator: Sendable {}

extension Realm {
    /// The notifications of ``observe(_:)``, as a sequence.
    public func changes() -> RealmChanges<Notification> {
        RealmChanges { tell in self.observe { notification, _ in tell(notification) } }
    }
}

/// The elements of a collection with an observed change in a step, in their objects or behind their links.
struct ElementChanges {
    private enum Changed {
        /// The objects of one class with these keys.
        case keys(Set<UInt64>)
        /// The objects of any class that have changed.
        case any(ChangeStep)
    }

    private let changed: Changed

    /// Nil if no element has changed.
    init?(
        _ element: ElementStorage, _ paths: ObservedPaths?, _ step: RealmStep, _ realm: RealmCore
    ) {
        guard let changes = step.changes else { return nil }
        switch element {
        case .link:
            guard let paths else { return nil }
            let keys = paths.shown(in: realm.schema).changes(in: changes).keys
            if keys.isEmpty { return nil }
            changed = .keys(Set(keys))
        case .mixed:
            if changes.changes.order.isEmpty { return nil }
            changed = .any(changes)
        default: return nil
        }
    }

    /// Whether an element has changed.
    ///
    /// - `element`: Its stored bytes.
    func contain(_ element: UnsafeRawBufferPointer) -> Bool {
        switch changed {
        case .keys(let keys):
            return element.baseAddress.map { keys.contains($0.storedLink) } ?? false
        case .any(let step):
            var isFound = false
            MixedView(element).forEachLink { number, key in
                guard let index = step.after.rows.classIndexByNumber[number] else { return }
                let change = step.changes[ObjectIdentity(classIndex: index, key: key)]
                if change?.kind == .update { isFound = true }
            }
            return isFound
        }
    }
}

/// The keys of a map that were removed, added or have another value since some version.
struct MapChanges: FollowedDifference {
    private var deletions: Set<String> = []
    private var insertions: Set<String> = []
    private var modifications: Set<String> = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    mutating func remove(_ key: String) {
        modifications.remove(key)
        if insertions.remove(key) == nil { deletions.insert(key) }
    }

    mutating func insert(_ key: String) {
        if deletions.remove(key) == nil {
            insertions.insert(key)
        } else {
            modifications.insert(key)
        }
    }

    mutating func modify(_ key: String) {
        if !insertions.contains(key) { modifications.insert(key) }
    }

    func followed(by next: MapChanges) -> MapChanges {
        var all = self
        for key in next.deletions { all.remove(key) }
        for key in next.insertions { all.insert(key) }
        for key in next.modifications { all.modify(key) }
        return all
    }

    func change<M: RealmKeyedCollection>(of map: M) -> RealmMapChange<M> {
        func keys(_ keys: Set<String>) -> [M.Key] {
            keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { M.Key(_key: $0) }
        }
        return .update(
            map, deletions: keys(deletions), insertions: keys(insertions),
            modifications: keys(modifications))
    }
}
