import Bytes
import ObjectModel
import Rows

/// The catalog's record. Numbers are little-endian; text and blocks have a byte count of four bytes
/// before them; lists have a count of four bytes.
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
///     projections, see ``appendProjections(to:)``; none when the record ends here
extension Catalog {
    /// In a class's kind.
    private static let spacesFlag: UInt8 = 64

    func append(to buffer: ByteBuffer) {
        buffer.append(little: schema.revision)
        buffer.append(little: schema.schemaVersion ?? .max)
        buffer.append(little: nextClassNumber)
        buffer.append(little: nextPropertyNumber)
        buffer.append(little: UInt32(rows.classes.count))
        for stored in storedClasses {
            let definition = stored.definition
            buffer.append(block: definition.name)
            buffer.append(
                Self.code(of: definition.kind) | (stored.spaces == nil ? 0 : Self.spacesFlag)
                    | (definition.uniqueGroups.isEmpty ? 0 : Self.groupsFlag))
            buffer.append(little: stored.number)
            if let spaces = stored.spaces {
                buffer.append(little: spaces.rows)
                buffer.append(little: spaces.keys)
            }
            buffer.append(block: definition.primaryKey ?? "")
            buffer.append(little: UInt32(definition.properties.count))
            for (member, property) in definition.properties.enumerated() {
                Self.append(property, stored.propertyNumbers[member], to: buffer)
                if let index = property.searchIndex {
                    buffer.append(index.rawValue)
                    buffer.append(little: stored.searchNumbers[member] ?? 0)
                }
            }
            Self.appendUniqueGroups(of: stored, to: buffer)
            buffer.append(little: UInt32(stored.layouts.count))
            for layout in stored.layouts { Self.append(layout, to: buffer) }
        }
        appendProjections(to: buffer)
    }

