import ObjectModel
import ObjectStore
import Rows
import TestSupport

/// Random operations on a store and on a reference, compared after each transaction.
package final class ObjectScript {
    /// One operation of a transaction.
    package enum Operation: Sendable {
        case write(String, ObjectContent, key: Value?, WriteMode)
        case delete(Identity)
        /// Ends the transaction, or the part of it, with an error.
        case fail
        /// A part whose failure is taken back and forgotten.
        indirect case attempt([Operation])
    }

    /// The store; replaced when it is opened again.
    package private(set) var store: Store
    /// What the store should hold.
    package private(set) var reference = ReferenceObjects()
    /// The classes.
    package private(set) var classes: [ObjectClass] = []
    /// What was found to differ, with the number of the step.
    package private(set) var differences: [String] = []
    /// How many transactions succeeded, failed, and changed nothing.
    package private(set) var counts = (committed: 0, failed: 0, unchanged: 0)
    private var random: SeededGenerator
    private var schemas = RandomSchema()
    private let open: () throws(StoreError) -> Store
    private var step = 0

    /// Begins with an empty store. `open` opens the same one each time; it is closed before the next.
    package init(
        seed: UInt64, _ open: @escaping () throws(StoreError) -> Store
    ) throws(StoreError) {
        random = SeededGenerator(seed: seed)
        self.open = open
        store = try open()
        classes = schemas.make(&random)
        try store.setSchema(classes)
        reference.setSchema(classes, makesVersion: true)
    }

    /// Ends the script.
    package func close() { store.close() }

    /// Takes a step; what it leads to is compared.
    package func takeStep() throws(StoreError) {
        step += 1
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try changeSchema()
        case 1:
            store.close()
            store = try open()
            try compare(nil)
        default: try runTransaction()
        }
    }

    private func changeSchema() throws(StoreError) {
        let old = classes
        schemas.extend(&classes, &random)
        if !Schema(classes: classes).faults().isEmpty { classes = old }
        try store.setSchema(classes)
        reference.setSchema(classes, makesVersion: old != classes)
        try compare(nil)
    }

    // MARK: Transactions

    private func runTransaction() throws(StoreError) {
        let operations = makeOperations()
        let before = try contents()
        var expected = reference
        var failure: ReferenceObjects.Failure?
        expected.begin()
        do throws(ReferenceObjects.Failure) {
            try expected.run(operations)
            try expected.finish()
            reference = expected
        } catch {
            failure = error
        }
        do throws(StoreError) {
            let version = try store.write { transaction throws(StoreError) in
                for operation in operations { try operation.run(transaction) }
            }
            if let failure { differ("succeeded, expected \(failure)") }
            if version != expected.version {
                differ("made version \(version), expected \(expected.version)")
            }
            if expected.changes.isEmpty { counts.unchanged += 1 } else { counts.committed += 1 }
            try compare((before, expected))
        } catch {
            counts.failed += 1
            let isExpected =
                switch (error, failure) {
                case (.duplicateKey, .duplicateKey?), (.objectNotFound, .objectNotFound?),
                    (.danglingLinks, .danglingLinks?), (.closing, .abandoned?):
                    true
                default: false
                }
            if !isExpected {
                differ("failed with \(error), expected \(String(describing: failure))")
            }
            try compare(nil)
        }
    }

    private func makeOperations() -> [Operation] {
        var maker = RandomContent(classes)
        maker.canDangle = Int.random(in: 0..<4, using: &random) == 0
        let count = [1, 1, 1, 2, 4][Int.random(in: 0..<5, using: &random)]
        let known = reference.objects.keys.sorted()
        let objects = classes.filter { $0.kind == .object }
        var operations: [Operation] = []
        for _ in 0..<count {
            let objectClass = objects[Int.random(in: objects.indices, using: &random)]
            let isCrowded = known.count > 40
            if !known.isEmpty, Int.random(in: 0..<10, using: &random) < (isCrowded ? 6 : 2) {
                operations.append(.delete(known[Int.random(in: known.indices, using: &random)]))
                continue
            }
            let modes = WriteMode.allCases
            let mode =
                Bool.random(using: &random)
                ? .merge : modes[Int.random(in: modes.indices, using: &random)]
            var key: Value?
            let own = known.filter { $0.className == objectClass.name }
            if objectClass.primaryKey == nil, !own.isEmpty, Bool.random(using: &random) {
                key = own[Int.random(in: own.indices, using: &random)].key
            }
            let share = [5, 30, 70, 100][Int.random(in: 0..<4, using: &random)]
            operations.append(
                .write(
                    objectClass.name, maker.draft(objectClass, known: known, share: share, &random),
                    key: key, mode))
        }
        if Int.random(in: 0..<12, using: &random) == 0 { operations.append(.fail) }
        if Int.random(in: 0..<4, using: &random) == 0 {
            let start = Int.random(in: 0...operations.count, using: &random)
            operations = Array(operations[..<start]) + [.attempt(Array(operations[start...]))]
        }
        return operations
    }

    // MARK: Comparing

    private func differ(_ text: String) { differences.append("step \(step): \(text)") }

    private func contents() throws(StoreError) -> StoreContents {
        let transaction = try store.read()
        defer { transaction.close() }
        return try StoreContents(transaction)
    }

    private func compare(
        _ change: (before: StoreContents, expected: ReferenceObjects)?
    ) throws(StoreError) {
        let transaction = try store.read()
        defer { transaction.close() }
        let after = try StoreContents(transaction)
        for difference in reference.differences(from: after) { differ(difference) }
        let version = try transaction.state().version
        if version != reference.version {
            differ("the store is at version \(version), expected \(reference.version)")
        }
        if let change, !change.expected.changes.isEmpty {
            try compareLog(change.expected, change.before, after, transaction)
        }
        // Everything is checked only now and then: it costs more than a step.
        if step % 10 == 0 {
            for finding in try StoreCheck.run(store).findings {
                differ("check: \(finding.code), \(finding.detail)")
            }
        }
    }

    private func compareLog(
        _ expected: ReferenceObjects, _ before: StoreContents, _ after: StoreContents,
        _ transaction: ReadTransaction
    ) throws(StoreError) {
        let folded: FoldedChanges
        do { folded = try FoldedChanges(after: expected.version - 1, in: transaction) } catch {
            return differ("the change log can't be read: \(error)")
        }
        var logged: [Identity: [ReferenceObjects.Change]] = [:]
        for object in folded.order {
            guard let change = folded.changes[object],
                let name = before.identities[object] ?? after.identities[object]
            else { continue }
            let members = transaction.rows.classes[object.classIndex].definition.properties
            logged[name, default: []].append(
                ReferenceObjects.Change(
                    kind: change.kind,
                    properties: Set(
                        members.indices.filter { change.members.contains($0) }
                            .map { members[$0].name })))
        }
        var wanted: [Identity: [ReferenceObjects.Change]] = [:]
        // Births in the order of time, as objects with one key follow each other.
        for birth in expected.changes.keys.sorted() {
            guard let change = expected.changes[birth], let name = expected.names[birth] else {
                continue
            }
            // What was born and died within the transaction was never seen.
            if change.kind == .delete, !expected.isOld(birth) { continue }
            wanted[name, default: []].append(change)
        }
        for name in Set(logged.keys).union(wanted.keys) where logged[name] != wanted[name] {
            differ("log of \(name): \(logged[name] ?? []), expected \(wanted[name] ?? [])")
        }
    }
}

