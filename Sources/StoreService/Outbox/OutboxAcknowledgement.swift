import HoldfastObjectJSON
import HoldfastObjectStore

/// Deletes the acknowledged objects of an outbox up to a position, the oldest first: a bounded transaction, which is
/// queued again until nothing is left. For a user it is one: what they may not do with one object takes back all.
package final class OutboxAcknowledgement: PendingWrite, @unchecked Sendable {
    // Unchecked: the writer's thread alone uses what changes.

    /// Receives the number of deleted objects, and the version of the last deletion. Writer's thread; must not block.
    package typealias Completion =
        @Sendable (Result<(count: Int, version: StoreVersion), RequestFault>) -> Void

    /// Objects that one transaction takes away.
    private static let objectCountMax = 4096

    private let served: ServedStore
    private let cursor: OutboxCursor
    private let caller: Caller
    private let completion: Completion
    /// How many objects the transaction that is running has taken, and those before it.
    private var partCount = 0
    private var count = 0

    init(
        _ cursor: OutboxCursor, for caller: Caller, _ served: ServedStore,
        _ completion: @escaping Completion
    ) {
        self.cursor = cursor
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
        partCount = try transaction.acknowledge(
            rows.classes[index], through: cursor.key,
            countMax: partCountMax)
    }

    private var partCountMax: Int {
        caller.sight == nil
            ? min(Self.objectCountMax, served.store.options.operationCountMax) : .max
    }

    package func finish(_ outcome: WriteOutcome) {
        switch outcome {
        case .failed(let error): completion(.failure(served.fault(error)))
        case .committed(let number):
            count += partCount
            if partCount == partCountMax { return served.store.submit(self) }
            completion(
                .success((count, StoreVersion(epoch: served.store.epoch, number: number))))
        }
    }
}
