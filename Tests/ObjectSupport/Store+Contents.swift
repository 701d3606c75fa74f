import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

extension Store {
    /// Everything in the store at its last commit.
    package func contents() throws(StoreError) -> StoreContents {
        let transaction = try read()
        defer { transaction.close() }
        return try StoreContents(transaction)
    }

    /// What the store check finds, as codes and details.
    package func findings() throws(StoreError) -> [String] {
        try StoreCheck.run(self).findings.map { "\($0.code): \($0.detail)" }
    }

    /// What the change log says happened after a version.
    package func changes(after version: UInt64) throws -> FoldedChanges {
        let transaction = try read()
        defer { transaction.close() }
        return try FoldedChanges(after: version, in: transaction)
    }

    /// Runs operations in one transaction and returns the version.
    @discardableResult
    package func run(_ operations: [ObjectScript.Operation]) throws(StoreError) -> UInt64 {
        try write { transaction throws(StoreError) in
            for operation in operations { try operation.run(transaction) }
        }
    }

    /// Writes one object and returns the version.
    @discardableResult
    package func put(
        _ className: String, _ content: ObjectContent, key: Value? = nil,
        mode: WriteMode = .merge
    ) throws(StoreError) -> UInt64 {
        try run([.write(className, content, key: key, mode)])
    }

    /// Deletes one object and returns the version.
    @discardableResult
    package func delete(_ className: String, _ key: Value) throws(StoreError) -> UInt64 {
        try run([.delete(Identity(className, key))])
    }
}

extension Store {
    private static let cleanUpWriteCountMax = 20_000

    /// Waits until nothing is left of changes of the schema.
    package func awaitCleanUp() throws(StoreError) {
        // Commits nothing: the removal that is under way goes on between two groups of writes.
        for _ in 0..<Self.cleanUpWriteCountMax where migrationProgress != nil { try write { _ in } }
        // What failed to be removed would be waited for in vain.
        if migrationProgress != nil { throw .refused(Refusal()) }
    }
}
