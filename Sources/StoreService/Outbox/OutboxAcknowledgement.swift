import HoldfastObjectJSON
import HoldfastObjectStore

/// Deletes the acknowledged objects of an outbox up to a position, the oldest first: a bounded transaction, which is
/// queued again until nothing is left. A user's takes back all that it takes away where they may not delete one object of it.
package final class OutboxAcknowledgement: PendingWrite, @unchecked Sendable {
    // Unchecked: the writer's thread alone uses what changes.

    /// Receives the number of deleted objects, and the version of the last deletion. Writer's thread; must not block.
    package typealias Completion =
        @Sendable (Result<(count: Int, version: StoreVersion), RequestFault>) -> Void

    /// Objects that one transaction takes away.
    private static let objectCountMax = 4096

    private let served: ServedStore
    private let cursor: OutboxCursor
    /// The objects that are left; nil for all up to the position.
    private var keys: ArraySlice<UInt64>?
    private let caller: Caller
    private let completion: Completion
    /// How many objects the transaction that is running has taken, and those before it.
    private var partCount = 0
    private var count = 0

    /// - `keys`: The objects up to the position that the caller has been shown; nil where that is all.
    init(
        _ cursor: OutboxCursor, _ keys: [UInt64]?, for caller: Caller, _ served: ServedStore,
        _ completion: @escaping Completion
    ) {
        self.cursor = cursor
        self.keys = keys.map { $0[...] }
        self.caller = caller
        self.served = served
        self.completion = completion
    }

    package func run(_ transaction: WriteTransaction) throws(StoreError) {
        partCount = 0
        try caller.keep(transaction, in: served)
        let rows = transaction.catalog.rows
        // A class that was dropped meanwhile has no outbox left to take from.
        guard let index = rows.classIndexByNumber[cursor.classNumber],
            rows.classes[index].isAsymmetric
        else { return }
        if let keys {
            partCount = try transaction.acknowledge(rows.classes[index], keys.prefix(partCountMax))
        } else {
            partCount = try transaction.acknowledge(
                rows.classes[index], through: cursor.key, countMax: partCountMax)
        }
    }

    /// How many objects a transaction takes: a user's as many as one may, as it holds as a whole.
    private var partCountMax: Int {
        let countMax = served.store.options.operationCountMax
        return keys == nil ? min(Self.objectCountMax, countMax) : countMax
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        case .failure(let error): completion(.failure(served.fault(error)))
        case .success(let number):
            count += partCount
            var hasMore = keys == nil && partCount == partCountMax
            if let left = keys?.dropFirst(partCountMax) {
                keys = left
                hasMore = !left.isEmpty
            }
            if hasMore { return served.store.submit(self) }
            completion(
                .success((count, StoreVersion(epoch: served.store.epoch, number: number))))
        }
    }
}
