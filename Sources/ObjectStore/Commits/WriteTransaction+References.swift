import ObjectModel
import Rows
import Storage

// The links of a draft: what they lead to, which is written first where it stands in the place of a link.
extension WriteTransaction {
    /// Finds the object key of every link of a draft, writing nested objects first.
    ///
    /// A primary key that leads nowhere gets an object key at once and is awaited until the transaction
    /// ends, so that links forward and in circles work.
    func resolve(_ draft: ObjectDraft, path: [DanglingLink.PathStep])
        throws(StoreError) -> ResolvedReferences
    {
        if draft.references.isEmpty && draft.children.isEmpty { return .none }
        var resolved = ResolvedReferences()
        if !draft.references.isEmpty {
            // In the memory of the object before, unless that is still being written.
            swap(&resolved.keys, &memory.targets)
            resolved.keys.reserveCapacity(draft.references.count)
        }
        var nested: Set<Int> = []
        for (position, reference) in draft.references.enumerated() {
            let target = rows.classes[reference.classIndex]
            guard case .child(let child) = reference.target else {
                let found = try objectKey(of: reference, draft)
                resolved.keys.append(try keyOfTarget(found, target, draft, position, path))
                continue
            }
            nested.insert(child)
            let inner = draft.children[child]
            let innerKey = inner.objectKey.map { presentKey($0, target) }
            if let key = innerKey, try row(target, key) == nil {
                resolved.keys.append(key)
                awaitTarget(
                    ObjectIdentity(classIndex: target.index, key: key), draft, position, path)
                continue
            }
            let written = try write(
                inner, objectKey: innerKey, mode: .merge, precondition: .none,
                path: path + draft.steps(to: reference))
            resolved.keys.append(written.key)
        }
        for (position, child) in draft.children.enumerated() where !nested.contains(position) {
            guard !child.references.isEmpty || !child.children.isEmpty else { continue }
            resolved.children[position] = try resolve(
                child, path: path + draft.steps(toChild: position))
        }
        return resolved
    }

    /// The object key of a link's target that is not nested, whether it has a row or not; nil for a primary key that
    /// leads nowhere, which was looked up last then.
    func objectKey(
        of reference: DraftReference, _ draft: ObjectDraft
    ) throws(StoreError) -> (key: UInt64?, isStated: Bool) {
        let target = rows.classes[reference.classIndex]
        switch reference.target {
        case .primaryKey(let start, let count):
            let bytes = draft.arenaBytes(start: start, count: count)
            return (try objectKey(target, isLink: true) { $0.append(bytes) }, false)
        case .objectKey(let stated): return (presentKey(stated, target), true)
        case .named(let number):
            switch named[number] {
            case .primaryKey(let bytes):
                return (try objectKey(target, isLink: true) { $0.append(bytes) }, false)
            case .objectKey(let key): return (key, true)
            }
        case .child: return (nil, true)
        }
    }

    /// The object key here of the object that a draft names by `key`; 0, which no object has, for one
    /// that is not here.
    private func presentKey(_ key: UInt64, _ target: RowClass) -> UInt64 {
        guard let keyRenames else { return key }
        return keyRenames(target.index, key) ?? 0
    }

    /// Takes the memory of targets that are done with for the next object's.
    func keepMemory(of targets: inout ResolvedReferences) {
        guard targets.keys.capacity > 0 else { return }
        swap(&targets.keys, &memory.targets)
        memory.targets.removeAllInPlace()
    }

    /// The object key of a link's target that was looked up just before: the one that was found, else a new one. The
    /// link waits for the object if that has no row yet.
    ///
    /// - `isStated`: Whether the link states the object key, so that the row may be missing.
    private func keyOfTarget(
        _ found: (key: UInt64?, isStated: Bool), _ target: RowClass, _ draft: ObjectDraft,
        _ reference: Int,
        _ path: [DanglingLink.PathStep]
    ) throws(StoreError) -> UInt64 {
        let key: UInt64
        if let present = found.key {
            key = present
            if found.isStated {
                if try row(target, key) != nil { return key }
            } else if pending.isEmpty
                || pending[ObjectIdentity(classIndex: target.index, key: key)] == nil
            {
                return key
            }
        } else {
            keyOrder.isTracking = true
            key = try makeKey(target)
        }
        awaitTarget(
            ObjectIdentity(classIndex: target.index, key: key), draft, reference, path)
        return key
    }

    private func awaitTarget(
        _ target: ObjectIdentity, _ draft: ObjectDraft, _ reference: Int,
        _ path: [DanglingLink.PathStep]
    ) {
        let steps = path + draft.steps(to: draft.references[reference])
        addPending(
            target, PendingLink(source: source, draft: draft, reference: reference, path: steps))
    }
}
