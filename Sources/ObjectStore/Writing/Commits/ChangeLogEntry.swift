import HoldfastBytes
import HoldfastRows

/// The changes of one version, as kept in the change log.
///
///     offset  bytes  field (little-endian; v: variable length, seven bits a byte, lowest first)
///     0       8      time of the commit in milliseconds since 1970
///     8       v      number of changed objects, then for each of them, or each run
///             1        kind; the bit 10 is set for a run: insertions, or updates of the same properties, of two
///                      objects to 65,536 whose keys follow each other; the bit 20 for an update with lists that were
///                      not replaced; the bit 40 for an update or a deletion with former values
///             v        class number
///             v        object key; of a run the first one's
///             v        run: number of objects
///             v, v…    update: number of properties, their numbers
///             v, …     lists: their number, then for each its property's number, the number of its splices, and
///                      of each splice the index, how many elements were removed, how many inserted (v)
///             v, …     delete: byte count and bytes of the primary key, see ``ChangeRecord/primaryKey``
///             v, …     former values: their number, then for each its property's number, the byte count (v) and the
///                      bytes, see ``PastValue/tagged``
///     …       v      number of lost links, then for each class number, object key, property number (v)
///     …       1      of the schema: 0 no shape changed, 2 a list follows, 3 a list and parts follow (from format 8 on)
///     …       v      list: the number of classes, their numbers (v), the number of projections, of each the byte
///                    count of its name (v) and the name
///     …       v      parts: of each of the six sets of numbers behind ``ShapeChanges/projections``, in their order, the
///                    number of its elements and these (v); then the number of classes with freed names, of each its
///                    number (v) and the names; then the freed names of classes; names as of projections
package struct ChangeLogEntry: Sendable {
    /// The time of the commit, in milliseconds since 1970.
    package var milliseconds: UInt64
    /// Every object once.
    package var changes: [ChangeRecord]
    /// Targets that lost links.
    package var lostLinks: [LostLink]
    package var changedShapes = ShapeChanges()

    fileprivate static let runFlag: UInt8 = 0x10
    fileprivate static let listsFlag: UInt8 = 0x20
    fileprivate static let formerFlag: UInt8 = 0x40
    /// The longest run: a damaged entry of some bytes must not become gigabytes of records.
    fileprivate static let runCountMax = 65_536

    /// Leaves out the optional parts: changed lists are only marked as replaced, and former values are dropped.
    mutating func shorten() {
        for position in changes.indices {
            changes[position].lists = []
            changes[position].former = []
        }
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: milliseconds)
        buffer.append(variable: UInt64(changes.count))
        var position = 0
        while position < changes.count {
            let change = changes[position]
            let count = runCount(from: position)
            buffer.append(
                change.kind.rawValue | (count > 1 ? Self.runFlag : 0)
                    | (change.lists.isEmpty ? 0 : Self.listsFlag)
                    | (change.former.isEmpty ? 0 : Self.formerFlag))
            buffer.append(variable: UInt64(change.classNumber))
            buffer.append(variable: change.key)
            if count > 1 { buffer.append(variable: UInt64(count)) }
            switch change.kind {
            case .insert: break
            case .update:
                buffer.append(variable: UInt64(change.properties.count))
                for number in change.properties { buffer.append(variable: UInt64(number)) }
                if !change.lists.isEmpty { Self.append(change.lists, to: buffer) }
            case .delete:
                buffer.append(variable: UInt64(change.primaryKey.count))
                buffer.append(change.primaryKey)
            }
            if !change.former.isEmpty { Self.append(change.former, to: buffer) }
            position += count
        }
        buffer.append(variable: UInt64(lostLinks.count))
        for link in lostLinks {
            buffer.append(variable: UInt64(link.classNumber))
            buffer.append(variable: link.key)
            buffer.append(variable: UInt64(link.propertyNumber))
        }
        append(changedShapes, to: buffer)
    }

    private static func append(_ lists: [ListChange], to buffer: ByteBuffer) {
        buffer.append(variable: UInt64(lists.count))
        for list in lists {
            buffer.append(variable: UInt64(list.property))
            buffer.append(variable: UInt64(list.edits.splices.count))
            for splice in list.edits.splices {
                buffer.append(variable: UInt64(splice.index))
                buffer.append(variable: UInt64(splice.removed))
                buffer.append(variable: UInt64(splice.inserted))
            }
        }
    }

    private static func append(_ former: [PastValue], to buffer: ByteBuffer) {
        buffer.append(variable: UInt64(former.count))
        for value in former {
            buffer.append(variable: UInt64(value.property))
            buffer.append(variable: UInt64(value.tagged.count))
            buffer.append(value.tagged)
        }
    }

    private func append(_ shapes: ShapeChanges, to buffer: ByteBuffer) {
        if shapes.isEmpty { return buffer.append(0 as UInt8) }
        let hasParts =
            shapes != ShapeChanges(classes: shapes.classes, projections: shapes.projections)
        buffer.append(hasParts ? 3 : 2 as UInt8)
        Self.append(shapes.classes, to: buffer)
        Self.append(shapes.projections, to: buffer)
        guard hasParts else { return }
        for part in Self.parts { Self.append(shapes[keyPath: part], to: buffer) }
        buffer.append(variable: UInt64(shapes.freedNames.count))
        for (number, names) in shapes.freedNames.sorted(by: { $0.key < $1.key }) {
            buffer.append(variable: UInt64(number))
            Self.append(names, to: buffer)
        }
        Self.append(shapes.freedClassNames, to: buffer)
    }

    /// The sets of numbers of a change of shape that form 3 has, in their order.
    private static var parts: [WritableKeyPath<ShapeChanges, Set<UInt32>>] {
        [
            \.properties, \.renamedProperties, \.renamedClasses, \.reducedClasses,
            \.unlinkedClasses, \.rewrittenClasses,
        ]
    }

    private static func append(_ names: Set<String>, to buffer: ByteBuffer) {
        buffer.append(variable: UInt64(names.count))
        for name in names.sorted() {
            buffer.append(variable: UInt64(name.utf8.count))
            buffer.append(name)
        }
    }

    private static func append(_ numbers: Set<UInt32>, to buffer: ByteBuffer) {
        buffer.append(variable: UInt64(numbers.count))
        for number in numbers.sorted() { buffer.append(variable: UInt64(number)) }
    }

    /// The number of changes from a position on that form one run; 1 for a change that is not part of a run.
    private func runCount(from first: Int) -> Int {
        let kind = changes[first].kind
        guard kind != .delete else { return 1 }
        let end = min(changes.count, first + Self.runCountMax)
        var next = first + 1
        while next < end, changes[next].kind == kind,
            changes[next].key == changes[first].key &+ UInt64(next - first),
            changes[next].classNumber == changes[first].classNumber,
            changes[next].properties == changes[first].properties,
            changes[next].lists == changes[first].lists,
            changes[next].former == changes[first].former
        {
            next += 1
        }
        return next - first
    }
}

