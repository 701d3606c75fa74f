import HoldfastBytes
import HoldfastStorage

/// The access to a store: its tokens, and whether one is needed.
package struct StoredAccess: Equatable, Sendable {
    /// The tokens, in the order of their numbers.
    package var tokens: [TokenRecord] = []
    /// Whether a request needs one.
    package var needsToken = false
    /// The records of users that are or were barred, by their ids.
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

    /// Reads the records of users that are or were barred, by their ids.
    static func users(in snapshot: any StorageSnapshot) throws(StorageError) -> [UserRecord] {
        try snapshot.records(in: KeyRange(prefix: StoreKey.userPrefix)) { UserRecord($0, $1) }
    }

    static let damaged = StorageError(.corrupted, operation: "read tokens")
}
