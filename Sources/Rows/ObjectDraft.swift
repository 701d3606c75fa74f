import HoldfastBytes
import HoldfastObjectModel

/// An object as a client states it, in the storage's own encodings but not stored yet.
///
/// A draft is made from JSON without looking at stored data, so any thread can make one; the writer
/// then resolves its links and merges it with what is stored. A draft is not changed by being written,
/// so a transaction can be run again. One thread at a time uses a draft. A ``DraftPool`` gives the
/// memory of drafts that are done with to others.
package final class ObjectDraft {
    /// The class of the object.
    package let rowClass: RowClass
    /// One statement per property of the class.
    private let statements: UnsafeMutablePointer<DraftField>
    private let fieldCount: Int
    /// The bytes of values in the heap and of primary keys.
    package let arena: ByteBuffer
    /// Links to other objects.
    package internal(set) var references: [DraftReference] = []
    /// Embedded objects, and objects to be written because a link names them in full.
    package private(set) var children: [ObjectDraft] = []
    /// The place of each of the ``children``; nil for an object that a link names.
    package internal(set) var places: [DraftPlace?] = []
    /// The entries of maps.
    package internal(set) var entries: [DraftEntry] = []
    /// Whether properties that an embedded child or nested object leaves out, and entries that a map
    /// leaves out, keep what is stored.
    package var isMerge: Bool
    /// Whether maps that are stated are whole, also where the draft merges.
    package var statesWholeMaps = false
    /// Whether it is the first part of an object whose links are stated by a draft that follows: see
    /// ``plainPart()``.
    var isPart = false

    /// Of a nested object whose class has no primary key: the object key of the one to change; nil makes
    /// a new one.
    package var objectKey: UInt64?

    /// Makes a draft that states nothing.
    package init(_ rowClass: RowClass, isMerge: Bool) {
        self.rowClass = rowClass
        self.isMerge = isMerge
        fieldCount = rowClass.members.count
        statements = .allocate(capacity: fieldCount)
        statements.initialize(repeating: DraftField(), count: fieldCount)
        arena = ByteBuffer(capacity: 192)
    }

    deinit { statements.deallocate() }

    /// The bytes of memory that a draft takes of which the client has stated nothing: an estimate.
    package static func byteCount(of rowClass: RowClass) -> Int {
        256 + rowClass.members.count * MemoryLayout<DraftField>.stride
    }

    /// One statement per property of the class, valid while the draft is not begun again.
    package var fields: UnsafeBufferPointer<DraftField> {
        UnsafeBufferPointer(start: statements, count: fieldCount)
    }

    /// Begins again as a draft that states nothing, in the memory that it has.
    func restart(isMerge: Bool) {
        self.isMerge = isMerge
        statesWholeMaps = false
        statements.initialize(repeating: DraftField(), count: fieldCount)
        arena.removeAll()
        references.removeAllInPlace()
        if !children.isEmpty {
            children.removeAll(keepingCapacity: true)
            places.removeAll(keepingCapacity: true)
        }
        if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
        objectKey = nil
        isPart = false
    }

    /// The most bytes of values, references and children that the draft has held at once, for its pool.
    var heldByteCount: Int {
        arena.roomByteCount + references.capacity * MemoryLayout<DraftReference>.stride
            + children.capacity * MemoryLayout<ObjectDraft>.stride
            + places.capacity * MemoryLayout<DraftPlace?>.stride
            + entries.capacity * MemoryLayout<DraftEntry>.stride
    }

    /// States null.
    package func setNull(_ member: Int) { self[member].state = .null }

    /// Takes back what was said of a property.
    package func clear(_ member: Int) { self[member] = DraftField() }

    private subscript(_ member: Int) -> DraftField {
        get {
            precondition(member >= 0 && member < fieldCount)
            return statements[member]
        }
        _modify {
            precondition(member >= 0 && member < fieldCount)
            yield &statements[member]
        }
    }

    func set(_ member: Int, _ state: DraftField.State, start: Int, count: Int) {
        self[member] = DraftField(state, start: start, count: count)
    }

    /// States that a property keeps what is stored, also where the draft replaces the object.
    package func keep(_ member: Int) { self[member] = DraftField(.kept, low: 0, high: 0) }

    /// States that a property gets its default, also if the draft changes an object.
    package func reset(_ member: Int) {
        self[member] = DraftField(.defaulted, low: 0, high: 0)
    }

    /// Sets a property to a value that was stated of it earlier.
    package func set(_ member: Int, _ field: DraftField) { self[member] = field }

    /// States a plain value of fixed width.
    package func set(_ member: Int, inline value: InlineValue) {
        self[member] = DraftField(.inline, low: value.low, high: value.high)
    }

    /// States a string or data value.
    package func set(_ member: Int, text: UnsafeRawBufferPointer) {
        set(member, .heap, start: arena.count, count: text.count)
        arena.append(text)
    }

    /// States a plain value of the property's own type, or null.
    ///
    /// - Returns: False, with nothing stated, when the value doesn't fit the property.
    package func set(_ member: Int, value: Value) -> Bool {
        let compiled = rowClass.members[member]
        guard compiled.storage.shape == .single else { return false }
        switch (value, compiled.storage.element) {
        case (.null, _):
            guard compiled.isOptional else { return false }
            setNull(member)
        case (_, .mixed):
            guard value.fitsMixed else { return false }
            let bytes = ByteBuffer(capacity: 64)
            MixedWriter(bytes).value(value)
            set(member, mixed: MixedView(bytes.bytes), from: references.count)
        case (.string(var value), .string):
            value.withUTF8 { set(member, text: UnsafeRawBufferPointer($0)) }
        case (.data(let value), .data): value.withUnsafeBytes { set(member, text: $0) }
        default:
            guard let inline = InlineValue(value), inline.element == compiled.storage.element,
                compiled.holds(inline)
            else { return false }
            set(member, inline: inline)
        }
        return true
    }

    /// States a collection of scalars, encoded as a ``CollectionView`` reads it.
    package func set(_ member: Int, collection: ScalarCollectionBuilder) {
        let start = arena.count
        let storage = rowClass.members[member].storage
        // Which links are the same is known only when they are resolved: the row builder sorts these.
        collection.write(to: arena, isSet: storage.shape == .set && storage.element != .mixed)
        set(member, .heap, start: start, count: arena.count - start)
    }

    /// Adds a link's target by primary key; ``setReference(_:)`` or ``setReferences(_:from:)`` follows,
    /// or the `mixed` value that the link stands in.
    ///
    /// - `mixed`: The position of the link in a `mixed` value.
    /// - `encode`: Appends the target's ``OrderedKey``.
    package func addReference(
        _ member: Int, element: Int?, mixed: MixedLinkPosition? = nil, encode: (ByteBuffer) -> Void
    ) {
        let start = arena.count
        encode(arena)
        add(member, element, mixed, .primaryKey(start: start, count: arena.count - start))
    }

    /// Adds a link's target by object key.
    package func addReference(
        _ member: Int, element: Int?, mixed: MixedLinkPosition? = nil, objectKey: UInt64
    ) {
        add(member, element, mixed, .objectKey(objectKey))
    }

    /// Adds a link's target by the number that it has among the named objects of the transaction.
    package func addReference(
        _ member: Int, element: Int?, mixed: MixedLinkPosition? = nil, named number: Int
    ) {
        add(member, element, mixed, .named(number))
    }

    /// Adds a link's target that is written in the same transaction.
    package func addReference(_ member: Int, element: Int?, child: ObjectDraft) {
        add(member, element, nil, .child(children.count))
        add(child, at: nil)
    }

    private func add(
        _ member: Int, _ element: Int?, _ mixed: MixedLinkPosition?, _ target: DraftReference.Target
    ) {
        references.append(
            DraftReference(
                member: member, element: element,
                classIndex: mixed?.classIndex ?? rowClass.members[member].classIndex,
                mixedOffset: mixed?.offset, target: target))
    }

    /// States the to-one link whose target was added last.
    package func setReference(_ member: Int) {
        set(member, .reference, start: references.count - 1, count: 1)
    }

    /// States the collection of links whose targets were added since there were `start` references.
    package func setReferences(_ member: Int, from start: Int) {
        set(member, .references, start: start, count: references.count - start)
    }

    /// States a single embedded object.
    package func set(_ member: Int, child: ObjectDraft) {
        set(member, .child, start: children.count, count: 1)
        add(child, at: DraftPlace(member: member))
    }

    /// States a list of embedded objects.
    package func set(_ member: Int, children list: [ObjectDraft]) {
        set(member, .children, start: children.count, count: list.count)
        for (element, child) in list.enumerated() {
            add(child, at: DraftPlace(member: member, element: element))
        }
    }

    func add(_ child: ObjectDraft, at place: DraftPlace?) {
        children.append(child)
        places.append(place)
    }

    /// Returns the arena's bytes of a heap field or reference.
    package func arenaBytes(start: Int, count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena.bytes[start..<(start + count)])
    }

    /// Returns the bytes of a value of fixed width that is stated, as they lie in a slot; valid until something else is stated
    /// of the property.
    package func inlineBytes(_ member: Int) -> UnsafeRawBufferPointer {
        precondition(member >= 0 && member < fieldCount && statements[member].state == .inline)
        let start = MemoryLayout<DraftField>.offset(of: \.low) ?? 0
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(statements + member) + start,
            count: rowClass.members[member].storage.slotByteCount)
    }

    /// Whether the statement of a single plain property is null, nothing, or a value of its enum.
    ///
    /// - `scratch`: Is overwritten.
    package func isCase(_ member: Int, scratch: ByteBuffer) -> Bool {
        guard let cases = rowClass.cases[member] else { return true }
        let field = fields[member]
        let element = rowClass.members[member].storage.element
        switch field.state {
        case .heap:
            return cases.holds(
                arenaBytes(start: field.start, count: field.count), element, scratch: scratch)
        case .inline:
            return cases.holds(inlineBytes(member), element, scratch: scratch)
        case .absent, .kept, .defaulted, .null, .reference, .references, .child, .children,
            .entries:
            return true
        }
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
            OrderedKey.append(
                InlineValue(
                    rowClass.members[member].storage.element, low: field.low, high: field.high),
                to: buffer)
        default: return false
        }
        return true
    }

    /// The stated primary key; nil when the draft does not state one or its class has none.
    package var primaryKey: Value? {
        guard let member = rowClass.primaryKeyIndex else { return nil }
        let field = fields[member]
        switch field.state {
        case .null: return .null
        case .heap:
            return .string(
                String(decoding: arenaBytes(start: field.start, count: field.count), as: UTF8.self))
        case .inline:
            let element = rowClass.members[member].storage.element
            return InlineValue(element, low: field.low, high: field.high).value
        default: return nil
        }
    }

    /// Whether writing the draft writes other objects: a link in it, or in an embedded object of it, names
    /// its target in full.
    package var writesObjects: Bool {
        for reference in references {
            if case .child = reference.target { return true }
        }
        return children.contains { $0.writesObjects }
    }

    /// Makes a draft that states of the same object only what leads to no other: single values and lists
    /// and sets of values. Links, embedded objects, nested ones and maps are left out.
    package func plainPart() -> ObjectDraft {
        let plain = ObjectDraft(rowClass, isMerge: isMerge)
        plain.isPart = true
        plain.arena.append(arena.bytes)
        for (member, field) in fields.enumerated() {
            switch field.state {
            case .null, .inline, .heap: plain[member] = field
            case .absent, .kept, .defaulted, .reference, .references, .child, .children, .entries:
                break
            }
        }
        return plain
    }
}
