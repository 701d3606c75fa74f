import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

/// The catalog's record; see ``RecordCoder`` for its numbers, texts and lists.
///
///     revision 8, schema version 8 (all ones: none), next class number 4, next property number 4,
///     classes: name, kind (0 object, 1 embedded, 2 asymmetric; 64: spaces follow the number; 128: unique
///       groups follow the properties), number 4, spaces of rows and of primary keys 4 each, primary key
///       (empty: none),
///       properties: name, number 4, flags 1 (1 optional, 2 indexed, 4 enum, 8 unique, 16 mapTo, 32 rule
///           for deletion, 64 search index, 128 required), type, default, of an enum its values: count 4, values; the
///           name that it is mapped to; the rule 1 (1 cascade, 2 deny); of the search index its kind 1
///           (1 full text, 2 places), its number 4
///         type: shape 1 (0 single, 1 list, 2 set, 3 inverse, 4 map), then 0 and a scalar's code, or 1 and a
///           class's name, or for inverse links a class's and a property's name
///         default: 0 none, 1 and a value, 2 uuid, 3 objectId, 4 now, 5 next
///         value: a scalar's code (0 null, 255 an empty collection) and the bytes of an inline value, or
///           a block; of `mixed` also 254 and a list's values, 253 and a map's keys and values
///       unique groups: number 4, properties: number 4
///       layouts: number 4, fixed byte count 4, slots (property 4, shape 1, element 1, offset 4), fill row
///     projections: name, class, properties: name, path (names with dots between them), projection (empty: none); no
///       projections when the record ends here
extension Catalog {
    func append(to buffer: ByteBuffer) {
        var coder = RecordCoder(to: buffer)
        var (revision, version) = (schema.revision, schema.schemaVersion ?? .max)
        var (nextClass, nextProperty) = (nextClassNumber, nextPropertyNumber)
        var (classes, projections) = (storedClasses, projections)
        coder.code(&revision, &version, &nextClass, &nextProperty, &classes, &projections)
    }

    /// Reads a stored catalog; nil when it is damaged, so that every other part can rely on it.
    convenience init?(_ bytes: UnsafeRawBufferPointer) {
        var coder = RecordCoder(bytes)
        var (revision, version) = (UInt64(0), UInt64.max)
        var (nextClass, nextProperty) = (UInt32(0), UInt32(0))
        var (classes, projections): ([StoredClass], [Projection]) = ([], [])
        coder.code(&revision, &version, &nextClass, &nextProperty, &classes, &projections)
        guard !coder.isDamaged, coder.isAtEnd, Self.isSound(classes, projections) else {
            return nil
        }
        self.init(
            revision: revision, schemaVersion: version == .max ? nil : version, classes: classes,
            projections: projections, nextClass: nextClass, nextProperty: nextProperty)
    }

    /// Whether the schema is one that was accepted, and rows of every layout can be read and written.
    private static func isSound(_ classes: [StoredClass], _ projections: [Projection]) -> Bool {
        let schema = Schema(classes: classes.map(\.definition))
        var kinds = [ExactText: ObjectClass.Kind](minimumCapacity: classes.count)
        for objectClass in schema.classes { kinds[objectClass.name] = objectClass.kind }
        return schema.faults().isEmpty && Projection.faults(of: projections, in: schema).isEmpty
            && classes.allSatisfy { stored in
                guard RowClass.areInOrder(stored.layouts), let newest = stored.layouts.last,
                    stored.layouts.allSatisfy({ isSound($0) })
                else { return false }
                var next = 0
                return zip(stored.definition.properties, stored.propertyNumbers).allSatisfy {
                    let storage = storage(of: $0) { kinds[$0] }
                    if storage.shape == .none { return true }
                    guard let slot = newest.slot(of: $1, next: next) else { return false }
                    next = slot + 1
                    return newest.slots[slot].storage == storage
                }
            }
    }

    private static func isSound(_ layout: RowLayout) -> Bool {
        let first = RowLayout.headerByteCount + (layout.slots.count + 7) / 8
        return layout.fixedByteCount >= first
            && layout.slots.allSatisfy {
                $0.offset >= first && $0.offset + $0.storage.slotByteCount <= layout.fixedByteCount
            } && layout.fillRow.count >= layout.fixedByteCount
            && layout.fillRow.withUnsafeBytes { RowView($0) != nil }
    }
}

extension RecordCoder {
    /// In a class's kind: spaces follow its number, unique groups its properties.
    private static var spacesFlag: UInt8 { 64 }
    private static var groupsFlag: UInt8 { 128 }

