import Bytes
import ObjectModel
import Rows
import Storage

/// Performs a schema change in one atomic commit, in slices, so that memory stays bounded however many
/// objects there are.
struct Migration {
    let change: SchemaChange
    let group: CommitGroup
    let rowBuilder: RowBuilder
    let now: Timestamp

    /// The bytes of changes that are collected before they go to the engine.
    private static let sliceByteCount = 32 << 20

    /// Gives the newest layout of each listed class its fill row: the declared constants, the
    /// migration's time for `$now`, and zero values for the rest.
    static func withFillRows(
        _ classes: [Catalog.StoredClass], _ positions: Set<Int>, _ schema: Schema
    ) -> [Catalog.StoredClass] {
        var result = classes
        let builder = RowBuilder()
        builder.now = Timestamp.now()
        // Defaults of embedded objects are null and of collections empty, so classes don't depend on
        // each other's fill rows, and a catalog without them can lay out all rows.
        let draft = Catalog(
            revision: 0, schemaVersion: nil, classes: classes, projections: [], nextClass: 1,
            nextProperty: 1)
        let buffer = ByteBuffer()
        for position in positions {
            buffer.removeAll()
            builder.appendFill(draft.rows.classes[position], to: buffer)
            let last = result[position].layouts.count - 1
            result[position].layouts[last].fillRow = buffer.array
        }
        return result
    }

    /// Makes the change and commits it.
    func run(_ engine: any StorageEngine) throws(StoreError) {
        let record = ByteBuffer(capacity: 4096)
        change.catalog.append(to: record)
        guard record.count <= engine.limits.valueByteCountMax else {
            throw .tooLarge(
                detail: "The schema takes \(record.count) bytes; "
                    + "\(engine.limits.valueByteCountMax) are allowed.")
        }
        try change.testUniqueness(in: group.snapshot, group.outside)
        do throws(StorageError) {
            let transaction = try engine.beginWrite(base: group.snapshot.commit)
            do throws(StorageError) {
                try fill(transaction, record.bytes)
                _ = try transaction.commitAll()
            } catch {
                transaction.close()
                throw error
            }
            transaction.close()
        } catch {
            throw .storage(error)
        }
    }

    private func fill(
        _ transaction: any StorageWriteTransaction, _ record: UnsafeRawBufferPointer
    ) throws(StorageError) {
        let overlay = group.overlay
        let buffer = ByteBuffer()
        for number in change.indexesToDrop {
            overlay.remove(
                KeyRange(
                    prefix: Array(buffer.making { StoreKey.appendIndexPrefix(number, to: $0) })))
        }
        for index in change.classesToRewrite {
            try rewrite(change.catalog.rows.classes[index], transaction)
        }
        var sources: [Int: [SchemaChange.IndexBuild.Source]] = [:]
        for build in change.indexesToBuild {
            sources[build.classIndex, default: []].append(build.source)
        }
        for (index, built) in sources {
            try build(change.catalog.rows.classes[index], built, transaction)
        }
        StoreKey.catalog.withUnsafeBytes { _ = overlay.put($0, record) }
        group.state.version += 1
        let entry = ChangeLogEntry(
            milliseconds: UInt64(max(0, now.seconds)) * 1000, changes: [], lostLinks: [],
            changesSchema: true)
        let log = buffer.making { entry.append(to: $0) }
        group.state.logByteCount += UInt64(log.count)
        let key = group.keyBuffer.making {
            StoreKey.appendChangeLog(group.state.version, to: $0)
        }
        overlay.put(key, log)
        let state = buffer.making { group.state.append(to: $0) }
        StoreKey.state.withUnsafeBytes { _ = overlay.put($0, state) }
        try flush(transaction)
    }

    private func flush(_ transaction: any StorageWriteTransaction) throws(StorageError) {
        try transaction.apply(group.overlay.batch())
        group.overlay.reset()
    }

    /// Writes the rows of a class in its new layout, each with defaults of its own.
    private func rewrite(_ rowClass: RowClass, _ transaction: any StorageWriteTransaction)
        throws(StorageError)
    {
        rowBuilder.now = now
        let buffer = ByteBuffer(capacity: 4096)
        try forEachRow(rowClass, transaction) { rowKey, row in
            let missing = rowClass.generatedMembers(missingIn: row)
            guard !missing.isEmpty else { return }
            buffer.removeAll()
            rowBuilder.append(row, rowClass, generating: missing, to: buffer)
            group.overlay.put(rowKey, buffer.bytes)
        }
    }

    private func build(
        _ rowClass: RowClass, _ sources: [SchemaChange.IndexBuild.Source],
        _ transaction: any StorageWriteTransaction
    ) throws(StorageError) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        let buffer = ByteBuffer()
        let groups = rowClass.uniqueKeys.filter(\.isGroup)
        try forEachRow(rowClass, transaction) { rowKey, row in
            for source in sources {
                let key = StoreKey.trailingObjectKey(rowKey)
                buffer.removeAll()
                switch source {
                case .member(let member):
                    IndexEntry.append(rowClass, member, key, row, group.outside, to: buffer)
                case .group(let position):
                    guard
                        IndexEntry.append(
                            rowClass, group: groups[position], key, row, group.outside, to: buffer)
                    else { continue }
                }
                group.overlay.put(buffer.bytes, nothing)
            }
        }
    }

    /// Hands over the rows of a class and sends what `body` collects to the engine in slices.
    private func forEachRow(
        _ rowClass: RowClass, _ transaction: any StorageWriteTransaction,
        _ body: (UnsafeRawBufferPointer, RowView) -> Void
    ) throws(StorageError) {
        let buffer = ByteBuffer()
        let prefix = Array(buffer.making { StoreKey.appendRowPrefix(rowClass, to: $0) })
        var range = KeyRange(prefix: prefix)
        var isDone = false
        while !isDone {
            isDone = true
            var isDamaged = false
            var last: [UInt8] = []
            try transaction.scan(range, reversed: false, expecting: 1024) { key, value in
                guard let row = RowView(value), rowClass.canRead(row) else {
                    isDamaged = true
                    return false
                }
                body(key, row)
                guard group.overlay.byteCount < Self.sliceByteCount else {
                    last = Array(key)
                    isDone = false
                    return false
                }
                return true
            }
            if isDamaged { throw StorageError(.corrupted, operation: "migrate rows") }
            try flush(transaction)
            range.lower = last + [0]
        }
    }
}
