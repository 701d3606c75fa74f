import HoldfastObjectModel
import HoldfastRows

// The links of a draft: the target is written first if it is nested in the draft.
extension WriteTransaction {
    /// Finds the object key of every link of a draft, writing nested objects first.
    ///
    /// A primary key that leads nowhere gets an object key at once and is awaited until the transaction
    /// ends, so that links forward and in circles work.
    func resolve(_ draft: ObjectDraft, _ origin: WriteOrigin)
        throws(StoreError) -> ResolvedReferences
    {
        if draft.references.isEmpty && draft.children.isEmpty { return .none }
        var resolved = ResolvedReferences()
        if !draft.references.isEmpty {
            // In the memory of the object before, unless that is still being written.
            swap(&resolved.keys, &group.memory.targets)
            resolved.keys.reserveCapacity(draft.references.count)
        }
        for (position, reference) in draft.references.enumerated() {
            let target = rows.classes[reference.classIndex]
            // The schema sees to the class of any other link.
            if reference.mixedOffset != nil, target.definition.kind != .object {
                throw .unknownClass(target.definition.name)
            }
            guard case .child(let child) = reference.target else {
                resolved.keys.append(try keyOfTarget(draft, position, origin))
                continue
            }
            let inner = draft.children[child]
            let innerKey = inner.objectKey.map { presentKey($0, target) }
            if let key = innerKey, try row(target, key) == nil {
                resolved.keys.append(key)
                awaitTarget(
                    ObjectIdentity(classIndex: target.index, key: key), draft, position, origin)
                continue
            }
            let written = try write(
                inner, objectKey: innerKey, mode: .merge, precondition: .none,
                origin.appending(draft.steps(to: reference)))
            resolved.keys.append(written.key)
        }
        for (position, child) in draft.children.enumerated() {
            guard let place = draft.places[position],
                !child.references.isEmpty || !child.children.isEmpty
            else { continue }
            resolved.children[position] = try resolve(
                child, origin.appending(draft.steps(to: place)))
        }
        return resolved
    }

    /// The target of a link that is not nested; nil for one that is.
    func target(
        of reference: DraftReference, _ draft: ObjectDraft
    ) throws(StoreError) -> LinkTarget? {
        let rowClass = rows.classes[reference.classIndex]
        let primaryKey: StoredPrimaryKey
        switch reference.target {
        case .primaryKey(let start, let count):
            let bytes = draft.arenaBytes(start: start, count: count)
            primaryKey = group.primaryKey(rowClass) { $0.append(bytes) }
        case .objectKey(let stated): return .stated(presentKey(stated, rowClass))
        case .named(let number):
            switch named[number] {
            case .primaryKey(let bytes):
                primaryKey = group.primaryKey(rowClass) { $0.append(bytes) }
            case .objectKey(let key): return .stated(key)
            }
        case .child: return nil
        }
        return try group.objectKey(primaryKey).map { .found($0) } ?? .absent(primaryKey)
    }

    /// The object key here of the object that a draft names by `key`; 0, which no object has, for one that is not here.
    private func presentKey(_ key: UInt64, _ target: RowClass) -> UInt64 {
        guard let keyRenames else { return key }
        return keyRenames(target.index, key) ?? 0
    }

    /// Takes the memory of targets that are done with for the next object's.
    func keepMemory(of targets: inout ResolvedReferences) {
        guard targets.keys.capacity > 0 else { return }
        swap(&targets.keys, &group.memory.targets)
        group.memory.targets.removeAllInPlace()
    }

    /// The object key of the target of a link: the key that was found, otherwise a new one. The link waits for the
    /// object if the object has no row yet.
    private func keyOfTarget(
        _ draft: ObjectDraft, _ position: Int, _ origin: WriteOrigin
    ) throws(StoreError) -> UInt64 {
        let reference = draft.references[position]
        let rowClass = rows.classes[reference.classIndex]
        let key: UInt64
        switch try target(of: reference, draft) {
        case .found(let present):
            key = present
            let target = ObjectIdentity(classIndex: rowClass.index, key: key)
            if !pendingLinks.contains(target), try judge?.sees(target) ?? true { return key }
        case .stated(let stated):
            key = stated
            if try row(rowClass, key) != nil { return key }
        case .absent(let primaryKey):
            key = try keys.take(rowClass, for: primaryKey, isEarly: true, &counters)
        case nil: throw .objectNotFound
        }
        awaitTarget(ObjectIdentity(classIndex: rowClass.index, key: key), draft, position, origin)
        return key
    }

    private func awaitTarget(
        _ target: ObjectIdentity, _ draft: ObjectDraft, _ reference: Int, _ origin: WriteOrigin
    ) {
        pendingLinks.add(
            to: target, from: origin.appending(draft.steps(to: draft.references[reference])))
    }
}

/// The target of a link that a draft states without nesting it.
enum LinkTarget {
    /// An object with this object key that a primary key leads to; it is there or awaited.
    case found(UInt64)
    /// The object key of the link, whose row may be missing.
    case stated(UInt64)
    /// No object: the key of the primary key that leads nowhere.
    case absent(StoredPrimaryKey)
}

/// The key under which the object key of a primary key is stored: tag, class, and the ``OrderedKey``.
///
/// It lies in memory of the group, valid until the next one is made there.
struct StoredPrimaryKey {
    let bytes: UnsafeRawBufferPointer

    /// Tag and class stand before the primary key.
    private static let prefixByteCount = 5

    /// The primary key, an ``OrderedKey``.
    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.prefixByteCount...])
    }

    /// The number that is the primary key; nil for null and for keys of other types.
    var number: Int64? {
        // In its order-preserving form: 01 and eight bytes.
        guard bytes.count == Self.prefixByteCount + 9, bytes[Self.prefixByteCount] == 1 else {
            return nil
        }
        let ordered = UInt64(
            bigEndian: bytes.loadUnaligned(
                fromByteOffset: Self.prefixByteCount + 1, as: UInt64.self))
        return Int64(bitPattern: ordered ^ 1 << 63)
    }
}
