import Bytes
import ObjectModel
import Rows
import Storage

/// Compares all parts of a store with each other: rows, primary keys, indexes, inverse
/// links, counters, the change log and idempotency records.
///
/// Reads one snapshot and changes nothing. Cost: a few microseconds an object; memory for one entry of
/// each object that the change log names.
package struct StoreCheck {
    /// One inconsistency.
    package struct Finding: Sendable, Equatable {
        /// The kind of fault, such as `"index-entry-missing"`.
        package var code: String
        /// Where: class, property and object key.
        package var detail: String
    }

    /// What was looked at and what was found.
    package struct Report: Sendable {
        /// Objects by class, in the order of the schema.
        package var objectCounts: [(className: String, count: Int)] = []
        /// Index entries, inverse links and change log entries that were read.
        package var indexEntryCount = 0
        package var inverseLinkCount = 0
        package var logEntryCount = 0
        /// How many faults there are.
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
    /// What schema changes have left behind, or staged: entries that no catalog leads to.
    let garbage: [Garbage]
    var report: Report
    /// The last version and kind of change of each object that the kept change log names.
    var lastChanges: [ObjectIdentity: (version: UInt64, kind: ChangeRecord.Kind)] = [:]
    /// The chunks of the row that is being checked.
    let knownChunks = KnownChunks()
    /// What is known of indexes.
    var indexes: Indexes
    /// The links of objects that hold many, by origin.
    var linkCounts: [ObjectIdentity: [LinkKind: UInt32]] = [:]
    let progress: (Int) -> Void
    private var readCount = 0

    /// Checks the last commit of a store.
    ///
    /// - `progress`: Called now and then with the number of entries read so far.
    /// - Throws: ``StoreError`` `.storage` when the store can't be read at all.
    package static func run(_ store: Store, progress: @escaping (Int) -> Void = { _ in })
        throws(StoreError) -> Report
    {
        let transaction = try store.read()
        defer { transaction.close() }
        var check = try StoreCheck(transaction, progress)
        try check.checkMigrationRecord()
        try check.checkKeys()
        try check.checkChangeLog()
        try check.checkIdempotency()
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
        garbage = try StoreCheck.garbage(transaction)
        report = Report(version: StoreVersion(epoch: state.epoch, number: state.version))
    }

    mutating func countRead() {
        readCount += 1
        if readCount % 10_000 == 0 { progress(readCount) }
    }

    /// Whether an entry is there with this value.
    func has(_ key: [UInt8], _ value: (UnsafeRawBufferPointer) -> Bool = { _ in true })
        throws(StoreError) -> Bool
    {
        do { return try transaction.snapshot.value(key).map(value) ?? false } catch {
            throw .storage(error)
        }
    }

    /// The entry under the key of a row.
    enum Found {
        case nothing
        case damaged
        case row(RowView)
    }

    /// The row of an object, if one is there that can be read.
    func find(_ rowClass: RowClass, key: UInt64) throws(StoreError) -> Found {
        let buffer = ByteBuffer(capacity: 16)
        StoreKey.appendRow(rowClass, key, to: buffer)
        do throws(StorageError) {
            guard let bytes = try transaction.snapshot.value(forKey: buffer.bytes) else {
                return .nothing
            }
            guard let row = RowView(bytes), rowClass.canRead(row) else { return .damaged }
            return .row(row)
        } catch {
            throw .storage(error)
        }
    }

    /// Walks every entry under a prefix.
    mutating func scan(
        _ prefix: [UInt8],
        _ body: (inout StoreCheck, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
            throws(StoreError)
            -> Void
    ) throws(StoreError) {
        try scan(KeyRange(prefix: prefix), body)
    }

    /// Walks every entry of a range.
    mutating func scan(
        _ range: KeyRange,
        _ body: (inout StoreCheck, UnsafeRawBufferPointer, UnsafeRawBufferPointer)
            throws(StoreError)
            -> Void
    ) throws(StoreError) {
        var failure: StoreError?
        do throws(StorageError) {
            try transaction.snapshot.scan(
                range, reversed: false, expecting: 4096
            ) { key, value in
                countRead()
                do throws(StoreError) {
                    try body(&self, key, value)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            throw .storage(error)
        }
        if let failure { throw failure }
    }

    func name(_ rowClass: RowClass, _ key: UInt64) -> String {
        "\(rowClass.definition.name) object \(key)"
    }
}
