import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastStorageLMDB
import HoldfastThreads

/// The work of the library's benchmark, done by the core on the same store: its figures are the library's reference.
///
/// Public for that benchmark alone, a program outside.
public final class CoreWork {
    private let shared: SharedStore
    private let engine: LMDBEngine
    private var store: Store { shared.store }

    /// The names of the benchmark's people.
    public static let names = (0..<1000).map { "Name \($0)" }
    /// Their mail addresses, of 20 bytes.
    public static let emails = (0..<1000).map { "user\($0 + 1000)@example.com" }

    /// Opens the store of a folder, to be shared by realms that are opened later.
    public init(folder: String) throws {
        let engine = try LMDBEngine(LMDBOptions(directory: folder))
        self.engine = engine
        shared = try OpenStores.open(folder: folder, options: StoreOptions()) { engine }
    }

    /// Brings the store to rest: a second later this would have happened anyway.
    public func settle() throws { try engine.checkpoint() }

    private func write(
        _ className: String,
        _ body: @escaping @Sendable (WriteTransaction, RowClass) throws(StoreError) -> Void
    ) throws {
        let write = AwaitedWrite { transaction throws(StoreError) in
            transaction.liftLimits()
            guard let rowClass = transaction.catalog.rows.rowClass(named: className) else { return }
            try body(transaction, rowClass)
        }
        store.submit(write)
        try write.wait()
    }

    private func read<Result>(
        _ className: String, _ body: (ReadTransaction, RowClass) throws(StoreError) -> Result
    ) throws -> Result? {
        try store.withRead { view throws(StoreError) in
            guard let rowClass = view.rows.rowClass(named: className) else { return nil }
            return try body(view, rowClass)
        }
    }

    private func keys(of className: String) throws -> [UInt64] {
        let keys = try read(className) { (view, rowClass) throws(StoreError) in
            var keys: [UInt64] = []
            try view.scan(rowClass, after: 0, expecting: .max) { key, _ in
                keys.append(key)
                return true
            }
            return keys
        }
        return keys ?? []
    }

    /// The object keys of all people.
    public func peopleKeys() throws -> [UInt64] { try keys(of: "Person") }

    // MARK: Writing

    /// Adds people in one write.
    public func insertPeople(_ count: Int) throws {
        try write("Person") { (transaction, rowClass) throws(StoreError) in
            let pool = DraftPool()
            for index in 0..<count {
                pool.takeBack(keeping: 1)
                let draft = pool.draft(rowClass, isMerge: false)
                var (name, email) = (Self.names[index % 1000], Self.emails[index % 1000])
                name.withUTF8 { draft.set(0, text: UnsafeRawBufferPointer($0)) }
                draft.set(1, inline: InlineValue(Int64(index % 90)))
                draft.set(2, inline: InlineValue(Double(index)))
                draft.set(3, inline: InlineValue(index & 1 == 0))
                draft.set(4, inline: InlineValue(Timestamp(seconds: Int64(index), nanoseconds: 0)))
                email.withUTF8 { draft.set(5, text: UnsafeRawBufferPointer($0)) }
                _ = try transaction.write(draft, mode: .create)
            }
        }
    }

    /// Adds accounts, whose numbers and groups count from 0.
    public func insertAccounts(_ count: Int) throws {
        try write("Account") { (transaction, rowClass) throws(StoreError) in
            for index in 0..<count {
                let draft = ObjectDraft(rowClass, isMerge: false)
                draft.set(0, inline: InlineValue(Int64(index)))
                draft.set(1, inline: InlineValue(Int64(index)))
                _ = try transaction.write(draft, mode: .create)
            }
        }
    }

    /// Adds one to the age of each person, in one write.
    public func incrementAges() throws {
        let keys = try keys(of: "Person")
        try write("Person") { (transaction, rowClass) throws(StoreError) in
            let pool = DraftPool()
            for key in keys {
                guard let row = try transaction.row(rowClass, key) else { continue }
                pool.takeBack(keeping: 1)
                let draft = pool.draft(rowClass, isMerge: true)
                let age = rowClass.field(1, in: row).slot.loadUnaligned(as: Int64.self)
                draft.set(1, inline: InlineValue(age + 1))
                _ = try transaction.write(draft, objectKey: key, mode: .update)
            }
        }
    }

