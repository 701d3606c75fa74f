import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStorageLMDB
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads

/// The writing half of the embedded table, on stores of its own.
struct EmbeddedWrites {
    let arguments: Arguments

    /// The body of a write to the objects of a class.
    typealias Body = @Sendable (WriteTransaction, RowClass) throws(StoreError) -> Void

    /// Runs a write and waits until it is durable.
    func write(
        _ store: Store, of className: String = "Person", _ body: @escaping Body
    ) throws {
        let write = AwaitedWrite { transaction throws(StoreError) in
            guard let rowClass = transaction.catalog.rows.rowClass(named: className) else { return }
            try body(transaction, rowClass)
        }
        store.submit(write)
        try write.wait()
    }

    /// Reports how many of `count` objects a second a write changes until it is durable, and the processor time of
    /// each.
    private func measure(
        _ name: String, _ count: Int, _ store: Store, _ body: @escaping Body
    ) throws {
        let start = monotonicNanoseconds()
        let startOfWork = processorNanoseconds()
        try write(store, body)
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        let work = Double(processorNanoseconds() - startOfWork) / 1e3
        report(name, Double(count) / seconds, "objects/s")
        report("\(name)-cpu", work / Double(count), "µs")
    }

    /// Loads, changes and deletes people, and reports how many a second.
    func run() throws {
        if arguments.only == "random-insert" { return try randomInserts() }
        let total = arguments.objectCount
        let (store, engine) = try openStore("writes")
        defer { store.close() }
        try measure("bulk-insert", total, store) { (transaction, person) throws(StoreError) in
            let drafts = PersonDrafts(person, total: total)
            for index in 0..<total {
                _ = try transaction.write(drafts.draft(index), mode: .replace)
            }
        }
        try engine.checkpoint()
        report("bytes-after-load", Double(store.storedByteCount ?? 0) / Double(total), "bytes")
        if arguments.only == "bulk-insert" { return }
        try singleWrites(store)
        try manyChanges(store, engine)
        if arguments.only.isEmpty { try randomInserts() }
    }

    /// Makes a new store that has the schema and the cities.
    func openStore(_ name: String) throws -> (Store, LMDBEngine) {
        let directory = "\(arguments.workDirectory)-\(name)"
        let engine = try LMDBEngine(LMDBOptions(directory: directory))
        var options = StoreOptions()
        options.operationCountMax = .max
        let store = try Store(engine: engine, options: options)
        let people = People(store)
        guard try people.isEmpty else {
            throw Failure(description: "\(directory) has objects of an earlier run")
        }
        try people.makeSchema()
        try write(store, of: "City") { (transaction, city) throws(StoreError) in
            for index in 0..<1000 {
                let draft = ObjectDraft(city, isMerge: false)
                let digits = String(10_000 + index).dropFirst()
                _ = draft.set(0, value: .int(Int64(index)))
                _ = draft.set(1, value: .string("City\(digits)"))
                _ = try transaction.write(draft, mode: .replace)
            }
        }
        return (store, engine)
    }

    private func singleWrites(_ store: Store) throws {
        let total = arguments.objectCount
        let count = 2_000
        let start = monotonicNanoseconds()
        for index in total..<total + count {
            try write(store) { (transaction, person) throws(StoreError) in
                _ = try transaction.write(
                    PersonDrafts(person, total: total).draft(index), mode: .replace)
            }
        }
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        report("single-insert", Double(count) / seconds, "transactions/s")
    }

    /// Measures writes of many objects. Each begins when the previous checkpoint is done, as it
    /// does beside bare LMDB.
    private func manyChanges(_ store: Store, _ engine: LMDBEngine) throws {
        let total = arguments.objectCount
        try engine.checkpoint()
        try measure("update", total / 10, store) { (transaction, person) throws(StoreError) in
            let pool = DraftPool()
            for index in stride(from: 0, to: total, by: 10) {
                pool.takeBack(keeping: 1)
                let draft = pool.draft(person, isMerge: true)
                draft.set(0, inline: InlineValue(Int64(index)))
                draft.set(3, inline: InlineValue(Int64(index % 90)))
                _ = try transaction.write(draft, mode: .update)
            }
        }
        try engine.checkpoint()
        try measure("delete", total / 10, store) { (transaction, person) throws(StoreError) in
            for index in stride(from: 5, to: total, by: 10) {
                guard let key = OrderedKey(.int(Int64(index))),
                    let found = try transaction.find(person, primaryKey: key)
                else { continue }
                try transaction.delete(person, key: found.key)
            }
        }
    }
}

extension EmbeddedWrites {
    /// The objects of one transaction of random inserts.
    private static let randomTransactionCount = 1_000

    /// Inserts people in a random order of their primary keys, a thousand a transaction, and reports how many
    /// a second, and their size on the medium.
    func randomInserts() throws {
        let total = arguments.objectCount
        let (store, engine) = try openStore("random")
        defer { store.close() }
        var order = Array(0..<total)
        var draws = SeededGenerator(seed: 4711)
        for position in stride(from: total - 1, to: 0, by: -1) {
            order.swapAt(position, Int(draws.next() % UInt64(position + 1)))
        }
        let start = monotonicNanoseconds()
        var first = 0
        while first < total {
            let part = order[first..<min(total, first + Self.randomTransactionCount)]
            try write(store) { (transaction, person) throws(StoreError) in
                let drafts = PersonDrafts(person, total: total)
                for index in part {
                    _ = try transaction.write(drafts.draft(index), mode: .replace)
                }
            }
            first += part.count
        }
        try engine.checkpoint()
        let seconds = Double(monotonicNanoseconds() - start) / 1e9
        report("random-insert", Double(total) / seconds, "objects/s")
        report("bytes-after-random", Double(store.storedByteCount ?? 0) / Double(total), "bytes")
    }
}
