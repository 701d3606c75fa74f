import Bytes
import Storage

/// The remaining work of schema changes, stored under its own key as long as there is any.
///
///     offset  bytes  field (little-endian)
///     0       4      least number of the next new class or space
///     4       4      least number of the next new property
///     8       4      number of entries that a migration under way has staged: garbage once the store
///                    is opened again; then for each as below
///     …       4      number of entries of garbage, then for each
///             1        kind: 1 index, 2 rows, 3 primary keys, 4 counters, 5 incoming links,
///                      6 inverse links of a property, 7 those of one origin class, 8 values
///                      outside rows
///             4        number: of the property, space or class
///             4        of kind 2: the class; of kinds 6 and 7: the property
///             4        of kind 7: the origin class
struct MigrationRecord: Equatable, Sendable {
    /// What the migration under way has written and will write.
    var staged: [Garbage] = []
    /// What is to be removed.
    var garbage: [Garbage] = []
    /// No new class or space may have a number below.
    var nextClass: UInt32 = 0
    /// No new property may have a number below.
    var nextProperty: UInt32 = 0

    /// Whether there is nothing to keep a record for.
    var isEmpty: Bool { staged.isEmpty && garbage.isEmpty }

    init() {}

    /// Reads a snapshot's record, which is empty where there is none; nil when it is damaged.
    static func read(_ snapshot: any StorageSnapshot) throws(StorageError) -> MigrationRecord? {
        guard let bytes = try snapshot.value(StoreKey.migration) else { return MigrationRecord() }
        return MigrationRecord(bytes)
    }

    /// Reads a stored record; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = ByteReader(bytes)
        guard let nextClass = reader.read(UInt32.self), let nextProperty = reader.read(UInt32.self),
            let staged = Self.readList(&reader), let garbage = Self.readList(&reader),
            reader.isAtEnd
        else { return nil }
        self.nextClass = nextClass
        self.nextProperty = nextProperty
        self.staged = staged
        self.garbage = garbage
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: nextClass)
        buffer.append(little: nextProperty)
        for list in [staged, garbage] {
            buffer.append(little: UInt32(list.count))
            for entry in list { Self.append(entry, to: buffer) }
        }
    }

    private static func append(_ entry: Garbage, to buffer: ByteBuffer) {
        func append(_ kind: UInt8, _ numbers: UInt32...) {
            buffer.append(kind)
            for number in numbers { buffer.append(little: number) }
        }
        switch entry {
        case .index(let property): append(1, property)
        case .rows(let space, let classNumber): append(2, space, classNumber)
        case .overflow(let number): append(8, number)
        case .keys(let space): append(3, space)
        case .classState(let number): append(4, number)
        case .incoming(let number): append(5, number)
        case .inverse(let target, let property, nil): append(6, target, property)
        case .inverse(let target, let property, let origin?): append(7, target, property, origin)
        }
    }

    private static func readList(_ reader: inout ByteReader) -> [Garbage]? {
        guard let count = reader.read(UInt32.self) else { return nil }
        var list: [Garbage] = []
        for _ in 0..<count {
            guard let entry = readEntry(&reader) else { return nil }
            list.append(entry)
        }
        return list
    }

    private static func readEntry(_ reader: inout ByteReader) -> Garbage? {
        guard let kind = reader.read(UInt8.self), let number = reader.read(UInt32.self) else {
            return nil
        }
        switch kind {
        case 1: return .index(property: number)
        case 2:
            return reader.read(UInt32.self).map { .rows(space: number, classNumber: $0) }
        case 8: return .overflow(classNumber: number)
        case 3: return .keys(space: number)
        case 4: return .classState(classNumber: number)
        case 5: return .incoming(classNumber: number)
        case 6:
            return reader.read(UInt32.self).map {
                .inverse(target: number, property: $0, origin: nil)
            }
        case 7:
            guard let property = reader.read(UInt32.self), let origin = reader.read(UInt32.self)
            else { return nil }
            return .inverse(target: number, property: property, origin: origin)
        default: return nil
        }
    }
}
