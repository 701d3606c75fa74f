import HoldfastBytes
import HoldfastObjectModel

/// An object sent by a client, in the encodings of the storage but not yet stored.
///
/// A draft is made from JSON without reading stored data, so any thread can make one. The writer then resolves its links and
/// merges it with the stored object. Writing does not change the draft, so a transaction can run again. One thread at a time uses
/// a draft. A ``DraftPool`` reuses the memory of drafts that are no longer needed.
package final class ObjectDraft {
    package let rowClass: RowClass
    /// One statement for each property of the class.
    private let statements: UnsafeMutablePointer<DraftField>
    private let fieldCount: Int
    /// The bytes of heap values and of primary keys.
    package let arena: ByteBuffer
    /// The links to other objects.
    package internal(set) var references: [DraftReference] = []
    /// The embedded objects, and the objects to be written because a link contains them in full.
    package private(set) var children: [ObjectDraft] = []
    /// The position of each of the ``children``; nil for an object that a link contains.
    package internal(set) var places: [DraftPlace?] = []
    package internal(set) var entries: [DraftEntry] = []
    /// Whether stored values are kept if an embedded child or nested object omits a property, or a map omits an entry.
    package var isMerge: Bool
    /// Whether maps replace the stored maps completely, even if the draft merges.
    package var statesWholeMaps = false
    /// Whether the draft is the first part of an object and a second draft with its links follows: see ``plainPart()``.
    var isPart = false

    /// The object key of the object to change, for a nested object whose class has no primary key; nil makes a new object.
    package var objectKey: UInt64?

    package init(_ rowClass: RowClass, isMerge: Bool) {
        self.rowClass = rowClass
        self.isMerge = isMerge
        fieldCount = rowClass.members.count
        statements = .allocate(capacity: fieldCount)
        statements.initialize(repeating: DraftField(), count: fieldCount)
        arena = ByteBuffer(capacity: 192)
    }

    deinit { statements.deallocate() }

    /// The estimated memory of an empty draft, in bytes.
    package static func byteCount(of rowClass: RowClass) -> Int {
        256 + rowClass.members.count * MemoryLayout<DraftField>.stride
    }

    /// One statement for each property of the class. Valid until ``restart(isMerge:)``.
    package var fields: UnsafeBufferPointer<DraftField> {
        UnsafeBufferPointer(start: statements, count: fieldCount)
    }

    /// Empties the draft and keeps its memory.
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

    /// The most bytes of values, references and children that the draft has held at once. Its pool reads it.
    var heldByteCount: Int {
        arena.roomByteCount + references.capacity * MemoryLayout<DraftReference>.stride
            + children.capacity * MemoryLayout<ObjectDraft>.stride
            + places.capacity * MemoryLayout<DraftPlace?>.stride
            + entries.capacity * MemoryLayout<DraftEntry>.stride
    }

    package func setNull(_ member: Int) { self[member].state = .null }

    /// Removes the statement about a property.
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

    /// Makes a property keep its stored value, even if the draft replaces the object.
    package func keep(_ member: Int) { self[member] = DraftField(.kept, low: 0, high: 0) }

    /// Makes a property take its default, even if the draft changes an object.
    package func reset(_ member: Int) { self[member] = DraftField(.defaulted, low: 0, high: 0) }

    /// Sets a property to an earlier statement.
    package func set(_ member: Int, _ field: DraftField) { self[member] = field }

    /// Sets a plain value of fixed width.
    package func set(_ member: Int, inline value: InlineValue) {
        self[member] = DraftField(.inline, low: value.low, high: value.high)
    }

    /// Sets a string or data value.
    package func set(_ member: Int, text: UnsafeRawBufferPointer) {
        set(member, .heap, start: arena.count, count: text.count)
        arena.append(text)
    }

    /// Sets a plain value of the property's own type, or null.
    ///
    /// - Returns: False, without any change, if the value does not fit the property.
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

    /// Sets a collection of scalars, encoded for ``CollectionView``.
    package func set(_ member: Int, collection: ScalarCollectionBuilder) {
        let start = arena.count
        let storage = rowClass.members[member].storage
        // Equal links are known only after they are resolved, so the row builder sorts these.
        collection.write(to: arena, isSet: storage.shape == .set && storage.element != .mixed)
        set(member, .heap, start: start, count: arena.count - start)
    }

    /// Adds a link's target by primary key. Call ``setReference(_:)`` or ``setReferences(_:from:)`` next, or set the `mixed`
    /// value that contains the link.
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

    /// Adds a link's target by its number among the named objects of the transaction.
    package func addReference(
        _ member: Int, element: Int?, mixed: MixedLinkPosition? = nil, named number: Int
    ) {
        add(member, element, mixed, .named(number))
    }

    /// Adds a link to an object that the same transaction writes.
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

    /// Sets the to-one link to the target added last.
    package func setReference(_ member: Int) {
        set(member, .reference, start: references.count - 1, count: 1)
    }

    /// Sets the collection of links to the targets added since there were `start` references.
    package func setReferences(_ member: Int, from start: Int) {
        set(member, .references, start: start, count: references.count - start)
    }

    /// Sets a single embedded object.
    package func set(_ member: Int, child: ObjectDraft) {
        set(member, .child, start: children.count, count: 1)
        add(child, at: DraftPlace(member: member))
    }

    /// Sets a list of embedded objects.
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

    /// Returns the slot bytes of a fixed-width value that is set. Valid until the property's statement changes.
    package func inlineBytes(_ member: Int) -> UnsafeRawBufferPointer {
        precondition(member >= 0 && member < fieldCount && statements[member].state == .inline)
        let start = MemoryLayout<DraftField>.offset(of: \.low) ?? 0
        return UnsafeRawBufferPointer(
            start: UnsafeRawPointer(statements + member) + start,
            count: rowClass.members[member].storage.slotByteCount)
    }

    /// Whether a single plain property is unset, null, or set to a value of its enum.
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
        case .inline: return cases.holds(inlineBytes(member), element, scratch: scratch)
        case .absent, .kept, .defaulted, .null, .reference, .references, .child, .children,
            .entries:
            return true
        }
    }

    /// Appends the ``OrderedKey`` of the draft's primary key.
    ///
    /// - Returns: False if the draft does not set one.
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

    /// The draft's primary key; nil if it does not set one or its class has none.
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

    /// Whether writing the draft also writes other objects: a link in it, or in one of its embedded objects, contains its target
    /// in full.
    package var writesObjects: Bool {
        for reference in references {
            if case .child = reference.target { return true }
        }
        return children.contains { $0.writesObjects }
    }

    /// Makes a draft of the same object with only its single values, lists and sets of values. It omits links, embedded objects,
    /// nested objects and maps.
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