    /// Changes the scores of people in one durable write: other people of the class stand between the old and the new one.
    public func changeScores(of keys: [UInt64]) throws {
        try write("Person") { (transaction, rowClass) throws(StoreError) in
            for key in keys {
                guard let row = try transaction.row(rowClass, key) else { continue }
                let draft = ObjectDraft(rowClass, isMerge: true)
                let score = rowClass.field(2, in: row).slot.loadUnaligned(as: Double.self)
                draft.set(2, inline: InlineValue(score + 1000.5))
                _ = try transaction.write(draft, objectKey: key, mode: .update)
            }
        }
    }

    /// Adds a basket and appends numbers to its list, one at a time by one editor.
    public func append(_ count: Int) throws {
        try write("Basket") { (transaction, rowClass) throws(StoreError) in
            let made = try transaction.write(
                ObjectDraft(rowClass, isMerge: false), mode: .create)
            let editor = try ObjectEditor(transaction, rowClass, key: made.key, .none)
            var path = EditPath(rowClass)
            path.member = 0
            path.element = .end
            let elements = ScalarCollectionBuilder()
            for index in 0..<count {
                let draft = ObjectDraft(rowClass, isMerge: true)
                elements.reset(rowClass.members[0].storage.element)
                elements.append(value: .int(Int64(index)))
                draft.set(0, collection: elements)
                do throws(EditFailure) {
                    try editor.apply(ObjectEdit(path, .place(draft, .insert)), origin: [])
                } catch {
                    if case .store(let error) = error { throw error }
                    throw .objectNotFound
                }
            }
            _ = try editor.finish()
        }
    }

    /// Writes one property of an account as often, each time durably.
    public func durableWrites(_ count: Int) throws {
        for index in 0..<count {
            try write("Account") { (transaction, rowClass) throws(StoreError) in
                let draft = ObjectDraft(rowClass, isMerge: true)
                draft.set(0, inline: InlineValue(Int64(0)))
                draft.set(2, inline: InlineValue(Int64(index + 1)))
                _ = try transaction.write(draft, mode: .update)
            }
        }
    }

    /// Deletes all objects of a class, in as many writes as the change log takes.
    public func deleteAll(_ className: String) throws {
        let keys = try keys(of: className)
        for start in stride(from: 0, to: keys.count, by: 250_000) {
            try write(className) { (transaction, rowClass) throws(StoreError) in
                for key in keys[start..<min(start + 250_000, keys.count)] {
                    _ = try transaction.delete(rowClass, key: key)
                }
            }
        }
    }

    // MARK: Reading

    /// Adds up the ages.
    public func sumOfAges() throws -> Int {
        let sum = try read("Person") { (view, rowClass) throws(StoreError) in
            let execution = try QueryExecution(ObjectQuery(classIndex: rowClass.index), in: view)
            let operations = try? AggregateOperation.parse(
                list: "sum(age)", rootClass: rowClass.index, schema: view.rows)
            let aggregation = Aggregation(
                operations ?? [], by: [], page: GroupPage(after: nil, countMax: 1),
                byteCountMax: .max, schema: view.rows)
            guard let result = try execution.groups(of: aggregation)?.groups.first?.results.first,
                case .stored(let bytes, _) = result
            else { return 0 }
            return bytes.withUnsafeBytes { Int($0.loadUnaligned(as: Int64.self)) }
        }
        return sum ?? 0
    }

    /// Finds as many accounts by their numbers, in no order, of as many.
    public func lookUp(_ count: Int) throws -> Int {
        let found = try read("Account") { (view, rowClass) throws(StoreError) in
            var found = 0
            for index in 0..<count {
                guard let key = OrderedKey(.int(Int64(index &* 7919 % count))) else { continue }
                if try view.find(rowClass, primaryKey: key) != nil { found += 1 }
            }
            return found
        }
        return found ?? 0
    }

    /// Counts the accounts of as many groups, each by a query of its own.
    public func countByGroup(_ count: Int) throws -> Int {
        let sum = try read("Account") { (view, rowClass) throws(StoreError) in
            var sum = 0
            for index in 0..<count {
                guard
                    let compiled = try? CompiledQuery.compile(
                        text: "group == $0", arguments: [QueryArgument(.int(Int64(index)))],
                        rootClass: rowClass.index, schema: view.rows, now: { Timestamp.now() })
                else { continue }
                let query = ObjectQuery(
                    classIndex: rowClass.index, predicate: compiled.predicate)
                sum += try QueryExecution(query.counted, in: view).count()
            }
            return sum
        }
        return sum ?? 0
    }
}
