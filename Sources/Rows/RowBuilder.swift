import HoldfastBytes
import HoldfastObjectModel

/// Assembles rows in their class's current layout.
///
/// Values are written to their slots and the heap in the order of declaration, independently of their source. So equal objects of
/// one layout have equal bytes. Reusable and not thread-safe: the writer owns one.
package final class RowBuilder {
    /// The time that `$now` defaults take.
    package var now = Timestamp(seconds: 0, nanoseconds: 0)
    /// The id that `$user` defaults of new objects take; nil for a write without a user.
    package var user: String?
    /// The sink for values that are too large for a row; nil keeps them in the row.
    package var overflow: (any OverflowSink)?
    /// The largest values that stay in a row.
    package var limits = OverflowLimits()
    /// The gaps of the draft that is being written.
    private var gaps = DraftGaps()
    /// The number of references to out-of-line values written so far.
    var referenceCount = 0
    let reference = ByteBuffer(capacity: OverflowReference.treeByteCount)
    let collection = ScalarCollectionBuilder()
    let scratch = ByteBuffer(capacity: 256)

    /// The primary key of the object being written, if the store generates it.
    private var number: Int64 = 0

    package init() {}

    /// The stored row that a draft is applied to.
    package enum Base {
        /// No row: the object is new.
        case none
        /// A row that is replaced: only the primary key stays if the draft does not set it.
        case replaced(RowView)
        /// A row that is changed: properties that the draft does not set keep their values.
        case changed(RowView)
    }

    /// Appends the row that results from applying `draft` to `base`.
    ///
    /// - `version`: The version of the change.
    /// - `number`: The primary key of a new object, if the store generates it.
    /// - `targets`: The object key of each reference of the draft.
    /// - Returns: The gaps of the draft. Use the row only if there are none.
    package func append(
        _ draft: ObjectDraft, over base: Base, version: UInt64, number: Int64? = nil,
        targets: ResolvedReferences, to buffer: ByteBuffer
    ) -> DraftGaps {
        self.number = number ?? 0
        let stored: RowView?
        var keepsAbsent = false
        switch base {
        case .none: stored = nil
        case .replaced(let row): stored = row
        case .changed(let row): (stored, keepsAbsent) = (row, true)
        }
        append(
            draft, over: stored, replacing: stored, keepsAbsent: keepsAbsent,
            version: version, targets: targets, to: buffer)
        return takeGaps()
    }

    private func takeGaps() -> DraftGaps {
        if gaps.isEmpty { return DraftGaps() }
        defer { gaps = DraftGaps() }
        return gaps
    }

    /// Appends the row of an object or of an embedded object.
    ///
    /// - `stored`: The present row, if some of its values are kept.
    /// - `replaced`: The row that the new one replaces, even if no value is kept. Equal out-of-line values are not stored again.
    func append(
        _ draft: ObjectDraft, over stored: RowView?, replacing replaced: RowView?,
        keepsAbsent: Bool, version: UInt64, targets: ResolvedReferences, to buffer: ByteBuffer
    ) {
        let rowClass = draft.rowClass
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for member in rowClass.members.indices
        where rowClass.members[member].storage.shape != .none {
            let field = draft.fields[member]
            let offset = buffer.count
            switch field.state {
            case .absent, .defaulted:
                // A primary key never changes. A client cannot set a hidden property, so its value is kept.
                if let stored,
                    keepsAbsent && field.state == .absent || member == rowClass.primaryKeyIndex
                        || rowClass.hides(member, in: stored)
                        || rowClass.members[member].takesUser && field.state == .absent
                {
                    copy(rowClass.field(member, in: stored), to: member, row)
                } else if rowClass.members[member].takesUser, stored == nil,
                    let user = userValue(member, rowClass)
                {
                    store(user, at: member, row)
                } else {
                    if rowClass.members[member].isRequired, !draft.isPart {
                        gaps.unstated.append(UnstatedMember(draft: draft, member: member))
                    }
                    appendDefault(member, row)
                }
            case .kept:
                if let replaced {
                    copy(rowClass.field(member, in: replaced), to: member, row)
                } else {
                    gaps.hasNothingToKeep = true
                }
            case .null: row.setNull(member)
            case .inline: row.store(field.low, field.high, at: member)
            case .reference: row.store(targets.keys[field.start], at: member)
            case .child:
                let child = draft.children[field.start]
                let inner = replaced.flatMap { rowClass.embedded(member, in: $0) }
                append(
                    child, over: child.isMerge ? inner : nil, replacing: inner,
                    keepsAbsent: child.isMerge, version: 0,
                    targets: targets.children[field.start] ?? .none, to: buffer)
                row.close(member, from: offset)
            case .heap, .references, .children, .entries:
                appendHeap(draft, member, over: stored, targets, to: buffer)
                closeHeap(member, row, from: offset, over: replaced)
            }
        }
        row.finish(
            holdsOverflow: referenceCount != referencesBefore,
            hiding: stored.map(rowClass.hidden) ?? MemberSet())
    }

    /// Appends a collection that `draft` sets, in the encoding of a row's heap.
    ///
    /// - Returns: The gaps of the draft.
    package func appendCollection(
        _ draft: ObjectDraft, _ member: Int, targets: ResolvedReferences, to buffer: ByteBuffer
    ) -> DraftGaps {
        switch draft.fields[member].state {
        case .heap, .references, .children, .entries:
            appendHeap(draft, member, over: nil, targets, to: buffer)
        case .absent, .kept, .defaulted, .null, .inline, .reference, .child: break
        }
        return takeGaps()
    }

    /// Appends a text or collection that a draft sets.
    private func appendHeap(
        _ draft: ObjectDraft, _ member: Int, over stored: RowView?, _ targets: ResolvedReferences,
        to buffer: ByteBuffer
    ) {
        let field = draft.fields[member]
        let positions = field.start..<(field.start + field.count)
        switch field.state {
        case .references:
            let isSet = draft.rowClass.members[member].storage.shape == .set
            appendLinks(targets.keys[positions], isSet: isSet, to: buffer)
        case .children:
            appendRows(count: field.count, to: buffer) { index in
                let position = field.start + index
                append(
                    draft.children[position], over: nil, replacing: nil, keepsAbsent: false,
                    version: 0, targets: targets.children[position] ?? .none, to: buffer)
            }
        case .entries: appendEntries(draft, member, field, over: stored, targets, to: buffer)
        default: appendArena(draft, member, targets, to: buffer)
        }
    }

    /// The replacement of a stored value.
    package enum Replacement {
        /// The property's default.
        case defaultValue
        case null
        /// A value in the encoding of a row: of its slot, or of the heap.
        case bytes(UnsafeRawBufferPointer)
        /// The value in another row of the same class.
        case value(of: RowView)
    }

    /// Appends `stored` in the current layout with a new value in one property.
    ///
    /// - `replacement`: Its bytes must not lie in the buffer.
    package func append(
        _ stored: RowView, _ rowClass: RowClass, replacing replaced: Int,
        by replacement: Replacement, version: UInt64, to buffer: ByteBuffer
    ) {
        let referencesBefore = referenceCount
        let row = OpenRow(rowClass, version: version, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            guard member == replaced else {
                copy(rowClass.field(member, in: stored), to: member, row)
                continue
            }
            switch replacement {
            case .defaultValue: appendDefault(member, row)
            case .null: row.setNull(member)
            case .value(let other): copy(rowClass.field(member, in: other), to: member, row)
            case .bytes(let bytes) where compiled.storage.isInHeap:
                let offset = buffer.count
                buffer.append(bytes)
                if compiled.storage.element == .embedded {
                    countReferences(in: bytes, compiled.storage)
                }
                closeHeap(member, row, from: offset, over: stored)
            case .bytes(let bytes):
                guard let base = bytes.baseAddress else { continue }
                buffer.store(
                    bytes: base, byteCount: compiled.storage.slotByteCount, at: row.slot(member))
            }
        }
        row.finish(
            holdsOverflow: referenceCount != referencesBefore, hiding: rowClass.hidden(in: stored))
    }

    /// Appends a fill row: the values that older objects have for properties that were declared later. These are the declared
    /// default, ``now`` for `$now`, or the type's zero value.
    package func appendFill(_ rowClass: RowClass, to buffer: ByteBuffer) {
        let row = OpenRow(rowClass, version: 0, in: buffer)
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let property = rowClass.definition.properties[member]
            // An enum's first case is its zero value, since its values need not include zero.
            let isDeclared = property.defaultValue != nil && property.defaultValue != .user
            if isDeclared || property.cases != nil || compiled.isOptional {
                appendDefault(member, row)
            } else if compiled.storage == FieldStorage(.single, .decimal) {
                // Zero bytes would be a zero with the lowest exponent.
                store(.decimal(Decimal128(0)), at: member, row)
            } else if compiled.storage.isInHeap {
                let offset = buffer.count
                if compiled.storage.shape != .single { buffer.append(little: 0 as UInt64) }
                row.close(member, from: offset)
            }
        }
        row.finish(holdsOverflow: false)
    }

    // MARK: Parts of a row

    /// Copies a stored value unchanged.
    func copy(_ field: Field, to member: Int, _ row: OpenRow) {
        if field.isNull { return row.setNull(member) }
        let storage = row.rowClass.members[member].storage
        let offset = row.buffer.count
        if storage.isInHeap, field.isOutOfLine {
            row.buffer.append(field.heapOrReference)
            closeReference(member, row, from: offset)
        } else if storage.isInHeap {
            if storage.element == .embedded, field.isOfRowWithReferences {
                countReferences(in: field.heap, storage)
            }
            row.buffer.append(field.heap)
            row.close(member, from: offset)
        } else {
            row.buffer.store(
                bytes: field.slot, byteCount: storage.slotByteCount, at: row.slot(member))
        }
    }

    /// The user as a value of a property; nil without a user, or if no value of its type is their id.
    private func userValue(_ member: Int, _ rowClass: RowClass) -> Value? {
        user.flatMap { rowClass.definition.properties[member].scalar?.value(ofUser: $0) }
    }

    func appendDefault(_ member: Int, _ row: OpenRow) {
        if row.rowClass.members[member].storage.shape != .single {
            return store(.list([]), at: member, row)
        }
        switch row.rowClass.definition.properties[member].effectiveDefault {
        case .constant(let value): store(value, at: member, row)
        case .uuid: store(.uuid(.random()), at: member, row)
        case .objectID: store(.objectID(.generate()), at: member, row)
        case .now: store(.date(now), at: member, row)
        case .next: store(.int(number), at: member, row)
        // An effective default is not the user.
        case .user: row.setNull(member)
        }
    }

    /// Stores a plain value of the property's own type, null, or an empty collection.
    func store(_ value: Value, at member: Int, _ row: OpenRow) {
        if value == .null { return row.setNull(member) }
        let offset = row.buffer.count
        if row.rowClass.members[member].storage == FieldStorage(.single, .mixed) {
            MixedWriter(row.buffer).value(value)
        } else if let value = InlineValue(value) {
            return row.store(value.low, value.high, at: member)
        } else {
            switch value {
            case .string(let text): row.buffer.append(text)
            case .data(let bytes): row.buffer.append(bytes)
            default: row.buffer.append(little: 0 as UInt64)
            }
        }
        row.close(member, from: offset)
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

    /// Appends a list of `count` embedded objects, each written by a call of `append`.
    func appendRows(count: Int, to buffer: ByteBuffer, _ append: (Int) -> Void) {
        CollectionView.append(
            count: count, of: .embedded, isNull: { _ in false }, to: buffer, append)
    }
}