    fileprivate mutating func code(
        _ revision: inout UInt64, _ version: inout UInt64, _ nextClass: inout UInt32,
        _ nextProperty: inout UInt32, _ classes: inout [Catalog.StoredClass],
        _ projections: inout [Projection]
    ) {
        code(&revision)
        code(&version)
        code(&nextClass)
        code(&nextProperty)
        let empty = Catalog.StoredClass(
            definition: ObjectClass(name: "", properties: []), number: 0, propertyNumbers: [],
            layouts: [])
        code(&classes, of: empty) { $0.code(&$1) }
        if isReading ? isAtEnd : projections.isEmpty { return }
        code(&projections, of: Projection(name: "", className: "", properties: [])) { $0.code(&$1) }
        // An empty list would not be written, so that equal catalogs have equal records.
        if projections.isEmpty { fail() }
    }

    private mutating func code(_ stored: inout Catalog.StoredClass) {
        let kinds: [ObjectClass.Kind] = [.object, .embedded, .asymmetric]
        code(&stored.definition.name)
        var kind = UInt8(kinds.firstIndex(of: stored.definition.kind) ?? 0)
        if stored.spaces != nil { kind |= Self.spacesFlag }
        if !stored.definition.uniqueGroups.isEmpty { kind |= Self.groupsFlag }
        code(&kind)
        code(&stored.number)
        if kind & Self.spacesFlag != 0 {
            var spaces = stored.spaces ?? Catalog.StoredClass.Spaces(rows: 0, keys: 0)
            code(&spaces.rows)
            code(&spaces.keys)
            stored.spaces = spaces
        }
        let position = Int(kind & ~(Self.spacesFlag | Self.groupsFlag))
        guard kinds.indices.contains(position) else { return fail() }
        stored.definition.kind = kinds[position]
        code(optional: &stored.definition.primaryKey)
        var properties = stored.definition.properties.enumerated().map { member, property in
            StoredProperty(
                definition: property, number: stored.propertyNumbers[member],
                searchNumber: stored.searchNumbers[member] ?? 0)
        }
        code(&properties, of: StoredProperty()) { $0.code(&$1) }
        if isDamaged { return }
        if isReading {
            stored.definition.properties = properties.map(\.definition)
            stored.propertyNumbers = properties.map(\.number)
            for (member, property) in properties.enumerated()
            where property.definition.searchIndex != nil {
                stored.searchNumbers[member] = property.searchNumber
            }
        }
        if kind & Self.groupsFlag != 0 { codeGroups(&stored) }
        let empty = RowLayout(number: 0, slots: [], fixedByteCount: 0, fillRow: [])
        code(&stored.layouts, of: empty) { $0.code(&$1) }
        if stored.layouts.isEmpty { fail() }
    }

    /// Writes or reads the unique groups of a class after its properties.
    private mutating func codeGroups(_ stored: inout Catalog.StoredClass) {
        let (definition, propertyNumbers) = (stored.definition, stored.propertyNumbers)
        var groups = zip(definition.uniqueGroups, stored.groupNumbers).map { names, number in
            (
                number: number,
                members: names.compactMap { definition.propertyIndex(named: $0) }
                    .map { propertyNumbers[$0] }
            )
        }
        code(&groups, of: (0, []), countMax: ModelLimits.uniqueGroupCountMax) { coder, group in
            coder.code(&group.number)
            coder.code(&group.members, of: 0, countMax: ModelLimits.uniqueGroupPropertyCountMax) {
                $0.code(&$1)
                if !propertyNumbers.contains($1) { $0.fail() }
            }
        }
        if isDamaged || !isReading { return }
        stored.groupNumbers = groups.map(\.number)
        stored.definition.uniqueGroups = groups.map { group in
            group.members.compactMap { propertyNumbers.firstIndex(of: $0) }
                .map { definition.properties[$0].name }
        }
    }

    private mutating func code(_ layout: inout RowLayout) {
        var byteCount = UInt32(layout.fixedByteCount)
        code(&layout.number)
        code(&byteCount)
        layout.fixedByteCount = Int(byteCount)
        let empty = RowLayout.Slot(
            propertyNumber: 0, storage: FieldStorage(.single, .int), offset: 0)
        code(&layout.slots, of: empty) { coder, slot in
            var offset = UInt32(slot.offset)
            coder.code(&slot.propertyNumber)
            coder.code(&slot.storage.shape)
            coder.code(&slot.storage.element)
            coder.code(&offset)
            slot.offset = Int(offset)
            if offset >= byteCount { coder.fail() }
        }
        code(&layout.fillRow)
    }

    private mutating func code(_ projection: inout Projection) {
        code(&projection.name)
        code(&projection.className)
        let empty = Projection.Property(name: "", path: [], projection: nil)
        code(&projection.properties, of: empty) { coder, property in
            coder.code(&property.name)
            var path = property.pathText
            coder.code(&path)
            property.path = path.split(separator: ".", omittingEmptySubsequences: false)
                .map(String.init)
            coder.code(optional: &property.projection)
        }
    }

    /// Writes or reads a text; an empty one stands for nil.
    private mutating func code(optional text: inout String?) {
        var stated = text ?? ""
        code(&stated)
        text = stated.isEmpty ? nil : stated
    }
}