extension ChangeLogEntry {
    /// Reads a stored entry; nil if it is damaged.
    ///
    /// - `keepsPast`: Whether former values are wanted.
    init?(_ bytes: UnsafeRawBufferPointer, keepsPast: Bool = true) {
        var reader = ByteReader(bytes)
        guard let milliseconds = reader.read(UInt64.self), let count = reader.readVariable() else {
            return nil
        }
        self.milliseconds = milliseconds
        changes = []
        while UInt64(changes.count) < count {
            let countMax = count - UInt64(changes.count)
            guard Self.readChanges(&reader, to: &changes, countMax: countMax, keepsPast: keepsPast)
            else { return nil }
        }
        guard let lostCount = reader.readVariable() else { return nil }
        lostLinks = []
        for _ in 0..<lostCount {
            guard let number = reader.readNumber(), let key = reader.readVariable(),
                let property = reader.readNumber()
            else { return nil }
            lostLinks.append(LostLink(classNumber: number, key: key, propertyNumber: property))
        }
        guard let shapes = Self.readShapes(&reader), reader.isAtEnd else { return nil }
        changedShapes = shapes
    }

    private static func readShapes(_ reader: inout ByteReader) -> ShapeChanges? {
        let kind = reader.read(UInt8.self)
        switch kind {
        case 0: return ShapeChanges()
        case 2, 3: break
        default: return nil
        }
        guard let classes = readNumbers(&reader), let projections = readNames(&reader) else {
            return nil
        }
        var shapes = ShapeChanges(classes: classes, projections: projections)
        if kind == 2 { return shapes }
        for part in parts {
            guard let numbers = readNumbers(&reader) else { return nil }
            shapes[keyPath: part] = numbers
        }
        guard let count = reader.readVariable() else { return nil }
        for _ in 0..<count {
            guard let number = reader.readNumber(), let names = readNames(&reader) else {
                return nil
            }
            shapes.freedNames[number] = names
        }
        guard let names = readNames(&reader) else { return nil }
        shapes.freedClassNames = names
        return shapes
    }

