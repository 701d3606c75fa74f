import HoldfastStorage

/// The remaining work of schema changes, stored under its own key as long as there is any.
///
///     offset  bytes  field (little-endian)
///     0       4      least number of the next new class or space
///     4       4      least number of the next new property
///     8       4      number of entries that a migration under way has staged: garbage once the store
///                    is opened again; then for each as below
///     …       4      number of entries of garbage, then for each
///             1        kind, see ``Garbage/Kind``
///             4        number, once, twice or three times as the kind takes: of the property, space or
///                      class; the class or property; the origin class
struct MigrationRecord: CodedRecord, Equatable, Sendable {
    /// The entries that the migration under way has written and will write.
    var staged: [Garbage] = []
    /// The entries to be removed.
    var garbage: [Garbage] = []
    /// No new class or space may have a number below.
    var nextClass: UInt32 = 0
    /// No new property may have a number below.
    var nextProperty: UInt32 = 0

    /// Whether there is nothing to keep a record for.
    var isEmpty: Bool { staged.isEmpty && garbage.isEmpty }

    init() {}

    /// Reads a snapshot's record, an empty one if it is missing; nil if it is damaged.
    static func read(_ snapshot: any StorageSnapshot) throws(StorageError) -> MigrationRecord? {
        guard let bytes = try snapshot.value(StoreKey.migration) else { return MigrationRecord() }
        return MigrationRecord(bytes)
    }

    /// Reads a stored record; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard read(bytes) else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        coder.code(&nextClass)
        coder.code(&nextProperty)
        coder.code(&staged, of: Garbage(.index, 0)) { $1.code(&$0) }
        coder.code(&garbage, of: Garbage(.index, 0)) { $1.code(&$0) }
    }
}
