import HoldfastBytes

extension ObjectDraft {
    /// Adds an entry of a map. Call ``setEntries(_:from:)`` after the last one.
    ///
    /// The reference or child of its value must have been added just before.
    package func addEntry(_ key: UnsafeRawBufferPointer, _ value: DraftEntry.Value) {
        entries.append(DraftEntry(keyStart: arena.count, keyCount: key.count, value: value))
        arena.append(key)
    }

    /// Adds an entry with a plain value, encoded as in a collection.
    package func addEntry(_ key: UnsafeRawBufferPointer, bytes: UnsafeRawBufferPointer) {
        let start = arena.count
        arena.append(bytes)
        addEntry(key, .bytes(start: start, count: bytes.count))
    }

    /// Sets the map to the entries added since there were `start`, and sorts them by key.
    ///
    /// - Returns: The positions among ``entries`` of the entries with repeated keys.
    @discardableResult
    package func setEntries(_ member: Int, from start: Int) -> [Int] {
        set(member, .entries, start: start, count: entries.count - start)
        let added = entries[start...]
        // The store keeps the keys in the same order.
        let isInOrder = zip(added, added.dropFirst()).allSatisfy {
            compareKeys(key(of: $0), key(of: $1)) <= 0
        }
        if !isInOrder { entries[start...].sort { compareKeys(key(of: $0), key(of: $1)) < 0 } }
        var repeated: [Int] = []
        for position in entries.indices[start...] {
            switch entries[position].value {
            case .reference(let reference): references[reference].element = position
            case .child(let child): places[child] = DraftPlace(member: member, element: position)
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

    /// Adds an embedded object for an entry of a map, and returns its position among the children.
    package func addChild(_ child: ObjectDraft) -> Int {
        add(child, at: nil)
        return children.count - 1
    }

    package func key(of entry: DraftEntry) -> UnsafeRawBufferPointer {
        arenaBytes(start: entry.keyStart, count: entry.keyCount)
    }

    /// Returns the key of the map's entry that holds a reference; nil if it is not in a map.
    package func key(of reference: DraftReference) -> String? {
        guard let element = reference.element,
            rowClass.members[reference.member].storage.shape == .map
        else { return nil }
        return String(decoding: key(of: entries[element]), as: UTF8.self)
    }
}

/// One entry of a map in a draft.
package struct DraftEntry: Sendable {
    /// The new value of the entry, or its removal.
    package enum Value: Sendable {
        /// The entry is removed. Only drafts that merge use this.
        case removed
        case null
        /// A plain value: `start ..< start + count` of the arena, encoded as in a collection.
        case bytes(start: Int, count: Int)
        /// A link: the reference of the draft with this position has its target.
        case reference(Int)
        /// An embedded object: the child of the draft with this position.
        case child(Int)
    }

    /// The offset of the key in the draft's arena.
    package var keyStart: Int
    /// The bytes of the key.
    package var keyCount: Int
    /// The value or the removal.
    package var value: Value
}