    private static func readNames(_ reader: inout ByteReader) -> Set<String>? {
        guard let count = reader.readVariable() else { return nil }
        var names: Set<String> = []
        for _ in 0..<count {
            guard let bytes = reader.readVariableBytes() else { return nil }
            names.insert(String(decoding: bytes, as: UTF8.self))
        }
        return names
    }

    private static func readNumbers(_ reader: inout ByteReader) -> Set<UInt32>? {
        guard let count = reader.readVariable() else { return nil }
        var numbers: Set<UInt32> = []
        for _ in 0..<count {
            guard let number = reader.readNumber() else { return nil }
            numbers.insert(number)
        }
        return numbers
    }

    /// Reads the next change or run; false if it is damaged.
    ///
    /// - `countMax`: How many changes it may be at most.
    private static func readChanges(
        _ reader: inout ByteReader, to changes: inout [ChangeRecord], countMax: UInt64,
        keepsPast: Bool
    ) -> Bool {
        guard let byte = reader.read(UInt8.self),
            let kind = ChangeRecord.Kind(rawValue: byte & ~(runFlag | listsFlag | formerFlag)),
            let number = reader.readNumber(), let key = reader.readVariable()
        else { return false }
        var count: UInt64 = 1
        if byte & runFlag != 0 {
            guard kind != .delete, let read = reader.readVariable(),
                (2...UInt64(runCountMax)).contains(read), read <= countMax, key <= .max - read
            else { return false }
            count = read
        }
        var change = ChangeRecord(
            kind: kind, classNumber: number, key: key, properties: [], primaryKey: [])
        switch kind {
        case .insert: break
        case .update:
            guard let count = reader.readVariable() else { return false }
            change.properties.reserveCapacity(Int(min(count, 64)))
            for _ in 0..<count {
                guard let property = reader.readNumber() else { return false }
                change.properties.append(property)
            }
        case .delete:
            guard let bytes = reader.readVariableBytes() else { return false }
            change.primaryKey = Array(bytes)
        }
        if byte & listsFlag != 0 {
            guard kind == .update, readLists(&reader, to: &change) else { return false }
        }
        if byte & formerFlag != 0 {
            guard kind != .insert, readPast(&reader, to: &change, isKept: keepsPast) else {
                return false
            }
        }
        for _ in 0..<count {
            changes.append(change)
            change.key &+= 1
        }
        return true
    }

    /// Reads former values; false if they are damaged.
    private static func readPast(
        _ reader: inout ByteReader, to change: inout ChangeRecord, isKept: Bool
    ) -> Bool {
        guard let count = reader.readVariable() else { return false }
        for _ in 0..<count {
            guard let property = reader.readNumber(), let tagged = reader.readVariableBytes(),
                let tag = tagged.first, tag == 1 || tag == 0 && tagged.count == 1,
                change.kind == .delete || change.properties.contains(property)
            else { return false }
            if isKept { change.former.append(PastValue(property: property, tagged: Array(tagged))) }
        }
        return true
    }

    /// Reads the changes of lists; false if they are damaged.
    private static func readLists(_ reader: inout ByteReader, to change: inout ChangeRecord) -> Bool
    {
        guard let count = reader.readVariable() else { return false }
        for _ in 0..<count {
            guard let property = reader.readNumber(), change.properties.contains(property),
                let spliceCount = reader.readVariable(), spliceCount <= UInt64(ListEdits.countMax)
            else { return false }
            var edits = ListEdits()
            for _ in 0..<spliceCount {
                guard let index = reader.readCount(), let removed = reader.readCount(),
                    let inserted = reader.readCount()
                else { return false }
                edits.append(ListSplice(index, removed: removed, inserted: inserted))
            }
            change.lists.append(ListChange(property: property, edits: edits))
        }
        return true
    }
}
