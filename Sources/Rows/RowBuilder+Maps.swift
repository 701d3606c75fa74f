import Bytes

extension RowBuilder {
    /// The origin of an entry of a new map.
    private enum EntryOrigin {
        /// The stored map, at this position.
        case stored(Int)
        /// The draft, at this position of its entries.
        case draft(Int)
    }

    /// Appends the map that a draft makes of the stored one, encoded as ``MapView`` reads it.
    ///
    /// A draft that merges changes the entries it states and keeps the others.
    func appendEntries(
        _ draft: ObjectDraft, _ member: Int, _ field: DraftField, over stored: RowView?,
        _ targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let rowClass = draft.rowClass
        let element = rowClass.members[member].storage.element
        let start = buffer.count
        defer {
            if element == .mixed {
                resolveMixedEntries(draft, member, targets, from: start, in: buffer)
            }
        }
        let whole = ByteBuffer()
        defer { withExtendedLifetime(whole) {} }
        let before =
            draft.isMerge ? stored.map { map(member, of: $0, rowClass, whole) } : nil
        let old = before ?? MapView(UnsafeRawBufferPointer(start: nil, count: 0), element: element)
        var hasNull = false
        let sources = merge(old, draft, field, hasNull: &hasNull)
        guard !sources.isEmpty else { return buffer.append(little: 0 as UInt64) }
        appendKeys(
            count: sources.count,
            {
                switch sources[$0] {
                case .stored(let position): old.keys.bytes(position)
                case .draft(let position): draft.key(of: draft.entries[position])
                }
            }, to: buffer)
        appendValues(
            count: sources.count, element, hasNull: hasNull,
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
                if element == .embedded {
                    countReferences(in: bytes, FieldStorage(.single, element))
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
                        child, over: inner, keepsAbsent: child.isMerge, version: 0,
                        targets: targets.children[position] ?? .none, to: buffer)
                case .removed, .null: break
                }
            }
        }
    }

    /// The stored map, which is assembled in a buffer if it is out of line.
    private func map(
        _ member: Int, of stored: RowView, _ rowClass: RowClass, _ whole: ByteBuffer
    ) -> MapView {
        guard stored.holdsOverflow, rowClass.field(member, in: stored).isOutOfLine, let overflow
        else {
            return rowClass.inlineMap(member, in: stored)
        }
        let storage = rowClass.members[member].storage
        rowClass.collection(member, in: stored, overflow).append(storage, to: whole)
        return MapView(whole.bytes, element: storage.element)
    }

    /// The entries of the new map in the order of their keys.
    private func merge(
        _ old: MapView, _ draft: ObjectDraft, _ field: DraftField, hasNull: inout Bool
    ) -> [EntryOrigin] {
        var sources: [EntryOrigin] = []
        sources.reserveCapacity(old.count + field.count)
        var next = 0
        func keep(until end: Int) {
            while next < end {
                if old.values.isNull(next) { hasNull = true }
                sources.append(.stored(next))
                next += 1
            }
        }
        for position in field.start..<(field.start + field.count) {
            let entry = draft.entries[position]
            if old.count > 0 {
                let key = draft.key(of: entry)
                keep(until: old.firstPosition(notBefore: key))
                if next < old.count, compareKeys(old.keys.bytes(next), key) == 0 { next += 1 }
            }
            switch entry.value {
            case .removed: continue
            case .null: hasNull = true
            case .bytes, .reference, .child: break
            }
            sources.append(.draft(position))
        }
        keep(until: old.count)
        return sources
    }

    /// Appends a map of links in which those to one object are null.
    func appendMap(_ map: MapView, withoutLinksTo key: UInt64, to buffer: ByteBuffer) {
        guard map.count > 0 else { return buffer.append(little: 0 as UInt64) }
        func isNull(_ index: Int) -> Bool {
            map.values.isNull(index) || map.values.pointer(index).storedLink == key
        }
        appendKeys(count: map.count, { map.keys.bytes($0) }, to: buffer)
        appendValues(
            count: map.count, .link, hasNull: (0..<map.count).contains { isNull($0) },
            isNull: isNull, to: buffer
        ) { buffer.append(map.values.bytes($0)) }
    }

    /// Appends a map of embedded objects, each rewritten by `append`, without those for which `goes` is true.
    func append(
        _ map: MapView, to buffer: ByteBuffer, goes: (RowView) -> Bool, _ append: (RowView) -> Void
    ) {
        let kept = (0..<map.count).filter { index in
            map.values.isNull(index) || !(RowView(map.values.bytes(index)).map(goes) ?? true)
        }
        guard !kept.isEmpty else { return buffer.append(little: 0 as UInt64) }
        func isNull(_ index: Int) -> Bool { map.values.isNull(kept[index]) }
        appendKeys(count: kept.count, { map.keys.bytes(kept[$0]) }, to: buffer)
        appendValues(
            count: kept.count, .embedded, hasNull: kept.indices.contains { isNull($0) },
            isNull: isNull, to: buffer
        ) { index in
            if let inner = RowView(map.values.bytes(kept[index])) { append(inner) }
        }
    }

    /// Appends the map's keys with values that `append` writes.
    func append(
        _ map: MapView, element: ElementStorage, isNull: (Int) -> Bool, to buffer: ByteBuffer,
        _ append: (Int) -> Void
    ) {
        guard map.count > 0 else { return buffer.append(little: 0 as UInt64) }
        appendKeys(count: map.count, { map.keys.bytes($0) }, to: buffer)
        appendValues(
            count: map.count, element, hasNull: (0..<map.count).contains { isNull($0) },
            isNull: isNull, to: buffer, append)
    }

    // MARK: Parts of a map

    private func appendKeys(
        count: Int, _ key: (Int) -> UnsafeRawBufferPointer, to buffer: ByteBuffer
    ) {
        let start = buffer.count
        buffer.append(little: 0 as UInt32)
        buffer.append(little: UInt32(count))
        buffer.append(little: 0 as UInt32)
        var end: UInt32 = 0
        for index in 0..<count {
            end += UInt32(key(index).count)
            buffer.append(little: end)
        }
        for index in 0..<count { buffer.append(key(index)) }
        buffer.store(UInt32(buffer.count - start - 4), at: start)
    }

    /// `append` appends the bytes of a value that is not null.
    private func appendValues(
        count: Int, _ element: ElementStorage, hasNull: Bool, isNull: (Int) -> Bool,
        to buffer: ByteBuffer, _ append: (Int) -> Void
    ) {
        buffer.append(little: UInt32(count))
        buffer.append(little: (hasNull ? 1 : 0) as UInt32)
        if hasNull {
            let bitmap = buffer.count
            buffer.appendZeros((count + 7) / 8)
            for index in 0..<count where isNull(index) {
                let offset = bitmap + index / 8
                buffer.store(buffer.bytes[offset] | 1 << UInt8(index % 8), at: offset)
            }
        }
        let table = buffer.count
        let width = element.fixedByteCount
        if width == nil { buffer.appendZeros(4 * count) }
        let start = buffer.count
        for index in 0..<count {
            if !hasNull || !isNull(index) {
                append(index)
            } else if let width {
                buffer.appendZeros(width)
            }
            if width == nil {
                buffer.store(UInt32(buffer.count - start), at: table + 4 * index)
            }
        }
    }
}

extension MapView {
    /// The embedded object under a key; nil when there is none.
    fileprivate func row(at key: UnsafeRawBufferPointer) -> RowView? {
        guard let position = position(of: key), !values.isNull(position) else { return nil }
        return RowView(values.bytes(position))
    }
}
