import Glibc
import ObjectModel
import ObjectStore
import Rows
import StorageLMDB
import StoreService

/// The writing half of the embedded table, on a store of its own.
struct EmbeddedWrites {
    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    private func write(
        _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws {
        let done = Waiter<StoreError?>()
        store.submit(
            Write(body) { result in
                if case .failure(let error) = result {
                    done.finish(error)
                } else {
                    done.finish(nil)
                }
            })
        if let error = done.wait() { throw error }
    }

    /// Seconds that a write takes until it is durable.
    private func time(
        _ store: Store, _ body: @escaping @Sendable (WriteTransaction) throws(StoreError) -> Void
    ) throws -> Double {
        let start = monotonicNanoseconds()
        try write(store, body)
        return Double(monotonicNanoseconds() - start) / 1e9
    }

    /// Loads, changes and deletes people, and reports how many a second.
    func run() throws {
        let directory = "\(arguments.workDirectory)-writes"
        let engine = try LMDBEngine(LMDBOptions(directory: directory))
        var options = StoreOptions()
        options.operationCountMax = .max
        let store = try Store(engine: engine, options: options)
        defer { store.close() }
        try People(store).makeSchema()
        let total = arguments.objectCount
        try write(store) { transaction throws(StoreError) in
            guard let city = transaction.catalog.rows.rowClass(named: "City") else { return }
            for index in 0..<1000 {
                let draft = ObjectDraft(city, isMerge: false)
                let digits = String(10_000 + index).dropFirst()
                _ = draft.set(0, value: .int(Int64(index)))
                _ = draft.set(1, value: .string("City\(digits)"))
                _ = try transaction.write(draft, mode: .replace)
            }
        }
        let load = try time(store) { transaction throws(StoreError) in
            guard let person = transaction.catalog.rows.rowClass(named: "Person") else { return }
            let drafts = PersonDrafts(person, total: total)
            for index in 0..<total {
                _ = try transaction.write(drafts.draft(index), mode: .replace)
            }
        }
        report("bulk-insert", Double(total) / load, "objects/s")
        try engine.checkpoint()
        report("bytes-after-load", Double(store.storedByteCount ?? 0) / Double(total), "bytes")
        try singleWrites(store)
        try manyChanges(store)
    }

    private func singleWrites(_ store: Store) throws {
        let total = arguments.objectCount
        let count = 2_000
        let start = monotonicNanoseconds()
        for index in total..<total + count {
            try write(store) { transaction throws(StoreError) in
                guard let person = transaction.catalog.rows.rowClass(named: "Person") else {
                    return
                }
                _ = try transaction.write(
                    PersonDrafts(person, total: total).draft(index), mode: .replace)
            }
        }
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        report("single-insert", Double(count) / seconds, "transactions/s")
    }

    private func manyChanges(_ store: Store) throws {
        let total = arguments.objectCount
        let update = try time(store) { transaction throws(StoreError) in
            guard let person = transaction.catalog.rows.rowClass(named: "Person") else { return }
            let pool = DraftPool()
            for index in stride(from: 0, to: total, by: 10) {
                pool.takeBack(keeping: 1)
                let draft = pool.draft(person, isMerge: true)
                draft.set(0, int: Int64(index))
                draft.set(3, int: Int64(index % 90))
                _ = try transaction.write(draft, mode: .update)
            }
        }
        report("update", Double(total / 10) / update, "objects/s")
        let delete = try time(store) { transaction throws(StoreError) in
            guard let person = transaction.catalog.rows.rowClass(named: "Person") else { return }
            for index in stride(from: 5, to: total, by: 10) {
                guard let key = OrderedKey(.int(Int64(index))),
                    let found = try transaction.find(person, primaryKey: key)
                else { continue }
                try transaction.delete(person, key: found.key)
            }
        }
        report("delete", Double(total / 10) / delete, "objects/s")
    }
}
