import Bytes
import ObjectModel

/// Assembles rows in their class's current layout.
///
/// Values go to their slots and the heap in declaration order whatever their source, so that equal
/// objects of one layout have equal bytes. Reusable and not thread-safe: the writer owns one.
package final class RowBuilder {
    /// The time that defaults of the transaction take.
    package var now = Timestamp(seconds: 0, nanoseconds: 0)
    /// Where values go that are too large for a row; nil keeps them in it.
    package var overflow: (any OverflowSink)?
    /// What is too large for a row.
    package var limits = OverflowLimits()
    /// Whether a draft was to keep something where nothing is stored, since this was set to false.
    package var hasNothingToKeep = false
    /// The required properties that a draft of a new or replaced object did not state, since this was emptied.
    package var unstated: [UnstatedMember] = []
    /// How many references to such values were written so far.
    var referenceCount = 0
    let reference = ByteBuffer(capacity: OverflowReference.treeByteCount)
    let collection = ScalarCollectionBuilder()
    let scratch = ByteBuffer(capacity: 256)

    /// The number that a new object gets whose primary key the store makes.
    package var nextNumber: Int64 = 0

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
        append(
            draft, over: stored, replacing: stored, keepsAbsent: keepsAbsent, version: version,
            targets: targets, to: buffer)
    }

    /// As above.
    ///
    /// - `replaced`: The row whose place the new one takes, even if nothing of it is kept: its out-of-line values
    ///   that are the same are not stored again.
    func append(
        _ draft: ObjectDraft, over stored: RowView?, replacing replaced: RowView?,
        keepsAbsent: Bool, version: UInt64, targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let rowClass = draft.rowClass
        let referencesBefore = referenceCount
        let start = beginRow(rowClass, version: version, in: buffer)
        func close(_ member: Int, from offset: Int) {
            closeHeap(member, rowClass, from: offset, rowStart: start, over: replaced, in: buffer)
        }
        for member in rowClass.members.indices {
            let storage = rowClass.members[member].storage
            guard storage.shape != .none else { continue }
            let field = draft.fields[member]
            let slot = slotOffset(rowClass, member, start)
            switch field.state {
            case .absent:
                // A primary key never changes.
                if let stored, keepsAbsent || member == rowClass.primaryKeyIndex {
                    copy(member, of: stored, rowClass, rowStart: start, to: buffer)
                } else {
                    if rowClass.members[member].isRequired, !draft.isPart {
                        unstated.append(UnstatedMember(draft: draft, member: member))
                    }
                    appendDefault(member, rowClass, rowStart: start, to: buffer)
                }
            case .kept:
                if let replaced {
                    copy(member, of: replaced, rowClass, rowStart: start, to: buffer)
                } else {
                    hasNothingToKeep = true
                }
            case .null:
                setNull(rowClass, member, rowStart: start, in: buffer)
            case .inline:
                storeInline(field, byteCount: storage.slotByteCount, at: slot, in: buffer)
            case .heap:
                let offset = buffer.count
                appendHeap(draft, member, targets, to: buffer)
                close(member, from: offset)
            case .reference:
                buffer.store(targets.keys[field.start], at: slot)
            case .references:
                let offset = buffer.count
                appendLinks(
                    targets.keys[field.start..<(field.start + field.count)],
                    isSet: storage.shape == .set, to: buffer)
                close(member, from: offset)
            case .child:
                let child = draft.children[field.start]
                let offset = buffer.count
                let inner = replaced.flatMap { rowClass.embedded(member, in: $0) }
                append(
                    child, over: child.isMerge ? inner : nil, replacing: inner,
                    keepsAbsent: child.isMerge, version: 0,
                    targets: targets.children[field.start] ?? .none, to: buffer)
                closeHeap(slot: slot, from: offset, rowStart: start, in: buffer)
            case .children:
                let offset = buffer.count
                appendChildren(draft, field, targets, to: buffer)
                close(member, from: offset)
            case .entries:
                let offset = buffer.count
                appendEntries(draft, member, field, over: stored, targets, to: buffer)
                close(member, from: offset)
            }
        }
        finishRow(start, referencesBefore, in: buffer)
    }

    /// Appends a collection that `draft` states of one property, as it would lie in a row's heap.
    ///
    /// - Returns: False when the draft states no collection of it.
    package func appendCollection(
        _ draft: ObjectDraft, _ member: Int, targets: ResolvedReferences, to buffer: ByteBuffer
    ) -> Bool {
        let field = draft.fields[member]
        switch field.state {
        case .heap: appendHeap(draft, member, targets, to: buffer)
        case .references:
            appendLinks(
                targets.keys[field.start..<(field.start + field.count)],
                isSet: draft.rowClass.members[member].storage.shape == .set, to: buffer)
        case .children: appendChildren(draft, field, targets, to: buffer)
        case .entries: appendEntries(draft, member, field, over: nil, targets, to: buffer)
        case .absent, .kept, .null, .inline, .reference, .child: return false
        }
        return true
    }

    /// What takes the place of a stored value.
    package enum Replacement {
        /// The property's default.
        case defaultValue
        /// Null.
        case null
        /// A value as it lies in a row: in its slot, or in the heap.
        case bytes(UnsafeRawBufferPointer)
        /// The value that another row of the same class has.
        case value(of: RowView)
    }

    /// Appends `stored` in the current layout with another value in one property.
    ///
    /// - `replacement`: Its bytes do not lie in the buffer.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, replacing replaced: Int,
        by replacement: Replacement, version: UInt64, to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let start = beginRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            guard member == replaced else {
                copy(member, of: stored, rowClass, rowStart: start, to: buffer)
                continue
            }
            switch replacement {
            case .defaultValue: appendDefault(member, rowClass, rowStart: start, to: buffer)
            case .null: setNull(rowClass, member, rowStart: start, in: buffer)
            case .value(let other): copy(member, of: other, rowClass, rowStart: start, to: buffer)
            case .bytes(let bytes) where compiled.storage.isInHeap:
                let offset = buffer.count
                buffer.append(bytes)
                if compiled.storage.element == .embedded {
                    countReferences(in: bytes, compiled.storage)
                }
                if compiled.storage == FieldStorage(.single, .embedded) {
                    closeHeap(
                        slot: slotOffset(rowClass, member, start), from: offset, rowStart: start,
                        in: buffer)
                } else {
                    closeHeap(
                        member, rowClass, from: offset, rowStart: start, over: stored, in: buffer)
                }
            case .bytes(let bytes):
                guard let base = bytes.baseAddress else { continue }
                buffer.store(
                    bytes: base, byteCount: compiled.storage.slotByteCount,
                    at: slotOffset(rowClass, member, start))
            }
        }
        finishRow(start, referencesBefore, in: buffer)
    }

    /// Appends a fill row: what objects have for properties that were declared after them, which is the
    /// declared default, ``now`` for `$now`, or the type's zero value.
    package func appendFill(_ rowClass: RowClass, to buffer: ByteBuffer) {
        let referencesBefore = referenceCount
        let start = beginRow(rowClass, version: 0, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let property = rowClass.definition.properties[member]
            // An enum's first case stands for nothing stated, as no zero need be among its values.
            if property.defaultValue != nil || property.cases != nil || compiled.isOptional {
                appendDefault(member, rowClass, rowStart: start, to: buffer)
            } else if compiled.storage == FieldStorage(.single, .decimal) {
                // Zero bytes would be a zero with the least exponent.
                store(
                    .decimal(Decimal128(0)), at: member, rowClass, rowStart: start, to: buffer)
            } else if compiled.storage.isInHeap {
                let offset = buffer.count
                if compiled.storage.shape != .single { buffer.append(little: 0 as UInt64) }
                closeHeap(
                    slot: slotOffset(rowClass, member, start), from: offset, rowStart: start,
                    in: buffer)
            }
        }
        finishRow(start, referencesBefore, in: buffer)
    }

    // MARK: Parts of a row

    func beginRow(_ rowClass: RowClass, version: UInt64, in buffer: ByteBuffer) -> Int {
        let start = buffer.count
        buffer.appendZeros(rowClass.layout.fixedByteCount)
        buffer.store(rowClass.layout.number, at: start)
        buffer.store(version, at: start + 8)
        return start
    }

    func finishRow(_ start: Int, _ referencesBefore: Int, in buffer: ByteBuffer) {
        buffer.store(UInt32(buffer.count - start), at: start + 4)
        if referenceCount != referencesBefore {
            let flag = UInt8(truncatingIfNeeded: RowLayout.holdsOverflowFlag >> 56)
            buffer.store(buffer.bytes[start + 15] | flag, at: start + 15)
        }
    }

    func slotOffset(_ rowClass: RowClass, _ member: Int, _ start: Int) -> Int {
        start + Int(rowClass.currentLocation(member).slot)
    }

    func setNull(_ rowClass: RowClass, _ member: Int, rowStart: Int, in buffer: ByteBuffer) {
        let location = rowClass.currentLocation(member)
        let offset = rowStart + Int(location.nullByte)
        buffer.store(buffer.bytes[offset] | location.nullMask, at: offset)
    }

    func storeInline(
        _ field: DraftField, byteCount: Int, at slot: Int, in buffer: ByteBuffer
    ) {
        switch byteCount {
        case 1: buffer.store(UInt8(truncatingIfNeeded: field.low), at: slot)
        case 4: buffer.store(UInt32(truncatingIfNeeded: field.low), at: slot)
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

    func copy(
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
        if storage.isInHeap, field.isOutOfLine {
            let offset = buffer.count
            buffer.append(field.heapOrReference)
            closeReference(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        } else if storage.isInHeap {
            if storage.element == .embedded, field.isOfRowWithReferences {
                countReferences(in: field.heap, storage)
            }
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
        case .next: store(.int(nextNumber))
        }
    }

    /// Stores a plain value of the property's own type, null, or an empty collection.
    func store(
        _ value: Value, at member: Int, _ rowClass: RowClass, rowStart: Int, to buffer: ByteBuffer
    ) {
        let slot = slotOffset(rowClass, member, rowStart)
        if value != .null, rowClass.members[member].storage == FieldStorage(.single, .mixed) {
            let offset = buffer.count
            MixedWriter(buffer).value(value)
            return closeHeap(slot: slot, from: offset, rowStart: rowStart, in: buffer)
        }
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
        case .list, .map, .link:
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

    func appendChildren(
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
