import Bytes
import ObjectModel

/// What a client says of one object, in the storage's own encodings but without a place in the store.
///
/// A draft is made from JSON without looking at stored data, so any thread can make one; the writer
/// then resolves its links and merges it with what is stored. A draft is not changed by being written,
/// so a transaction can be run again. One thread at a time uses a draft.
package final class ObjectDraft {
    /// The class of the object.
    package let rowClass: RowClass
    /// One statement per property of the class.
    package private(set) var fields: [DraftField]
    /// The bytes of values in the heap and of primary keys.
    package let arena: ByteBuffer
    /// Links to other objects.
    package private(set) var references: [DraftReference] = []
    /// Embedded objects, and objects to be written because a link names them in full.
    package private(set) var children: [ObjectDraft] = []
    /// Whether properties that an embedded child or nested object leaves out keep what is stored.
    package var isMerge: Bool

    /// Of a nested object whose class has no primary key: the object key of the one to change; nil makes
    /// a new one.
    package var objectKey: UInt64?

    /// Makes a draft that states nothing.
    package init(_ rowClass: RowClass, isMerge: Bool) {
        self.rowClass = rowClass
        self.isMerge = isMerge
        fields = Array(repeating: DraftField(), count: rowClass.members.count)
        arena = ByteBuffer(capacity: 192)
    }

    /// States null.
    package func setNull(_ member: Int) { fields[member].state = .null }

    /// Takes back what was said of a property.
    package func clear(_ member: Int) { fields[member] = DraftField() }

    private func setInline(_ member: Int, low: UInt64, high: UInt64 = 0) {
        fields[member].state = .inline
        fields[member].low = low
        fields[member].high = high
    }

    /// States a bool.
    package func set(_ member: Int, bool: Bool) { setInline(member, low: bool ? 1 : 0) }
    /// States an int.
    package func set(_ member: Int, int: Int64) { setInline(member, low: UInt64(bitPattern: int)) }
    /// States a double; every NaN becomes the one quiet NaN.
    package func set(_ member: Int, double: Double) {
        setInline(member, low: (double.isNaN ? Double.nan : double).bitPattern)
    }
    /// States a date.
    package func set(_ member: Int, date: Timestamp) {
        setInline(
            member, low: UInt64(bitPattern: date.seconds),
            high: UInt64(UInt32(bitPattern: date.nanoseconds)))
    }
    /// States an object identifier.
    package func set(_ member: Int, objectID: ObjectID) {
        setInline(member, low: objectID.high.bigEndian, high: UInt64(objectID.low.bigEndian))
    }
    /// States a UUID.
    package func set(_ member: Int, uuid: UUID128) {
        setInline(member, low: uuid.high.bigEndian, high: uuid.low.bigEndian)
    }
    /// States a string or data value.
    package func set(_ member: Int, text: UnsafeRawBufferPointer) {
        fields[member].state = .heap
        fields[member].start = arena.count
        fields[member].count = text.count
        arena.append(text)
    }

    /// States a plain value of the property's own type, or null.
    ///
    /// - Returns: False, with nothing stated, when the value doesn't fit the property.
    package func set(_ member: Int, value: Value) -> Bool {
        let storage = rowClass.members[member].storage
        switch (value, storage.shape, storage.element) {
        case (.null, .single, _):
            guard rowClass.members[member].isOptional else { return false }
            setNull(member)
        case (.bool(let value), .single, .bool): set(member, bool: value)
        case (.int(let value), .single, .int): set(member, int: value)
        case (.double(let value), .single, .double): set(member, double: value)
        case (.string(var value), .single, .string):
            value.withUTF8 { set(member, text: UnsafeRawBufferPointer($0)) }
        case (.data(let value), .single, .data): value.withUnsafeBytes { set(member, text: $0) }
        case (.date(let value), .single, .date): set(member, date: value)
        case (.objectID(let value), .single, .objectID): set(member, objectID: value)
        case (.uuid(let value), .single, .uuid): set(member, uuid: value)
        default: return false
        }
        return true
    }

    /// States a collection of scalars, encoded as a ``CollectionView`` reads it.
    package func set(_ member: Int, collection: ScalarCollectionBuilder) {
        fields[member].state = .heap
        fields[member].start = arena.count
        collection.write(to: arena, isSet: rowClass.members[member].storage.shape == .set)
        fields[member].count = arena.count - fields[member].start
    }

    /// Adds a link's target by primary key; ``setReference(_:)`` or ``setReferences(_:from:)`` follows.
    ///
    /// - `encode`: Appends the target's ``OrderedKey``.
    package func addReference(
        _ member: Int, element: Int?, encode: (ByteBuffer) -> Void
    ) {
        let start = arena.count
        encode(arena)
        references.append(
            DraftReference(
                member: member, element: element,
                target: .primaryKey(start: start, count: arena.count - start)))
    }

    /// Adds a link's target by object key.
    package func addReference(_ member: Int, element: Int?, objectKey: UInt64) {
        references.append(
            DraftReference(member: member, element: element, target: .objectKey(objectKey)))
    }

    /// Adds a link's target that is written in the same transaction.
    package func addReference(_ member: Int, element: Int?, child: ObjectDraft) {
        references.append(
            DraftReference(member: member, element: element, target: .child(children.count)))
        children.append(child)
    }

    /// States the to-one link whose target was added last.
    package func setReference(_ member: Int) {
        fields[member].state = .reference
        fields[member].start = references.count - 1
        fields[member].count = 1
    }

    /// States the collection of links whose targets were added since there were `start` references.
    package func setReferences(_ member: Int, from start: Int) {
        fields[member].state = .references
        fields[member].start = start
        fields[member].count = references.count - start
    }

    /// States a single embedded object.
    package func set(_ member: Int, child: ObjectDraft) {
        fields[member].state = .child
        fields[member].start = children.count
        fields[member].count = 1
        children.append(child)
    }

    /// States a list of embedded objects.
    package func set(_ member: Int, children list: [ObjectDraft]) {
        fields[member].state = .children
        fields[member].start = children.count
        fields[member].count = list.count
        children.append(contentsOf: list)
    }

    /// The arena's bytes of a heap field or reference.
    package func arenaBytes(start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena.bytes[start..<(start + count)])
    }

    /// Appends the ``OrderedKey`` of the stated primary key.
    ///
    /// - Returns: False when the draft does not state one.
    package func appendPrimaryKey(to buffer: ByteBuffer) -> Bool {
        guard let member = rowClass.primaryKeyIndex else { return false }
        let field = fields[member]
        switch field.state {
        case .null: OrderedKey.appendNull(to: buffer)
        case .heap:
            OrderedKey.append(text: arenaBytes(start: field.start, count: field.count), to: buffer)
        case .inline:
            withUnsafeBytes(of: (field.low, field.high)) { bytes in
                OrderedKey.append(
                    stored: bytes.prefixBuffer(rowClass.members[member].storage.slotByteCount),
                    element: rowClass.members[member].storage.element, to: buffer)
            }
        default: return false
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    /// The first `count` bytes.
    func prefixBuffer(_ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: self[0..<count])
    }
}
