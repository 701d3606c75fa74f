import HoldfastBytes
import HoldfastStorage

/// The access to a store: its tokens, and whether one is needed.
package struct StoredAccess: Equatable, Sendable {
    /// The tokens, in the order of their numbers.
    package var tokens: [TokenRecord] = []
    /// Whether a request needs one.
    package var needsToken = false
    /// The records of users who are barred, or were, by their ids.
    package var users: [UserRecord] = []

    /// Reads that of a snapshot. Cost: a look at each token and each record of a user.
    ///
    /// - Throws: ``StorageError`` `.corrupted` when a record is damaged.
    init(_ snapshot: any StorageSnapshot) throws(StorageError) {
        let record = try snapshot.record(under: StoreKey.access) { AccessRecord($0) }
        needsToken = record?.needsToken ?? false
        tokens = try snapshot.records(in: KeyRange(prefix: StoreKey.tokenPrefix)) {
            TokenRecord($0, $1)
        }
        users = try Self.users(in: snapshot)
    }

    /// Reads the records of users who are barred, or were, by their ids.
    static func users(in snapshot: any StorageSnapshot) throws(StorageError) -> [UserRecord] {
        try snapshot.records(in: KeyRange(prefix: StoreKey.userPrefix)) { UserRecord($0, $1) }
    }

    static let damaged = StorageError(.corrupted, operation: "read tokens")
}

extension Store {
    /// The access to the store, as of the last commit.
    package func access() throws(StoreError) -> StoredAccess {
        try withSnapshot { snapshot throws(StorageError) in try StoredAccess(snapshot) }
    }

    /// The record of a user who is barred, or was, as of the last commit; nil without one. Cost: a look-up by the id, byte for byte.
    package func user(_ id: String) throws(StoreError) -> UserRecord? {
        let key = StoreKey.bytes { StoreKey.appendUser(id, to: $0) }
        return try withSnapshot { snapshot throws(StorageError) in
            try snapshot.record(under: key) { UserRecord(id, $0) }
        }
    }

    /// Runs `body` on the entries of the last commit.
    func withSnapshot<Result>(
        _ body: (any StorageSnapshot) throws(StorageError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            return try body(snapshot)
        } catch {
            throw .storage(error)
        }
    }
}
