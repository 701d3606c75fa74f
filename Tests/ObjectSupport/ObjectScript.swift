import HoldfastBytes
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStorage
import HoldfastTestSupport

/// Random operations on a store and on a reference, compared after each step: transactions, of which some
/// fail, changes of the schema, also beside transactions, closing and opening, backups and what becomes
/// of them.
package final class ObjectScript {
    /// The store; replaced when it is opened again.
    package internal(set) var store: Store
    /// What the store should hold.
    package internal(set) var reference = ReferenceObjects()
    /// The classes.
    package internal(set) var classes: [ObjectClass] = []
    /// What was found to differ, with the number of the step.
    package private(set) var differences: [String] = []
    /// What happened how often.
    package internal(set) var counts = Counts()

    /// What happened how often.
    package struct Counts {
        /// Operations of transactions, and each other step.
        package var operations = 0
        /// Transactions that succeeded, failed, and changed nothing.
        package var committed = 0, failed = 0, unchanged = 0
        /// Changes of the schema that were made, and refused; and the transactions beside them.
        package var migrations = 0, refusals = 0, beside = 0
        /// How often the store was closed, and how often it came back out of a backup.
        package var reopenings = 0, restorations = 0
        /// Queries, and objects whose inverse links were looked at.
        package var queries = 0, inverseLinks = 0
        /// Lists whose changes the log tells, and lists that it calls replaced.
        package var splicedLists = 0, replacedLists = 0
        /// How often the changes of a turn have left memory.
        package var rooms = 0

        /// Adds other counts.
        package mutating func add(_ other: Counts) {
            operations += other.operations
            committed += other.committed
            failed += other.failed
            unchanged += other.unchanged
            migrations += other.migrations
            refusals += other.refusals
            beside += other.beside
            reopenings += other.reopenings
            restorations += other.restorations
            queries += other.queries
            inverseLinks += other.inverseLinks
            splicedLists += other.splicedLists
            replacedLists += other.replacedLists
            rooms += other.rooms
        }

        /// Makes counts of nothing.
        package init() {}
    }

    /// A backup, and what a store that is made from it should hold.
    struct Saved {
        var bytes: [UInt8]
        var reference: ReferenceObjects
        var classes: [ObjectClass]
    }

    var random: SeededGenerator
    var schemas = RandomSchema(isFull: true)
    /// What the store is in.
    package internal(set) var engine: LastingEngine
    let options: StoreOptions
    let makeEngine: () throws(StorageError) -> any StorageEngine
    var saved: Saved?
    /// The objects that were there when the store was compared last.
    var identities: [ObjectIdentity: Identity] = [:]
    /// What they held then.
    var contents: [Identity: ObjectContent] = [:]
    /// Objects with something that the store has made up and that was never seen.
    var unseen: Set<Identity> = []
    /// The operations of the last transaction, and the step of it.
    private(set) var lastOperations: (step: Int, operations: [Operation]) = (0, [])
    /// The last change of the schema that was tried.
    var lastChange: (before: [ObjectClass], after: [ObjectClass], renames: SchemaRenames)?
    var lastChangeStep = 0
    private(set) var step = 0

    /// Begins with an empty store. `makeEngine` makes the empty engine that it, and each store that comes
    /// out of a backup, is in.
    package init(
        seed: UInt64, options: StoreOptions = StoreOptions(),
        _ makeEngine: @escaping () throws(StorageError) -> any StorageEngine
    ) throws {
        random = SeededGenerator(seed: seed)
        self.options = options
        self.makeEngine = makeEngine
        engine = LastingEngine(try makeEngine())
        store = try Store(engine: engine, options: options)
        classes = schemas.make(&random)
        try store.setSchema(classes)
        reference.keepsEarlyPlaces = options.interactiveByteCountMax == 0
        reference.setSchema(classes, makesVersion: true)
    }

    /// Options of a store for a script.
    ///
    /// - `isOutOfLine`: Whether small values are stored out of line, too.
    /// - `isStaged`: Whether changes of the schema go on in slices, between which the script writes.
    /// - `isParted`: Whether the engine gets each commit in parts.
    /// - `isHandedOver`: Whether transactions are turns whose changes leave memory behind each operation.
    package static func options(
        isOutOfLine: Bool, isStaged: Bool, isParted: Bool, isHandedOver: Bool = false
    ) -> StoreOptions {
        var options = StoreOptions()
        if isHandedOver { options.interactiveByteCountMax = 0 }
        if isParted { options.partCommits() }
        if isOutOfLine { options.overflowLimits = .tiny }
        if isStaged {
            options.migrationObjectCountMax = 0
            options.migrationSliceCount = 1
        }
        return options
    }

    /// Ends the script.
    package func close() { store.close() }

    /// Takes a step; what it leads to is compared.
    package func takeStep() throws {
        step += 1
        switch Int.random(in: 0..<100, using: &random) {
        case 0...2: try evolve()
        case 3: try reopen()
        case 4, 5: try backUp()
        case 6, 7: try restore()
        default: try runTransaction()
        }
    }

    func reopen() throws(StoreError) {
        counts.operations += 1
        counts.reopenings += 1
        store.close()
        store = try Store(engine: engine, options: options)
        try compare(nil)
    }

    func differ(_ text: String) { differences.append("step \(step): \(text)") }

    // MARK: Transactions

    /// Runs a transaction and compares what it leads to.
    ///
    /// - `revision`: The schema that it is made for; when another one has come meanwhile nothing is done.
    /// - Returns: Whether it was run.
    @discardableResult
    func runTransaction(under revision: UInt64? = nil) throws(StoreError) -> Bool {
        let operations = makeOperations()
        lastOperations = (step, operations)
        var expected = reference
        var failure: ReferenceObjects.Failure?
        expected.begin()
        do throws(ReferenceObjects.Failure) {
            try expected.run(operations)
            try expected.finish()
        } catch {
            failure = error
        }
        do throws(StoreError) {
            let version = try write(operations, under: revision)
            if let failure { differ("succeeded, expected \(failure): \(operations)") }
            reference = expected
            if version != expected.version {
                differ("made version \(version), expected \(expected.version)")
            }
            if expected.changes.isEmpty { counts.unchanged += 1 } else { counts.committed += 1 }
            try compare(expected, under: revision)
        } catch {
            if case .schemaRevision = error, revision != nil { return false }
            counts.failed += 1
            if !failure.isExpected(error) {
                differ(
                    "failed with \(error), expected \(String(describing: failure)): \(operations)")
            }
            try compare(nil, under: revision)
        }
        counts.operations += operations.reduce(0) { $0 + $1.count }
        return true
    }

    /// Runs operations in one transaction; where no changes may wait in memory in a turn, whose changes leave it behind each.
    private func write(
        _ operations: [Operation], under revision: UInt64?
    ) throws(StoreError) -> UInt64 {
        @Sendable func require(_ transaction: WriteTransaction) throws(StoreError) {
            let present = transaction.catalog.schema.revision
            if let revision, revision != present { throw .schemaRevision(current: present) }
        }
        guard options.interactiveByteCountMax == 0 else {
            return try store.write { transaction throws(StoreError) in
                try require(transaction)
                for operation in operations { try operation.run(transaction) }
            }
        }
        let turn = try store.beginInteractiveWrite()
        try require(turn.transaction)
        for operation in operations {
            try operation.run(turn.transaction)
            if try turn.spillToEngine() { counts.rooms += 1 }
        }
        return try turn.commit()
    }

    // MARK: Backups

    private func backUp() throws {
        counts.operations += 1
        let cursor = try BackupCursor(store)
        defer { cursor.close() }
        var bytes: [UInt8] = []
        while true {
            let piece = try cursor.next()
            if piece.isEmpty { break }
            bytes += piece
        }
        saved = Saved(bytes: bytes, reference: reference, classes: classes)
    }

    /// Goes on with the store that the last backup becomes, in an engine of its own.
    private func restore() throws {
        guard let saved else { return }
        counts.operations += 1
        counts.restorations += 1
        var offset = 0
        let reader = try BackupReader { buffer in
            let count = min(buffer.count, saved.bytes.count - offset)
            buffer.copyBytes(from: saved.bytes[offset..<(offset + count)])
            offset += count
            return count
        }
        let target = LastingEngine(try makeEngine())
        try reader.restore(into: target)
        let epoch = store.epoch
        store.close()
        engine = target
        store = try Store(engine: engine, options: options)
        (reference, classes) = (saved.reference, saved.classes)
        if store.epoch == epoch { differ("a restored store has the epoch of another") }
        if store.catalog.schema.classes != classes { differ("the backup has another schema") }
        try compare(nil)
    }
}

extension ReferenceObjects.Failure? {
    /// Whether the store should fail with the error.
    fileprivate func isExpected(_ error: StoreError) -> Bool {
        switch (error, self) {
        case (.duplicateKey, .duplicateKey?), (.keyInOutbox, .duplicateKey?),
            (.objectNotFound, .objectNotFound?), (.missingKey, .missingKey?),
            (.refused, .elementNotFound?), (.refused, .positionOutOfRange?),
            (.danglingLinks, .danglingLinks?),
            (.deniedDeletion, .deniedDeletion?), (.notUnique, .notUnique?),
            (.closing, .abandoned?):
            true
        default: false
        }
    }
}
