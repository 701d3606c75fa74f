import Bytes

extension RowBuilder {
    /// Appends `stored` in the current layout without its links to one object, which is going away:
    /// single links and those of maps become null, lists and sets lose the element, also within embedded
    /// objects and `mixed` values. Links that say something else of deletion stay, and an embedded object
    /// that is to go with the target goes.
    ///
    /// - `classIndex`: The class of the object that goes away.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, withoutLinksTo key: UInt64, classIndex: Int,
        schema: RowSchema, version: UInt64, to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let start = beginRow(rowClass, version: version, in: buffer)
        let target = (classNumber: schema.classes[classIndex].number, key: key)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let slot = slotOffset(rowClass, member, start)
            let isTarget =
                compiled.storage.element == .link && compiled.classIndex == classIndex
                && compiled.onDelete == .nullify
            func goes(_ row: RowView) -> Bool {
                schema.classes[compiled.classIndex].goes(
                    row, withTarget: key, classIndex: classIndex, overflow)
            }
            if compiled.storage.isInHeap, stored.holdsOverflow,
                rowClass.field(member, in: stored).isOutOfLine
            {
                appendOverflow(
                    member, of: stored, rowClass, withoutLinksTo: key, classIndex: classIndex,
                    schema: schema, rowStart: start, to: buffer)
                continue
            }
            switch (compiled.storage.shape, compiled.storage.element) {
            case (.single, .link) where isTarget:
                let field = rowClass.field(member, in: stored)
                if field.isNull || field.load(UInt64.self) == key {
                    setNull(rowClass, member, rowStart: start, in: buffer)
                } else {
                    buffer.store(field.load(UInt64.self), at: slot)
                }
            case (.list, .link) where isTarget, (.set, .link) where isTarget:
                let links = rowClass.inlineCollection(member, in: stored)
                let kept = (0..<links.count).lazy.map { links.pointer($0).storedLink }
                    .filter { $0 != key }
                let offset = buffer.count
                appendLinks(ArraySlice(Array(kept)), isSet: false, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.map, .link) where isTarget:
                let offset = buffer.count
                appendMap(rowClass.inlineMap(member, in: stored), withoutLinksTo: key, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.single, .mixed):
                let field = rowClass.field(member, in: stored)
                if field.isNull {
                    setNull(rowClass, member, rowStart: start, in: buffer)
                } else {
                    appendMixed(
                        MixedView(field.heap), member, of: stored, rowClass,
                        withoutLinksTo: target, rowStart: start, to: buffer)
                }
            case (.list, .mixed), (.set, .mixed):
                let offset = buffer.count
                appendMixed(
                    rowClass.inlineCollection(member, in: stored),
                    isSet: compiled.storage.shape == .set, withoutLinksTo: target, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.map, .mixed):
                let offset = buffer.count
                appendMixed(
                    rowClass.inlineMap(member, in: stored), withoutLinksTo: target, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.single, .embedded)
            where !schema.classes[compiled.classIndex].linkingMembers.isEmpty:
                guard let inner = rowClass.embedded(member, in: stored), !goes(inner) else {
                    setNull(rowClass, member, rowStart: start, in: buffer)
                    continue
                }
                let offset = buffer.count
                append(
                    inner, schema.classes[compiled.classIndex], withoutLinksTo: key,
                    classIndex: classIndex, schema: schema, version: 0, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.list, .embedded)
            where !schema.classes[compiled.classIndex].linkingMembers.isEmpty:
                let list = rowClass.inlineCollection(member, in: stored)
                let kept = (0..<list.count).compactMap { index -> RowView? in
                    guard let inner = RowView(list.bytes(index)) else { return nil }
                    return goes(inner) ? nil : inner
                }
                let offset = buffer.count
                appendVariable(count: kept.count, to: buffer) { index in
                    append(
                        kept[index], schema.classes[compiled.classIndex], withoutLinksTo: key,
                        classIndex: classIndex, schema: schema, version: 0, to: buffer)
                }
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.map, .embedded)
            where !schema.classes[compiled.classIndex].linkingMembers.isEmpty:
                let offset = buffer.count
                append(rowClass.inlineMap(member, in: stored), to: buffer, goes: goes) { inner in
                    append(
                        inner, schema.classes[compiled.classIndex], withoutLinksTo: key,
                        classIndex: classIndex, schema: schema, version: 0, to: buffer)
                }
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            default:
                copy(member, of: stored, rowClass, rowStart: start, to: buffer)
            }
        }
        finishRow(start, referencesBefore, in: buffer)
    }

    /// Ends an out-of-line collection with what it has without its links to an object, which are taken
    /// out where they lie.
    func appendOverflow(
        _ member: Int, of stored: RowView, _ rowClass: RowClass, withoutLinksTo key: UInt64,
        classIndex: Int, schema: RowSchema, rowStart: Int, to buffer: ByteBuffer
    ) {
        let compiled = rowClass.members[member]
        let holdsLinks =
            compiled.storage.element == .link
            ? compiled.classIndex == classIndex && compiled.onDelete == .nullify
            : rowClass.linkingMembers.contains(member)
        let target = (classNumber: schema.classes[classIndex].number, key: key)
        if compiled.storage == FieldStorage(.single, .mixed), let overflow {
            return appendMixed(
                MixedView(rowClass.field(member, in: stored).text(overflow)), member, of: stored,
                rowClass, withoutLinksTo: target, rowStart: rowStart, to: buffer)
        }
        guard holdsLinks, compiled.storage.shape != .single, let overflow else {
            return copy(member, of: stored, rowClass, rowStart: rowStart, to: buffer)
        }
        let slot = slotOffset(rowClass, member, rowStart)
        let offset = buffer.count
        let isLeft = overflow.removeLinks(
            to: key, classIndex: classIndex, from: rowClass.field(member, in: stored), compiled,
            schema, reference: buffer,
            goes: { row in
                schema.classes[compiled.classIndex].goes(
                    row, withTarget: key, classIndex: classIndex, overflow)
            }
        ) { leaf, buffer in
            let map = MapView(leaf)
            if let map, compiled.storage.element == .link {
                return appendMap(map, withoutLinksTo: key, to: buffer)
            }
            if compiled.storage.element == .mixed {
                if let map { return appendMixed(map, withoutLinksTo: target, to: buffer) }
                return appendMixed(
                    leaf.values, isSet: compiled.storage.shape == .set, withoutLinksTo: target,
                    to: buffer)
            }
            func appendRow(_ row: RowView) {
                append(
                    row, schema.classes[compiled.classIndex], withoutLinksTo: key,
                    classIndex: classIndex, schema: schema, version: 0, to: buffer)
            }
            if let map { return append(map, to: buffer, goes: { _ in false }, appendRow) }
            appendVariable(count: leaf.count, to: buffer) { index in
                if let row = RowView(leaf.values.bytes(index)) { appendRow(row) }
            }
        }
        if isLeft {
            closeReference(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        } else {
            buffer.append(little: 0 as UInt64)
            closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        }
    }
}
