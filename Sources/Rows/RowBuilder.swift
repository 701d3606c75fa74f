import Bytes
import ObjectModel

/// Assembles rows in their class's current layout.
///
/// Values go to their slots and the heap in declaration order whatever their source, so that equal
/// objects of one layout have equal bytes. Reusable and not thread-safe: the writer owns one.
package final class RowBuilder {
    /// The time that defaults of the transaction take.
    package var now = Timestamp(seconds: 0, nanoseconds: 0)

    /// Makes a builder.
    package init() {}

    /// Appends the row that `draft` makes of `stored`.
    ///
    /// - `stored`: The object's present row; nil for a new object.
    /// - `keepsAbsent`: Whether properties that the draft leaves out keep what is stored.
    /// - `version`: The version of the change.
    /// - `targets`: The object key of each reference of the draft.
    package func append(
        _ draft: ObjectDraft, over stored: RowView?, keepsAbsent: Bool, version: UInt64,
        targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let rowClass = draft.rowClass
        let start = beginRow(rowClass, version: version, in: buffer)
        for member in rowClass.members.indices {
            let storage = rowClass.members[member].storage
            guard storage.shape != .none else { continue }
            let field = draft.fields[member]
            let slot = slotOffset(rowClass, member, start)
            switch field.state {
            case .absent:
                if keepsAbsent, let stored {
                    copy(member, of: stored, rowClass, rowStart: start, to: buffer)
                } else {
                    appendDefault(member, rowClass, rowStart: start, to: buffer)
                }
            case .null:
                setNull(rowClass, member, rowStart: start, in: buffer)
            case .inline:
                storeInline(field, byteCount: storage.slotByteCount, at: slot, in: buffer)
            case .heap:
                let offset = buffer.count
                buffer.append(draft.arenaBytes(start: field.start, count: field.count))
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case .reference:
                buffer.store(targets.keys[field.start], at: slot)
            case .references:
                let offset = buffer.count
                appendLinks(
                    targets.keys[field.start..<(field.start + field.count)],
                    isSet: storage.shape == .set, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case .child:
                let child = draft.children[field.start]
                let offset = buffer.count
                let inner = stored.flatMap { rowClass.embedded(member, in: $0) }
                append(
                    child, over: child.isMerge ? inner : nil, keepsAbsent: child.isMerge,
                    version: 0,
                    targets: targets.children[field.start] ?? .none, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case .children:
                let offset = buffer.count
                appendChildren(draft, field, targets, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case .entries:
                let offset = buffer.count
                appendEntries(draft, member, field, over: stored, targets, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            }
        }
        finishRow(start, in: buffer)
    }

    /// Appends a fill row: what objects have for properties that were declared after them, which is the
    /// declared default, ``now`` for `$now`, or the type's zero value.
    package func appendFill(_ rowClass: RowClass, to buffer: ByteBuffer) {
        let start = beginRow(rowClass, version: 0, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let property = rowClass.definition.properties[member]
            if property.defaultValue != nil || property.isOptional {
                appendDefault(member, rowClass, rowStart: start, to: buffer)
            } else if compiled.storage.isInHeap {
                let offset = buffer.count
                if compiled.storage.shape != .single { buffer.append(little: 0 as UInt64) }
                closeHeap(
                    slot: slotOffset(rowClass, member, start), from: offset, rowStart: start,
                    in: buffer)
            }
        }
        finishRow(start, in: buffer)
    }

    /// Appends `stored` in the current layout with fresh defaults for `generated`; its version stays.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, generating generated: MemberSet,
        to buffer: ByteBuffer
    ) {
        let start = beginRow(rowClass, version: stored.version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            if generated.contains(member) {
                appendDefault(member, rowClass, rowStart: start, to: buffer)
            } else {
                copy(member, of: stored, rowClass, rowStart: start, to: buffer)
            }
        }
        finishRow(start, in: buffer)
    }

    /// Appends `stored` in the current layout without its links to one object, which is going away:
    /// single links and those of maps become null, lists and sets lose the element, also within embedded
    /// objects.
    ///
    /// - `classIndex`: The class of the object that goes away.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, withoutLinksTo key: UInt64, classIndex: Int,
        schema: RowSchema, version: UInt64, to buffer: ByteBuffer
    ) {
        let start = beginRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let slot = slotOffset(rowClass, member, start)
            let isTarget = compiled.storage.element == .link && compiled.classIndex == classIndex
            switch (compiled.storage.shape, compiled.storage.element) {
            case (.single, .link) where isTarget:
                let field = rowClass.field(member, in: stored)
                if field.isNull || field.load(UInt64.self) == key {
                    setNull(rowClass, member, rowStart: start, in: buffer)
                } else {
                    buffer.store(field.load(UInt64.self), at: slot)
                }
            case (.list, .link) where isTarget, (.set, .link) where isTarget:
                let links = rowClass.collection(member, in: stored)
                let kept = (0..<links.count).lazy.map { links.pointer($0).storedLink }
                    .filter { $0 != key }
                let offset = buffer.count
                appendLinks(ArraySlice(Array(kept)), isSet: false, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.map, .link) where isTarget:
                let offset = buffer.count
                appendMap(rowClass.map(member, in: stored), withoutLinksTo: key, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.single, .embedded)
            where !schema.classes[compiled.classIndex].linkingMembers.isEmpty:
                guard let inner = rowClass.embedded(member, in: stored) else {
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
                let list = rowClass.collection(member, in: stored)
                let offset = buffer.count
                appendVariable(count: list.count, to: buffer) { index in
                    guard let inner = RowView(list.bytes(index)) else { return }
                    append(
                        inner, schema.classes[compiled.classIndex], withoutLinksTo: key,
                        classIndex: classIndex, schema: schema, version: 0, to: buffer)
                }
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case (.map, .embedded)
            where !schema.classes[compiled.classIndex].linkingMembers.isEmpty:
                let offset = buffer.count
                append(rowClass.map(member, in: stored), to: buffer) { inner in
                    append(
                        inner, schema.classes[compiled.classIndex], withoutLinksTo: key,
                        classIndex: classIndex, schema: schema, version: 0, to: buffer)
                }
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            default:
                copy(member, of: stored, rowClass, rowStart: start, to: buffer)
            }
        }
        finishRow(start, in: buffer)
    }

    // MARK: Parts of a row

    func beginRow(_ rowClass: RowClass, version: UInt64, in buffer: ByteBuffer) -> Int {
        let start = buffer.count
        buffer.appendZeros(rowClass.layout.fixedByteCount)
        buffer.store(rowClass.layout.number, at: start)
        buffer.store(version, at: start + 8)
        return start
    }

    func finishRow(_ start: Int, in buffer: ByteBuffer) {
        buffer.store(UInt32(buffer.count - start), at: start + 4)
    }

    func slotOffset(_ rowClass: RowClass, _ member: Int, _ start: Int) -> Int {
        start + Int(rowClass.currentLocation(member).slot)
    }

    func setNull(_ rowClass: RowClass, _ member: Int, rowStart: Int, in buffer: ByteBuffer) {
        let location = rowClass.currentLocation(member)
        let offset = rowStart + Int(location.nullByte)
        buffer.store(buffer.bytes[offset] | location.nullMask, at: offset)
    }

    private func storeInline(
        _ field: DraftField, byteCount: Int, at slot: Int, in buffer: ByteBuffer
    ) {
        switch byteCount {
        case 1: buffer.store(UInt8(truncatingIfNeeded: field.low), at: slot)
        case 8: buffer.store(field.low, at: slot)
        case 12:
            buffer.store(field.low, at: slot)
            buffer.store(UInt32(truncatingIfNeeded: field.high), at: slot + 8)
        default:
            buffer.store(field.low, at: slot)
            buffer.store(field.high, at: slot + 8)
        }
    }

    func closeHeap(slot: Int, from offset: Int, rowStart: Int, in buffer: ByteBuffer) {
        buffer.store(UInt32(offset - rowStart), at: slot)
        buffer.store(UInt32(buffer.count - offset), at: slot + 4)
    }

    private func copy(
        _ member: Int, of stored: RowView, _ rowClass: RowClass, rowStart: Int,
        to buffer: ByteBuffer
    ) {
        copy(rowClass.field(member, in: stored), to: member, rowClass, rowStart: rowStart, buffer)
    }

    /// Takes over a value as it is stored.
    func copy(
        _ field: Field, to member: Int, _ rowClass: RowClass, rowStart: Int, _ buffer: ByteBuffer
    ) {
        if field.isNull { return setNull(rowClass, member, rowStart: rowStart, in: buffer) }
        let storage = rowClass.members[member].storage
        let slot = slotOffset(rowClass, member, rowStart)
        if storage.isInHeap {
            let offset = buffer.count
            buffer.append(field.heap)
            closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        } else {
            buffer.store(bytes: field.slot, byteCount: storage.slotByteCount, at: slot)
        }
    }

    func appendDefault(
        _ member: Int, _ rowClass: RowClass, rowStart: Int, to buffer: ByteBuffer
    ) {
        let storage = rowClass.members[member].storage
        func store(_ value: Value) {
            self.store(value, at: member, rowClass, rowStart: rowStart, to: buffer)
        }
        if storage.shape != .single { return store(.list([])) }
        switch rowClass.definition.properties[member].effectiveDefault {
        case .constant(let value): store(value)
        case .uuid: store(.uuid(.random()))
        case .objectID: store(.objectID(.generate()))
        case .now: store(.date(now))
        }
    }

    /// Stores a plain value of the property's own type, null, or an empty collection.
    func store(
        _ value: Value, at member: Int, _ rowClass: RowClass, rowStart: Int, to buffer: ByteBuffer
    ) {
        let slot = slotOffset(rowClass, member, rowStart)
        switch value {
        case .null: setNull(rowClass, member, rowStart: rowStart, in: buffer)
        case .bool(let value): buffer.store((value ? 1 : 0) as UInt8, at: slot)
        case .int(let value): buffer.store(value, at: slot)
        case .double(let value): buffer.store(value.bitPattern, at: slot)
        case .float(let value): buffer.store(value.bitPattern, at: slot)
        case .decimal(let value):
            buffer.store(value.low, at: slot)
            buffer.store(value.high, at: slot + 8)
        case .date(let value):
            buffer.store(value.seconds, at: slot)
            buffer.store(value.nanoseconds, at: slot + 8)
        case .objectID(let value):
            buffer.store(value.high.bigEndian, at: slot)
            buffer.store(value.low.bigEndian, at: slot + 8)
        case .uuid(let value):
            buffer.store(value.high.bigEndian, at: slot)
            buffer.store(value.low.bigEndian, at: slot + 8)
        case .string(let text):
            let offset = buffer.count
            buffer.append(text)
            closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        case .data(let bytes):
            let offset = buffer.count
            buffer.append(bytes)
            closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        case .list, .link:
            let offset = buffer.count
            buffer.append(little: 0 as UInt64)
            closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        }
    }

    func appendLinks(_ keys: ArraySlice<UInt64>, isSet: Bool, to buffer: ByteBuffer) {
        var keys = keys
        if isSet {
            keys.sort()
            var distinct: [UInt64] = []
            for key in keys where distinct.last != key { distinct.append(key) }
            keys = distinct[...]
        }
        buffer.append(little: UInt32(keys.count))
        buffer.append(little: 0 as UInt32)
        for key in keys { buffer.append(little: key) }
    }

    private func appendChildren(
        _ draft: ObjectDraft, _ field: DraftField, _ targets: ResolvedReferences,
        to buffer: ByteBuffer
    ) {
        appendVariable(count: field.count, to: buffer) { index in
            let position = field.start + index
            append(
                draft.children[position], over: nil, keepsAbsent: false, version: 0,
                targets: targets.children[position] ?? .none, to: buffer)
        }
    }

    /// Appends a collection of `count` elements of variable width, each written by `element`.
    func appendVariable(
        count: Int, to buffer: ByteBuffer, _ element: (Int) -> Void
    ) {
        buffer.append(little: UInt32(count))
        buffer.append(little: 0 as UInt32)
        let table = buffer.count
        buffer.appendZeros(4 * count)
        let start = buffer.count
        for index in 0..<count {
            element(index)
            buffer.store(UInt32(buffer.count - start), at: table + 4 * index)
        }
    }
}