extension ObjectScript.Operation {
    /// Does it in a transaction.
    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        let rows = transaction.catalog.rows
        switch self {
        case .fail: throw .closing
        case .attempt(let part):
            do throws(StoreError) {
                try transaction.attempt { () throws(StoreError) in
                    for operation in part { try operation.run(transaction) }
                }
            } catch {
                // The rest of the transaction goes on.
            }
        case .write(let name, let content, let key, let mode):
            guard let rowClass = rows.rowClass(named: name) else { throw .unknownClass(name) }
            let isMerge = mode == .merge || mode == .update
            let draft = ObjectDraft(content, rowClass, rows, isMerge: isMerge)
            var objectKey: UInt64?
            if case .int(let number)? = key { objectKey = UInt64(bitPattern: number) }
            _ = try transaction.write(draft, objectKey: objectKey, mode: mode)
        case .delete(let identity):
            guard let rowClass = rows.rowClass(named: identity.className) else {
                throw .unknownClass(identity.className)
            }
            try transaction.delete(rowClass, key: transaction.key(of: identity, rowClass))
        }
    }
}

extension ReferenceObjects {
    /// Does operations in a transaction.
    package mutating func run(_ operations: [ObjectScript.Operation]) throws(Failure) {
        for operation in operations {
            switch operation {
            case .write(let name, let draft, let key, let mode):
                try write(name, draft, key: key, mode: mode)
            case .delete(let identity): try delete(identity)
            case .fail: throw .abandoned
            case .attempt(let part):
                let before = self
                do throws(Failure) { try run(part) } catch { self = before }
            }
        }
    }
}

extension WriteTransaction {
    /// The object key of an identity.
    package func key(of identity: Identity, _ rowClass: RowClass) throws(StoreError) -> UInt64 {
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = identity.key else { throw .objectNotFound }
            return UInt64(bitPattern: number)
        }
        guard let primaryKey = OrderedKey(identity.key),
            let found = try find(rowClass, primaryKey: primaryKey)
        else { throw .objectNotFound }
        return found.key
    }
}