extension RowBuilder {
    /// Finishes a heap value that came from a client. A value that is too large is moved out of the row, unless it is an embedded
    /// object.
    ///
    /// - `replaced`: The row that this one replaces.
    func closeHeap(_ member: Int, _ row: OpenRow, from offset: Int, over replaced: RowView?) {
        let (rowClass, buffer) = (row.rowClass, row.buffer)
        let storage = rowClass.members[member].storage
        let most =
            storage.shape == .single ? limits.textByteCountMax : limits.collectionByteCountMax
        guard buffer.count - offset > most, let overflow, member != rowClass.primaryKeyIndex,
            storage != FieldStorage(.single, .embedded)
        else { return row.close(member, from: offset) }
        reference.removeAll()
        overflow.moveOut(
            UnsafeRawBufferPointer(rebasing: buffer.bytes[offset...]), storage,
            over: replaced.map { rowClass.field(member, in: $0) }, reference: reference)
        buffer.truncate(to: offset)
        buffer.append(reference.bytes)
        closeReference(member, row, from: offset)
    }

    func closeReference(_ member: Int, _ row: OpenRow, from offset: Int) {
        row.close(member, from: offset, flag: RowLayout.overflowFlag)
        referenceCount += 1
    }

    /// Counts the rows with references among embedded rows that are copied unchanged.
    func countReferences(in bytes: UnsafeRawBufferPointer, _ storage: FieldStorage) {
        if storage.shape == .single {
            if RowView(bytes)?.holdsOverflow ?? false { referenceCount += 1 }
            return
        }
        let rows = LeafView(bytes, storage).values
        for index in 0..<rows.count where RowView(rows.bytes(index))?.holdsOverflow ?? false {
            referenceCount += 1
        }
    }
}

/// The values that a draft lacks to be complete.
package struct DraftGaps {
    /// Whether the draft keeps a property's value but no object is stored.
    package internal(set) var hasNothingToKeep = false
    /// The required properties of new or replaced objects that the draft does not set.
    package internal(set) var unstated: [UnstatedMember] = []

    /// Makes gaps without entries.
    package init() {}

    package var isEmpty: Bool { !hasNothingToKeep && unstated.isEmpty }

    /// Removes required properties that need not be set because they have defaults.
    package mutating func forgive(_ isForgiven: (UnstatedMember) -> Bool) {
        unstated.removeAll(where: isForgiven)
    }
}

/// A required property that a draft does not set.
package struct UnstatedMember {
    /// The draft, or one of its embedded objects.
    package let draft: ObjectDraft
    /// The position of the property in its class.
    package let member: Int
}
