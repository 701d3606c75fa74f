import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// Compares all parts of a store with each other: rows, primary keys, indexes, inverse
/// links, counters, the change log and idempotency records.
///
/// Reads one snapshot and changes nothing. Cost: a few microseconds an object; memory for one entry of
/// each object that the change log names.
package final class StoreCheck {
    /// One inconsistency.
    package struct Finding: Sendable, Equatable {
        /// The kind of fault, such as `"index-entry-missing"`.
        package var code: String
        /// Where: class, property and object key.
        package var detail: String
    }

    /// The number of things that were checked, and the faults that were found.
    package struct Report: Sendable {
        /// Objects by class, in the order of the schema.
        package var objectCounts: [(className: String, count: Int)] = []
        /// Index entries, inverse links and change log entries that were read.
        package var indexEntryCount = 0
        package var inverseLinkCount = 0
        package var logEntryCount = 0
        /// The number of faults.
        package var findingCount = 0
        /// The first faults.
        package var findings: [Finding] = []
        /// The version that was checked.
        package var version: StoreVersion

        mutating func add(_ code: String, _ detail: String) {
            findingCount += 1
            if findings.count < 1000 { findings.append(Finding(code: code, detail: detail)) }
        }
    }

    let transaction: ReadTransaction
    let rows: RowSchema
    let state: StoreState
    /// The entries that schema changes have left behind, or staged: no catalog leads to them.
    let garbage: [Garbage]
    var report: Report
    /// The last version and kind of change of each object that the kept change log names.
    var lastChanges: [ObjectIdentity: (version: UInt64, kind: ChangeRecord.Kind)] = [:]
    /// The keys of the chunks that the row refers to which is being checked.
    var knownChunks: Set<[UInt8]> = []
    /// The store's indexes.
    var indexes: Indexes
    /// The links of objects that hold many, by origin.
    var linkCounts: [ObjectIdentity: [LinkKind: UInt32]] = [:]
    private let progress: (Int) -> Void
    private var readCount = 0

    /// Checks the version that a view sees.
    ///
    /// - `progress`: Called now and then with the number of entries read so far.
    /// - Throws: ``StoreError`` `.storage` when the store can't be read at all.
    static func run(
        _ transaction: ReadTransaction, progress: @escaping (Int) -> Void
    ) throws(StoreError) -> Report {
        let check = try StoreCheck(transaction, progress)
        try check.checkKeys()
        try check.checkChangeLog()
        try check.checkIdempotency()
        try check.checkAccess()
        try check.checkAccounts()
        for rowClass in check.rows.classes where rowClass.definition.kind.standsAlone {
            try check.checkRows(rowClass)
            try check.checkPrimaryKeys(rowClass)
        }
        try check.checkOwners()
        try check.checkIndexes()
        try check.checkSurplusEntries()
        try check.checkInverseLinks()
        check.checkDeletions()
        return check.report
    }

    private init(_ transaction: ReadTransaction, _ progress: @escaping (Int) -> Void)
        throws(StoreError)
    {
        self.transaction = transaction
        self.progress = progress
        rows = transaction.rows
        indexes = Indexes(transaction.rows)
        state = try transaction.state()
        report = Report(version: StoreVersion(epoch: state.epoch, number: state.version))
        let record: MigrationRecord?
        do { record = try MigrationRecord.read(transaction.snapshot) } catch {
            throw .storage(error)
        }
        garbage = record.map { $0.staged + $0.garbage } ?? []
        if record == nil {
            report.add("migration-record-damaged", "what is left of changes of the schema")
        }
    }

    /// Whether an entry is there with this value.
    func has(_ key: [UInt8], _ value: (UnsafeRawBufferPointer) -> Bool = { _ in true })
        throws(StoreError) -> Bool
    {
        try transaction.value(key).map(value) ?? false
    }

    /// The entry under the key of a row.
    enum Found {
        case nothing
        case damaged
        case row(RowView)
    }

    /// Finds the row of an object, if one is there that can be read.
    func find(_ rowClass: RowClass, key: UInt64) throws(StoreError) -> Found {
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendRow(rowClass, key, to: buffer)
        guard let bytes = try transaction.value(buffer.bytes) else { return .nothing }
        guard let row = RowView(bytes), rowClass.canRead(row) else { return .damaged }
        return .row(row)
    }

    /// Walks every entry under a prefix.
    func scan(
        _ prefix: [UInt8],
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        try scan(KeyRange(prefix: prefix), body)
    }

    /// Walks every entry of a range.
    func scan(
        _ range: KeyRange,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(StoreError) -> Void
    ) throws(StoreError) {
        try transaction.snapshot.walk(range, expecting: 4096) { key, value throws(StoreError) in
            readCount += 1
            if readCount % 10_000 == 0 { progress(readCount) }
            try body(key, value)
            return true
        }
    }

    /// Whether an index entry or inverse link is going to be removed, or is not yet to be seen.
    func isGarbage(_ key: UnsafeRawBufferPointer) -> Bool {
        garbage.contains { $0.range.contains(key) && $0.contains(key) }
    }

    /// Whether rows of a class are left over, which may refer to values of its objects.
    func hasGarbageRows(_ rowClass: RowClass) -> Bool {
        garbage.contains { $0.kind == .rows && $0.numbers[1] == rowClass.number }
    }

    func name(_ rowClass: RowClass, _ key: UInt64) -> String {
        "\(rowClass.definition.name) object \(key)"
    }
}
