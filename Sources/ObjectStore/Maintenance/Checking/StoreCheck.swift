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
            report.add("migration-record-damaged", "the leftovers of changes of the schema")
        }
    }

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

extension StoreCheck {
    /// Finds the fault of a map's bytes; nil without one.
    func fault(ofMap bytes: UnsafeRawBufferPointer, _ member: RowClass.Member) -> String? {
        guard bytes.count >= 8 else { return "is too short" }
        let keyByteCount = Int(bytes.loadUnaligned(as: UInt32.self))
        if keyByteCount == 0 {
            return bytes.count == 8 && bytes.allSatisfy { $0 == 0 } ? nil : "is damaged"
        }
        guard keyByteCount <= bytes.count - 4 else { return "is damaged" }
        let map = LeafView(bytes, member.storage)
        let keys = UnsafeRawBufferPointer(rebasing: bytes[4..<(4 + keyByteCount)])
        let values = UnsafeRawBufferPointer(rebasing: bytes[(4 + keyByteCount)...])
        guard let mapKeys = map.keys, map.count > 0, keys.count >= 8,
            map.count == Int(keys.loadUnaligned(as: UInt32.self))
        else { return "is damaged" }
        for index in 0..<map.count {
            let key = mapKeys.bytes(index)
            if mapKeys.isNull(index) { return "has a key that is null" }
            if String(validating: key, as: UTF8.self) == nil { return "has a key that is no UTF-8" }
            if MapKey.fault(of: key) != nil { return "has a key that is not allowed" }
            if index > 0, compareKeys(mapKeys.bytes(index - 1), key) >= 0 {
                return "has its keys out of order"
            }
        }
        return fault(ofCollection: values, member)
    }

    /// Checks that the access document and each token and barred user can be read, and that no two tokens have a name
    /// or a hash in common.
    func checkAccess() throws(StoreError) {
        let record = try transaction.value(StoreKey.access)
        if record.flatMap({ AccessRecord($0) }) == nil {
            report.add("access-damaged", "\(record?.count ?? 0) bytes")
        }
        let document = try transaction.value(StoreKey.accessDocument)
        if let document, StoredDocument(document) == nil {
            report.add("access-document-damaged", "\(document.count) bytes")
        }
        var names: Set<String> = []
        var hashes: Set<[UInt8]> = []
        try scan(StoreKey.tokenPrefix) { key, value in
            guard let token = TokenRecord(key, value) else {
                return report.add("token-damaged", "\(value.count) bytes")
            }
            if !names.insert(token.name).inserted || !hashes.insert(token.hash).inserted {
                report.add("token-twice", token.name)
            }
        }
        try scan(StoreKey.userPrefix) { key, value in
            if UserRecord(key, value) == nil { report.add("user-damaged", "\(value.count) bytes") }
        }
    }

    /// Checks that each account can be read and is found by its login, and that logins and sessions are of accounts.
    func checkAccounts() throws(StoreError) {
        var logins: [UUID128: String] = [:]
        try scan(StoreKey.accountPrefix) { key, value in
            guard key.count == StoreKey.accountByteCount,
                let id = StoreKey.accountID(key, at: StoreKey.accountPrefix.count),
                let account = AccountRecord(id, value)
            else { return report.add("account-damaged", "\(value.count) bytes") }
            logins[id] = AccountRecord.key(account.login)
        }
        var found: Set<UUID128> = []
        try scan(StoreKey.loginPrefix) { key, value in
            let login = String(validating: key.dropFirst(StoreKey.loginPrefix.count), as: UTF8.self)
            guard let id = StoreKey.accountID(value, at: 0), let login, logins[id] == login else {
                return report.add("login-without-account", "\(key.count) bytes")
            }
            found.insert(id)
        }
        for id in logins.keys where !found.contains(id) {
            report.add("account-without-login", id.description)
        }
        try scan(StoreKey.sessionPrefix) { key, value in
            guard let session = SessionRecord(key, value) else {
                return report.add("session-damaged", "\(value.count) bytes")
            }
            if logins[session.account] == nil {
                report.add("session-without-account", session.account.description)
            }
        }
    }

