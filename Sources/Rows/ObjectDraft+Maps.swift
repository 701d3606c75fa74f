import HoldfastBytes

extension ObjectDraft {
    /// Adds an entry of a map; ``setEntries(_:from:)`` follows.
    ///
    /// A value's reference or child was added just before.
    package func addEntry(_ key: UnsafeRawBufferPointer, _ value: DraftEntry.Value) {
        entries.append(DraftEntry(keyStart: arena.count, keyCount: key.count, value: value))
        arena.append(key)
    }

    /// Adds an entry with a plain value, as a collection stores it.
    package func addEntry(_ key: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer) {
        let start = arena.count
        arena.append(bytes)
        addEntry(key, .bytes(start: start, count: bytes.count))
    }

    /// States the map whose entries were added since there were `start`, and puts them in the order of
    /// their keys.
    ///
    /// - Returns: The positions among ``entries`` of those whose key stands more than once.
    @discardableResult
    package func setEntries(_ member: Int, from start: Int) -> [Int] {
        set(member, .entries, start: start, count: entries.count - start)
        let added = entries[start...]
        // As the keys do in what the store has written.
        let isInOrder = zip(added, added.dropFirst()).allSatisfy {
            compareKeys(key(of: $0), key(of: $1)) <= 0
        }
        if !isInOrder { entries[start...].sort { compareKeys(key(of: $0), key(of: $1)) < 0 } }
        var repeated: [Int] = []
        for position in entries.indices[start...] {
            switch entries[position].value {
            case .reference(let reference): references[reference].element = position
            case .child(let child):
                places[child] = DraftPlace(member: member, element: position)
            case .removed, .null, .bytes: break
            }
            if position > start,
                compareKeys(key(of: entries[position - 1]), key(of: entries[position])) == 0
            {
                repeated.append(position)
            }
        }
        if rowClass.members[member].storage.element == .mixed {
            placeMixedReferences(member, entriesFrom: start)
        }
        return repeated
    }

    /// Adds an embedded object for an entry of a map, and says where it is among the children.
    package func addChild(_ child: ObjectDraft) -> Int {
        add(child, at: nil)
        return children.count - 1
    }

    /// Returns the key of an entry.
    package func key(of entry: DraftEntry) -> UnsafeRawBufferPointer {
        arenaBytes(start: entry.keyStart, count: entry.keyCount)
    }

    /// Returns the key of the map's entry that holds a reference; nil for one that no map holds.
    package func key(of reference: DraftReference) -> String? {
        guard let element = reference.element,
            rowClass.members[reference.member].storage.shape == .map
        else { return nil }
        return String(decoding: key(of: entries[element]), as: UTF8.self)
    }
}

/// One entry of a map, as a draft states it.
package struct DraftEntry: Sendable {
    /// The stated value of the entry, or its removal.
    package enum Value: Sendable {
        /// It goes. Only a draft that merges says so.
        case removed
        /// It is null.
        case null
        /// It has a plain value: `start ..< start + count` of the arena, as a collection stores it.
        case bytes(start: Int, count: Int)
        /// It is the link whose target is this reference of the draft.
        case reference(Int)
        /// It is the embedded object that this child of the draft states.
        case child(Int)
    }

    /// The offset of the key in the draft's arena.
    package var keyStart: Int
    /// The bytes of the key.
    package var keyCount: Int
    /// The value or the removal.
    package var value: Value
}
