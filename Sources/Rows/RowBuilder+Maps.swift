import HoldfastBytes

extension RowBuilder {
    /// The origin of an entry of a new map.
    private enum EntryOrigin {
        /// An entry of the stored map, by position.
        case stored(Int)
        /// An entry of the draft, by position.
        case draft(Int)
    }

    /// Appends the map that results from applying a draft to the stored map, encoded for ``LeafView``.
    ///
    /// A draft that merges changes the entries it contains and keeps the others, unless it has whole maps.
    func appendEntries(
        _ draft: ObjectDraft, _ member: Int, _ field: DraftField, over stored: RowView?,
        _ targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let storage = draft.rowClass.members[member].storage
        let start = buffer.count
        let before =
            draft.isMerge && !draft.statesWholeMaps
            ? stored.map { draft.rowClass.field(member, in: $0) } : nil
        // An out-of-line map is assembled.
        let whole = before.flatMap { field in overflow.map { StoredField(field, storage, $0) } }
        defer { withExtendedLifetime(whole) {} }
        let bytes = whole?.bytes ?? before?.heap
        let old = LeafView(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0), storage)
        let sources = merge(old, draft, field)
        guard !sources.isEmpty else { return buffer.append(little: 0 as UInt64) }
        LeafView.appendKeys(count: sources.count, to: buffer) {
            switch sources[$0] {
            case .stored(let position):
                old.keys?.bytes(position) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            case .draft(let position): draft.key(of: draft.entries[position])
            }
        }
        CollectionView.append(
            count: sources.count, of: storage.element,
            isNull: {
                switch sources[$0] {
                case .stored(let position): return old.values.isNull(position)
                case .draft(let position):
                    if case .null = draft.entries[position].value { return true }
                    return false
                }
            }, to: buffer
        ) { index in
            switch sources[index] {
            case .stored(let position):
                let bytes = old.values.bytes(position)
                if storage.element == .embedded {
                    countReferences(in: bytes, FieldStorage(.single, .embedded))
                }
                buffer.append(bytes)
            case .draft(let position):
                let entry = draft.entries[position]
                switch entry.value {
                case .bytes(let start, let count):
                    buffer.append(draft.arenaBytes(start: start, count: count))
                case .reference(let reference): buffer.append(little: targets.keys[reference])
                case .child(let position):
                    let child = draft.children[position]
                    let inner = child.isMerge ? old.row(at: draft.key(of: entry)) : nil
                    append(
                        child, over: inner, replacing: inner, keepsAbsent: child.isMerge,
                        version: 0, targets: targets.children[position] ?? .none, to: buffer)
                case .removed, .null: break
                }
            }
        }
        if storage.element == .mixed {
            resolveMixedEntries(draft, member, targets, from: start, in: buffer)
        }
    }

    /// Computes the entries of the new map in the order of their keys.
    private func merge(
        _ old: LeafView, _ draft: ObjectDraft, _ field: DraftField
    ) -> [EntryOrigin] {
        var sources: [EntryOrigin] = []
        sources.reserveCapacity(old.count + field.count)
        var next = 0
        func keep(until end: Int) {
            while next < end {
                sources.append(.stored(next))
                next += 1
            }
        }
        for position in field.start..<(field.start + field.count) {
            let entry = draft.entries[position]
            if let keys = old.keys, old.count > 0 {
                let key = draft.key(of: entry)
                keep(until: old.firstPosition(notBefore: key))
                if next < old.count, compareKeys(keys.bytes(next), key) == 0 { next += 1 }
            }
            if case .removed = entry.value { continue }
            sources.append(.draft(position))
        }
        keep(until: old.count)
        return sources
    }
}

extension LeafView {
    /// Returns the embedded object under a key of a map; nil if it does not exist.
    fileprivate func row(at key: UnsafeRawBufferPointer) -> RowView? {
        guard let position = position(of: key), !values.isNull(position) else { return nil }
        return RowView(values.bytes(position))
    }
}

/// The object keys of a draft's links, found by the writer.
package struct ResolvedReferences {
    /// One object key for each reference of the draft, in order.
    package var keys: [UInt64]
    /// The same for embedded children with links, by their position in the draft's children.
    package var children: [Int: ResolvedReferences]

    /// Makes a result.
    package init(keys: [UInt64] = [], children: [Int: ResolvedReferences] = [:]) {
        self.keys = keys
        self.children = children
    }

    /// The result for a draft without links.
    package static let none = ResolvedReferences()
}