    /// Checks that idempotency records, their numbers and their counters agree.
    func checkIdempotency() throws(StoreError) {
        var counters = IdempotencyCounters()
        if let bytes = try transaction.value(StoreKey.recordCounters) {
            guard let stored = IdempotencyCounters(bytes) else {
                return report.add("reply-counters-damaged", "\(bytes.count) bytes")
            }
            counters = stored
        }
        let buffer = ByteBuffer()
        var byteCount: UInt64 = 0
        var shares: [UInt64: UInt64] = [:]
        var orderCount = 0
        try scan(StoreKey.recordPrefix) { (key, value) throws(StoreError) in
            byteCount += IdempotencyRecord.byteCount(ofValue: value.count)
            guard key.count == StoreKey.recordKeyByteCount,
                let header = IdempotencyRecord.header(value)
            else { return report.add("reply-damaged", "\(key.count) bytes of key") }
            let id = Array(key[StoreKey.recordPrefix.count...])
            let number = Array(buffer.making { StoreKey.appendRecordNumber(header.number, to: $0) })
            guard header.number >= counters.first, header.number < counters.next,
                let entry = try transaction.value(number).flatMap({ IdempotencyNumber($0) }),
                entry.id == id
            else { return report.add("reply-number-wrong", "reply \(header.number)") }
            for share in entry.owner.shares {
                shares[share, default: 0] += IdempotencyRecord.byteCount(ofValue: value.count)
                orderCount += 1
            }
        }
        try scan(StoreKey.recordNumberPrefix) { (key, value) throws(StoreError) in
            guard key.count == StoreKey.recordNumberByteCount else {
                return report.add("reply-number-damaged", "\(key.count) bytes of key")
            }
            let number = StoreKey.trailingObjectKey(key)
            let id = IdempotencyNumber(value)?.id ?? []
            let reply = Array(buffer.making { StoreKey.appendRecord(id, to: $0) })
            guard try has(reply, { IdempotencyRecord.header($0)?.number == number }) else {
                return report.add("reply-missing", "reply \(number)")
            }
        }
        try scan(StoreKey.recordOrderPrefix) { (key, value) throws(StoreError) in
            orderCount -= 1
            guard key.count == StoreKey.recordOrderByteCount, value.isEmpty else {
                return report.add("reply-order-damaged", "\(key.count) bytes of key")
            }
            let share = StoreKey.trailingObjectKey(
                UnsafeRawBufferPointer(rebasing: key.dropLast(8)))
            let number = StoreKey.trailingObjectKey(key)
            let entry = Array(buffer.making { StoreKey.appendRecordNumber(number, to: $0) })
            guard try has(entry, { IdempotencyNumber($0)?.owner.shares.contains(share) ?? false })
            else { return report.add("reply-order-wrong", "reply \(number)") }
        }
        if orderCount != 0 { report.add("reply-order-missing", "\(orderCount) replies") }
        try scan(StoreKey.recordSharePrefix) { (key, value) throws(StoreError) in
            guard key.count == StoreKey.recordSharePrefix.count + 8, value.count == 8 else {
                return report.add("reply-share-damaged", "\(key.count) bytes of key")
            }
            let stored = value.loadUnaligned(as: UInt64.self)
            let owner = StoreKey.trailingObjectKey(key)
            if shares.removeValue(forKey: owner) != stored {
                report.add("reply-share-wrong", "\(stored) bytes counted")
            }
        }
        if !shares.isEmpty { report.add("reply-share-missing", "\(shares.count) shares") }
        if byteCount != counters.byteCount {
            report.add("reply-size-wrong", "\(counters.byteCount) counted, \(byteCount) there")
        }
    }
}
