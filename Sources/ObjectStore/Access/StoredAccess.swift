import HoldfastBytes
import HoldfastStorage

/// The access to a store: its tokens, and whether one is needed.
package struct StoredAccess: Equatable, Sendable {
    /// The tokens, in the order of their numbers.
    package var tokens: [TokenRecord] = []
    /// Whether a request needs one.
    package var needsToken = false
    /// The users who are barred, by their ids.
    package var users: [UserRecord] = []

    /// Reads that of a snapshot. Cost: a look at each token and each barred user.
    ///
    /// - Throws: ``StorageError`` `.corrupted` when a record is damaged.
    init(_ snapshot: any StorageSnapshot) throws(StorageError) {
        if let bytes = try snapshot.value(StoreKey.access) {
            guard let record = AccessRecord(bytes) else { throw Self.damaged }
            needsToken = record.needsToken
        }
        tokens = try snapshot.records(under: StoreKey.tokenPrefix) { TokenRecord($0, $1) }
        users = try snapshot.records(under: StoreKey.userPrefix) { UserRecord($0, $1) }
    }

    static let damaged = StorageError(.corrupted, operation: "read tokens")
}

extension Store {
    /// The access to the store, as of the last commit.
    package func access() throws(StoreError) -> StoredAccess {
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            return try StoredAccess(snapshot)
        } catch {
            throw .storage(error)
        }
    }

    /// What is said of a user whom the store bars, as of the last commit; nil where nothing is. Cost: a look-up by their id, byte for byte.
    package func user(_ id: String) throws(StoreError) -> UserRecord? {
        do throws(StorageError) {
            let snapshot = try engine.snapshot()
            defer { snapshot.close() }
            let key = StoreKey.bytes { StoreKey.appendUser(id, to: $0) }
            guard let value = try snapshot.value(key) else { return nil }
            guard let record = UserRecord(id, value) else { throw StoredAccess.damaged }
            return record
        } catch {
            throw .storage(error)
        }
    }
}
