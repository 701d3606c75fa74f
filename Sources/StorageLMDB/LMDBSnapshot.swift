import Storage

/// A snapshot of an ``LMDBEngine``: a pooled read transaction, given back by ``close()``.
///
/// Pointers lead into the memory map, and are valid until the snapshot is closed.
package final class LMDBSnapshot: StorageSnapshot {
    private let environment: LMDBEnvironment
    private var transaction: LMDBTransaction?

    package let commit: UInt64
    package private(set) var entriesRead = 0

    init(environment: LMDBEnvironment, transaction: LMDBTransaction) {
        self.environment = environment
        self.transaction = transaction
        commit = transaction.number
    }

    deinit { close() }

    package func value(
        forKey key: UnsafeRawBufferPointer
    ) throws(StorageError) -> UnsafeRawBufferPointer? {
        let value = try open("get").value(forKey: key)
        if value != nil { entriesRead += 1 }
        return value
    }

    package func values(
        forKeys keys: [UnsafeRawBufferPointer], _ body: (Int, UnsafeRawBufferPointer?) -> Void
    ) throws(StorageError) {
        let transaction = try open("get")
        for index in keys.indices {
            let value = try transaction.value(forKey: keys[index])
            if value != nil { entriesRead += 1 }
            body(index, value)
        }
    }

    package func follow(
        _ key: UnsafeRawBufferPointer, prefix: UnsafeRawBufferPointer
    ) throws(StorageError) -> (link: UnsafeRawBufferPointer?, value: UnsafeRawBufferPointer?) {
        let transaction = try open("follow")
        guard let link = try transaction.value(forKey: key) else { return (nil, nil) }
        entriesRead += 1
        guard let value = try transaction.value(forLink: link, prefix: prefix) else {
            return (link, nil)
        }
        entriesRead += 1
        return (link, value)
    }

    package func scan(
        _ range: KeyRange, reversed: Bool, expecting: Int,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
    ) throws(StorageError) {
        entriesRead += try open("scan").scan(range, reversed: reversed, body)
    }

    package func close() {
        guard let transaction else { return }
        self.transaction = nil
        environment.giveBack(transaction)
    }

    @inline(__always)
    private func open(_ operation: String) throws(StorageError) -> LMDBTransaction {
        guard let transaction else { throw StorageError(.closed, operation: operation) }
        return transaction
    }
}
