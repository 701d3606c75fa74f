import HoldfastBytes
import HoldfastObjectModel

extension RowBuilder {
    /// Appends a value from a draft's arena: a text, a collection of plain values, or `mixed` values with the object keys of
    /// their links.
    func appendArena(
        _ draft: ObjectDraft, _ member: Int, _ targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let field = draft.fields[member]
        let storage = draft.rowClass.members[member].storage
        let start = buffer.count
        buffer.append(draft.arenaBytes(start: field.start, count: field.count))
        guard storage.element == .mixed else { return }
        for (position, reference) in draft.references.enumerated() where reference.member == member
        {
            guard let offset = reference.mixedOffset else { continue }
            buffer.store(
                targets.keys[position], at: start + offset - field.start + MixedView.linkKeyOffset)
        }
        guard storage.shape == .set else { return }
        // Equal elements can be found only now that the links have their object keys.
        scratch.removeAll()
        scratch.append(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]))
        buffer.truncate(to: start)
        appendMixed(CollectionView(scratch.bytes, element: .mixed), isSet: true, to: buffer) {
            $0.copy($1)
        }
    }

    /// Writes the object keys of the links in a draft's map of `mixed` values that was just written.
    ///
    /// - `start`: The offset of the map in the buffer.
    func resolveMixedEntries(
        _ draft: ObjectDraft, _ member: Int, _ targets: ResolvedReferences, from start: Int,
        in buffer: ByteBuffer
    ) {
        for (position, reference) in draft.references.enumerated() where reference.member == member
        {
            guard let offset = reference.mixedOffset, let element = reference.element,
                case .bytes(let valueStart, _) = draft.entries[element].value
            else { continue }
            let map = LeafView(
                UnsafeRawBufferPointer(rebasing: buffer.bytes[start...]),
                FieldStorage(.map, .mixed))
            guard let entry = map.position(of: draft.key(of: draft.entries[element])),
                let value = map.values.bytes(entry).baseAddress
            else { continue }
            let inBuffer = value - UnsafeRawPointer(buffer.base)
            buffer.store(
                targets.keys[position],
                at: inBuffer + offset - valueStart + MixedView.linkKeyOffset)
        }
    }

    /// Appends a collection of the elements that `write` writes. Elements for which it writes nothing are left out. Null stays.
    func appendMixed(
        _ view: CollectionView, isSet: Bool, to buffer: ByteBuffer,
        _ write: (MixedWriter, MixedView) -> Void
    ) {
        collection.reset(.mixed)
        let element = ByteBuffer(capacity: 64)
        for index in 0..<view.count {
            if view.isNull(index) {
                collection.appendNull()
                continue
            }
            element.removeAll()
            write(MixedWriter(element), MixedView(view.bytes(index)))
            if element.count > 0 { collection.append(text: element.bytes) }
        }
        collection.write(to: buffer, isSet: isSet)
    }
}
