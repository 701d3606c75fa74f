import HoldfastObjectStore
import HoldfastRows

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