    /// Reads a stored catalog; nil when it is damaged, so that every other part can rely on it.
    convenience init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let revision = reader.read(UInt64.self), let version = reader.read(UInt64.self),
            let nextClass = reader.read(UInt32.self), let nextProperty = reader.read(UInt32.self),
            let count = reader.read(UInt32.self)
        else { return nil }
        var classes: [StoredClass] = []
        for _ in 0..<count {
            guard let stored = Self.readClass(&reader) else { return nil }
            classes.append(stored)
        }
        guard let projections = Self.readProjections(&reader), reader.isAtEnd,
            Self.isSound(classes, projections)
        else { return nil }
        self.init(
            revision: revision, schemaVersion: version == .max ? nil : version, classes: classes,
            projections: projections, nextClass: nextClass, nextProperty: nextProperty)
    }

    /// Whether the schema is one that was accepted, and rows of every layout can be read and written.
    private static func isSound(_ classes: [StoredClass], _ projections: [Projection]) -> Bool {
        let schema = Schema(classes: classes.map(\.definition))
        return schema.faults().isEmpty && Projection.faults(of: projections, in: schema).isEmpty
            && classes.allSatisfy { stored in
                guard RowClass.areInOrder(stored.layouts), let newest = stored.layouts.last,
                    stored.layouts.allSatisfy({ isSound($0) })
                else { return false }
                let slots = Dictionary(
                    newest.slots.map { ($0.propertyNumber, $0.storage) },
                    uniquingKeysWith: { first, _ in first })
                return zip(stored.definition.properties, stored.propertyNumbers).allSatisfy {
                    let storage = storage(of: $0, in: schema)
                    return storage.shape == .none || slots[$1] == storage
                }
            }
    }

    private static func isSound(_ layout: RowLayout) -> Bool {
        let first = RowLayout.headerByteCount + (layout.slots.count + 7) / 8
        return layout.fixedByteCount >= first
            && layout.slots.allSatisfy {
                $0.offset >= first
                    && $0.offset + $0.storage.slotByteCount <= layout.fixedByteCount
            }
            && layout.fillRow.count >= layout.fixedByteCount
            && layout.fillRow.withUnsafeBytes { RowView($0) != nil }
    }

    // MARK: Parts

    private static func append(_ property: Property, _ number: UInt32, to buffer: ByteBuffer) {
        buffer.append(block: property.name)
        buffer.append(little: number)
        buffer.append(
            (property.isOptional ? 1 : 0) | (property.isIndexed ? 2 : 0)
                | (property.cases != nil ? 4 : 0) | (property.isUnique ? 8 : 0)
                | (property.mapTo != nil ? 16 : 0)
                | (property.onDelete != .nullify ? 32 : 0)
                | (property.searchIndex != nil ? 64 : 0)
                | (property.isRequired ? 128 : 0) as UInt8)
        func appendElement(_ element: ElementType) {
            switch element {
            case .scalar(let scalar):
                buffer.append(0 as UInt8)
                buffer.append(scalar.rawValue)
            case .object(let name):
                buffer.append(1 as UInt8)
                buffer.append(block: name)
            }
        }
        switch property.type {
        case .single(let element):
            buffer.append(0 as UInt8)
            appendElement(element)
        case .list(let element):
            buffer.append(1 as UInt8)
            appendElement(element)
        case .set(let element):
            buffer.append(2 as UInt8)
            appendElement(element)
        case .linkingObjects(let className, let origin):
            buffer.append(3 as UInt8)
            buffer.append(block: className)
            buffer.append(block: origin)
        case .map(let element):
            buffer.append(4 as UInt8)
            appendElement(element)
        }
        switch property.defaultValue {
        case nil: buffer.append(0 as UInt8)
        case .constant(let value)?:
            buffer.append(1 as UInt8)
            append(value, to: buffer)
        case .uuid?: buffer.append(2 as UInt8)
        case .objectID?: buffer.append(3 as UInt8)
        case .now?: buffer.append(4 as UInt8)
        case .next?: buffer.append(5 as UInt8)
        }
        if let cases = property.cases {
            buffer.append(little: UInt32(cases.count))
            for value in cases { append(value, to: buffer) }
        }
        if let mapTo = property.mapTo { buffer.append(block: mapTo) }
        switch property.onDelete {
        case .nullify: break
        case .cascade: buffer.append(1 as UInt8)
        case .deny: buffer.append(2 as UInt8)
        }
    }

    private static func code(of kind: ObjectClass.Kind) -> UInt8 {
        switch kind {
        case .object: 0
        case .embedded: 1
        case .asymmetric: 2
        }
    }

    private static func kind(ofCode code: UInt8) -> ObjectClass.Kind? {
        ObjectClass.Kind.allCases.first { self.code(of: $0) == code }
    }

    private static func append(_ value: Value, to buffer: ByteBuffer) {
        guard let scalar = value.scalarType else { return append(structure: value, to: buffer) }
        buffer.append(scalar.rawValue)
        switch value {
        case .bool(let value): buffer.append((value ? 1 : 0) as UInt8)
        case .int(let value): buffer.append(little: value)
        case .double(let value): buffer.append(little: value.bitPattern)
        case .float(let value): buffer.append(little: value.bitPattern)
        case .decimal(let value):
            buffer.append(little: value.high)
            buffer.append(little: value.low)
        case .string(let value): buffer.append(block: value)
        case .data(let value): value.withUnsafeBytes { buffer.append(block: $0) }
        case .date(let value):
            buffer.append(little: value.seconds)
            buffer.append(little: value.nanoseconds)
        case .objectID(let value):
            buffer.append(little: value.high)
            buffer.append(little: value.low)
        case .uuid(let value):
            buffer.append(little: value.high)
            buffer.append(little: value.low)
        case .null, .link, .list, .map: break
        }
    }

    /// Appends a value that is no scalar.
    private static func append(structure value: Value, to buffer: ByteBuffer) {
        switch value {
        case .list(let values) where !values.isEmpty:
            buffer.append(254 as UInt8)
            buffer.append(little: UInt32(values.count))
            for value in values { append(value, to: buffer) }
        case .map(let entries):
            buffer.append(253 as UInt8)
            buffer.append(little: UInt32(entries.count))
            for entry in entries {
                buffer.append(block: entry.key)
                append(entry.value, to: buffer)
            }
        default: buffer.append((value == .null ? 0 : 255) as UInt8)
        }
    }

    private static func append(_ layout: RowLayout, to buffer: ByteBuffer) {
        buffer.append(little: layout.number)
        buffer.append(little: UInt32(layout.fixedByteCount))
        buffer.append(little: UInt32(layout.slots.count))
        for slot in layout.slots {
            buffer.append(little: slot.propertyNumber)
            buffer.append(slot.storage.shape.rawValue)
            buffer.append(slot.storage.element.rawValue)
            buffer.append(little: UInt32(slot.offset))
        }
        layout.fillRow.withUnsafeBytes { buffer.append(block: $0) }
    }

    private static func readClass(_ reader: inout ByteReader) -> StoredClass? {
        guard let name = reader.readString(), let kindByte = reader.read(UInt8.self),
            let number = reader.read(UInt32.self)
        else { return nil }
        var spaces: StoredClass.Spaces?
        if kindByte & spacesFlag != 0 {
            guard let rows = reader.read(UInt32.self), let keys = reader.read(UInt32.self) else {
                return nil
            }
            spaces = StoredClass.Spaces(rows: rows, keys: keys)
        }
        guard let kind = kind(ofCode: kindByte & ~(spacesFlag | groupsFlag)),
            let primaryKey = reader.readString(),
            let propertyCount = reader.read(UInt32.self)
        else { return nil }
        var stored = StoredClass(
            definition: ObjectClass(
                name: name, kind: kind,
                primaryKey: primaryKey.isEmpty ? nil : primaryKey, properties: []),
            number: number, propertyNumbers: [], layouts: [], spaces: spaces)
        for _ in 0..<propertyCount {
            guard let (property, number, searchNumber) = readProperty(&reader) else { return nil }
            if let searchNumber {
                stored.searchNumbers[stored.definition.properties.count] = searchNumber
            }
            stored.definition.properties.append(property)
            stored.propertyNumbers.append(number)
        }
        if kindByte & groupsFlag != 0, !readUniqueGroups(&reader, into: &stored) { return nil }
        guard let layoutCount = reader.read(UInt32.self), layoutCount > 0 else { return nil }
        for _ in 0..<layoutCount {
            guard let layout = readLayout(&reader) else { return nil }
            stored.layouts.append(layout)
        }
        return stored
    }

    private static func readProperty(_ reader: inout ByteReader)
        -> (property: Property, number: UInt32, searchNumber: UInt32?)?
    {
        guard let name = reader.readString(), let number = reader.read(UInt32.self),
            let flags = reader.read(UInt8.self), let shape = reader.read(UInt8.self)
        else { return nil }
        func readElement() -> ElementType? {
            switch reader.read(UInt8.self) {
            case 0: reader.read(UInt8.self).flatMap(ScalarType.init(rawValue:)).map { .scalar($0) }
            case 1: reader.readString().map { .object($0) }
            default: nil
            }
        }
        let type: PropertyType?
        switch shape {
        case 0: type = readElement().map { .single($0) }
        case 1: type = readElement().map { .list($0) }
        case 2: type = readElement().map { .set($0) }
        case 3:
            if let className = reader.readString(), let origin = reader.readString() {
                type = .linkingObjects(className: className, property: origin)
            } else {
                type = nil
            }
        case 4: type = readElement().map { .map($0) }
        default: type = nil
        }
        guard let type, let form = reader.read(UInt8.self) else { return nil }
        var property = Property(
            name: name, type: type, isOptional: flags & 1 != 0, isIndexed: flags & 2 != 0)
        switch form {
        case 0: break
        case 1:
            guard let value = readValue(&reader) else { return nil }
            property.defaultValue = .constant(value)
        case 2: property.defaultValue = .uuid
        case 3: property.defaultValue = .objectID
        case 4: property.defaultValue = .now
        case 5: property.defaultValue = .next
        default: return nil
        }
        if flags & 4 != 0 {
            guard let count = reader.read(UInt32.self), count <= ModelLimits.caseCountMax else {
                return nil
            }
            var cases: [Value] = []
            for _ in 0..<count {
                guard let value = readValue(&reader) else { return nil }
                cases.append(value)
            }
            property.cases = cases
        }
        property.isUnique = flags & 8 != 0
        property.isRequired = flags & 128 != 0
        if flags & 16 != 0 {
            guard let mapTo = reader.readString() else { return nil }
            property.mapTo = mapTo
        }
        if flags & 32 != 0 {
            switch reader.read(UInt8.self) {
            case 1: property.onDelete = .cascade
            case 2: property.onDelete = .deny
            default: return nil
            }
        }
        guard flags & 64 != 0 else { return (property, number, nil) }
        guard let kind = reader.read(UInt8.self).flatMap(SearchIndexKind.init(rawValue:)),
            let searchNumber = reader.read(UInt32.self)
        else { return nil }
        property.searchIndex = kind
        return (property, number, searchNumber)
    }

    private static func readStructure(
        _ reader: inout ByteReader, isMap: Bool, depth: Int
    ) -> Value? {
        guard depth < ModelLimits.mixedDepthMax, let count = reader.read(UInt32.self) else {
            return nil
        }
        var values: [Value] = []
        var entries: [Value.MapEntry] = []
        for _ in 0..<count {
            let key = isMap ? reader.readString() : ""
            guard let key, let value = readValue(&reader, depth: depth + 1) else { return nil }
            if isMap { entries.append(Value.MapEntry(key, value)) } else { values.append(value) }
        }
        return isMap ? .map(entries) : .list(values)
    }

    private static func readValue(_ reader: inout ByteReader, depth: Int = 0) -> Value? {
        guard let code = reader.read(UInt8.self) else { return nil }
        switch code {
        case 0: return .null
        case 255: return .list([])
        case 254: return readStructure(&reader, isMap: false, depth: depth)
        case 253: return readStructure(&reader, isMap: true, depth: depth)
        default: break
        }
        switch ScalarType(rawValue: code) {
        case .bool: return reader.read(UInt8.self).map { .bool($0 != 0) }
        case .int: return reader.read(Int64.self).map { .int($0) }
        case .double: return reader.read(UInt64.self).map { .double(Double(bitPattern: $0)) }
        case .float: return reader.read(UInt32.self).map { .float(Float(bitPattern: $0)) }
        case .decimal128:
            guard let high = reader.read(UInt64.self), let low = reader.read(UInt64.self) else {
                return nil
            }
            return .decimal(Decimal128(high: high, low: low))
        case .int8, .int16, .int32, .int64, .mixed: return nil
        case .string: return reader.readString().map { .string($0) }
        case .data: return reader.readBlock().map { .data(Array($0)) }
        case .date:
            guard let seconds = reader.read(Int64.self), let nanoseconds = reader.read(Int32.self)
            else { return nil }
            return .date(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
        case .objectID:
            guard let high = reader.read(UInt64.self), let low = reader.read(UInt32.self) else {
                return nil
            }
            return .objectID(ObjectID(high: high, low: low))
        case .uuid:
            guard let high = reader.read(UInt64.self), let low = reader.read(UInt64.self) else {
                return nil
            }
            return .uuid(UUID128(high: high, low: low))
        case nil: return nil
        }
    }

    private static func readLayout(_ reader: inout ByteReader) -> RowLayout? {
        guard let number = reader.read(UInt32.self), let fixed = reader.read(UInt32.self),
            let slotCount = reader.read(UInt32.self)
        else { return nil }
        var slots: [RowLayout.Slot] = []
        for _ in 0..<slotCount {
            guard let property = reader.read(UInt32.self),
                let shape = reader.read(UInt8.self).flatMap(FieldStorage.Shape.init(rawValue:)),
                let element = reader.read(UInt8.self).flatMap(ElementStorage.init(rawValue:)),
                let offset = reader.read(UInt32.self), offset < fixed
            else { return nil }
            slots.append(
                RowLayout.Slot(
                    propertyNumber: property, storage: FieldStorage(shape, element),
                    offset: Int(offset)))
        }
        guard let fill = reader.readBlock() else { return nil }
        return RowLayout(
            number: number, slots: slots, fixedByteCount: Int(fixed), fillRow: Array(fill))
    }
}
