import Foundation
import Holdfast
import HoldfastBenchmarkCore

/// The rows of the library, each beside the same work by the core.
struct LibraryBenchmark {
    let realm: Realm
    let core: CoreWork
    let count: Int
    let rounds: Int

    init(directory: String, count: Int, rounds: Int) throws {
        let url = URL(fileURLWithPath: directory + "/people")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        core = try CoreWork(folder: url.path)
        realm = try Realm(fileURL: url)
        self.count = count
        self.rounds = rounds
    }

    static let rows: [(name: String, measure: @Sendable (Self) -> () throws -> Void)] = [
        ("add", add), ("reads", reads), ("iteration", iteration), ("increment", increment),
        ("assignments", assignments), ("append", append), ("create-find", createAndFind),
        ("durable", durable), ("look-up", lookUp), ("where", wheres),
        ("observation", observation), ("open", open),
    ]

    var contest: Contest { Contest(rounds: rounds) }

    private func clear(_ type: (some Object).Type) throws {
        try realm.write { realm.delete(realm.objects(type)) }
    }

    /// Fills the store with people.
    func fill() throws {
        let missing = count - realm.objects(Person.self).count
        if missing > 0 { try core.insertPeople(missing) }
        try core.settle()
        realm.refresh()
    }

    // MARK: Writing many

    private static func person(_ index: Int) -> Person {
        let person = Person()
        person.name = CoreWork.names[index % 1000]
        person.age = index % 90
        person.score = Double(index)
        person.isActive = index & 1 == 0
        person.born = Date(timeIntervalSince1970: Double(index))
        person.email = CoreWork.emails[index % 1000]
        return person
    }

    private func add() throws {
        let each = 1e6 / Double(count)
        let before = residentByteCount()
        var most = 0
        let added = try contest.run {
            try realm.write {
                for index in 0..<count { realm.add(Self.person(index)) }
                most = max(most, residentByteCount() - before)
            }
        } _: {
            try core.insertPeople(count)
        }
        report("add", added.ratio, "×")
        report("add-time", added.library * each, "µs")
        report("bulk-time", added.core * each, "µs")
        report("add-memory", Double(most) / Double(count), "bytes")
        realm.refresh()
        let created = try contest.run {
            try realm.write {
                for index in 0..<count {
                    realm.create(
                        Person.self,
                        value: [
                            "name": CoreWork.names[index % 1000], "age": index % 90,
                            "score": Double(index), "isActive": index & 1 == 0,
                            "born": Date(timeIntervalSince1970: Double(index)),
                            "email": CoreWork.emails[index % 1000],
                        ])
                }
            }
        } _: {
            try core.insertPeople(count)
        }
        report("create", created.ratio, "×")
        report("create-time", created.library * each, "µs")
        try core.deleteAll("Person")
        realm.refresh()
    }

    private func increment() throws {
        try fill()
        let people = realm.objects(Person.self)
        let each = 1e6 / Double(people.count)
        let result = try contest.run {
            try realm.write { for person in people { person.age += 1 } }
        } _: {
            try core.incrementAges()
        }
        report("increment", result.ratio, "×")
        report("increment-time", result.library * each, "µs")
        report("mass-update-time", result.core * each, "µs")
    }

    private func assignments() throws {
        var forms: [Form] = []
        try realm.write {
            for _ in 0..<10_000 { forms.append(realm.create(Form.self)) }
        }
        var value = 0
        let result = try contest.run {
            value += 10
            try realm.write { for form in forms { form.fill(value) } }
        } _: {
            value += 10
            try realm.write { for form in forms { form.a0 = value } }
        }
        report("thirty-assignments", result.ratio, "×")
        try clear(Form.self)
    }

    private func append() throws {
        func fill(_ count: Int) throws {
            try realm.write {
                let basket = realm.create(Basket.self)
                for index in 0..<count { basket.numbers.append(index) }
            }
        }
        let once = try contest.run {
            try fill(100_000)
        } _: {
            try core.append(100_000)
        }
        report("append", once.ratio, "×")
        report("append-time", once.library * 10, "µs")
        report("editor-time", once.core * 10, "µs")
        let twice = try contest.run {
            try fill(200_000)
        } _: {
            try fill(100_000)
        }
        report("append-twice", twice.ratio, "×")
        try clear(Basket.self)
    }

    private func createAndFind() throws {
        func run(_ count: Int) throws {
            try realm.write {
                for index in 0..<count {
                    realm.create(Account.self, value: ["number": index, "group": index])
                    keep(realm.objects(Account.self).where { $0.group == index }.count)
                }
            }
            try clear(Account.self)
        }
        let result = try Contest(rounds: 1).run {
            try run(20_000)
        } _: {
            try run(10_000)
        }
        report("create-find-twice", result.ratio, "×")
        report("create-find-time", result.library * 50, "µs")
    }

    // MARK: Reading

    private func reads() throws {
        try fill()
        guard let person = realm.objects(Person.self).first else { return }
        let times = 10_000_000
        let each = 1e9 / Double(times)
        let int = contest.run {
            var sum = 0
            for _ in 0..<times { sum &+= person.age }
            keep(sum)
        }
        report("managed-int", int * each, "ns")
        let bool = contest.run {
            var sum = 0
            for _ in 0..<times where person.isActive { sum &+= 1 }
            keep(sum)
        }
        report("managed-bool", bool * each, "ns")
        let date = contest.run {
            var sum = 0.0
            for _ in 0..<times { sum += person.born.timeIntervalSince1970 }
            keep(Int(sum))
        }
        report("managed-date", date * each, "ns")
        let bytes = Array(person.email.utf8)
        let string = bytes.withUnsafeBytes { bytes in
            contest.run {
                for _ in 0..<times { keep(person.email.utf8.count) }
            } _: {
                for _ in 0..<times { keep(String(decoding: bytes, as: UTF8.self).utf8.count) }
            }
        }
        report("managed-string", string.ratio, "×")
        report("managed-string-time", string.library * each, "ns")
        report("string-time", string.core * each, "ns")
    }

    private func iteration() throws {
        try fill()
        let people = realm.objects(Person.self)
        let each = 1e9 / Double(people.count)
        let time = contest.run {
            realm.refresh()
            var sum = 0
            for person in people { sum += person.age }
            keep(sum)
        }
        report("iteration", time * each, "ns")
        let sum = try contest.run {
            for _ in 0..<20 { keep(people.sum(of: \.age)) }
        } _: {
            for _ in 0..<20 { keep(try core.sumOfAges()) }
        }
        report("sum-of", sum.ratio, "×")
    }

    private func lookUp() throws {
        let objects = 100_000
        try clear(Account.self)
        try core.insertAccounts(objects)
        try core.settle()
        realm.refresh()
        let each = 1e9 / Double(objects)
        let found = try contest.run {
            var sum = 0
            for index in 0..<objects {
                let number = index &* 7919 % objects
                sum += realm.object(ofType: Account.self, forPrimaryKey: number) == nil ? 0 : 1
            }
            keep(sum)
        } _: {
            keep(try core.lookUp(objects))
        }
        report("look-up", (found.library - found.core) * each, "ns")
        let queries = 2000
        let perQuery = 1e6 / Double(queries)
        let counted = try contest.run {
            var sum = 0
            let accounts = realm.objects(Account.self)
            for index in 0..<queries { sum += accounts.filter("group == $0", index).count }
            keep(sum)
        } _: {
            keep(try core.countByGroup(queries))
        }
        report("count", (counted.library - counted.core) * perQuery, "µs")
        try clear(Account.self)
    }

    private func wheres() throws {
        let queries = 2000
        try clear(Account.self)
        try core.insertAccounts(100_000)
        try core.settle()
        realm.refresh()
        let wheres = contest.run {
            var sum = 0
            let accounts = realm.objects(Account.self)
            for index in 0..<queries { sum += accounts.where { $0.group == index }.count }
            keep(sum)
        } _: {
            var sum = 0
            let accounts = realm.objects(Account.self)
            for index in 0..<queries { sum += accounts.filter("group == $0", index).count }
            keep(sum)
        }
        report("where", wheres.ratio, "×")
        try clear(Account.self)
    }

    // MARK: Durable writes

    private func durable() throws {
        try clear(Account.self)
        try core.insertAccounts(8)
        realm.refresh()
        guard let account = realm.object(ofType: Account.self, forPrimaryKey: 0) else { return }
        let writes = 300
        let wall = Contest(rounds: rounds) { Clock.wall }
        let one = try wall.run {
            for _ in 0..<writes { try realm.write { account.balance += 1 } }
        } _: {
            try core.durableWrites(writes)
        }
        report("durable", one.ratio, "×")
        report("durable-time", one.library * 1e6 / Double(writes), "µs")
        let url = realm.configuration.fileURL
        let eight = wall.run {
            onThreads(8) { thread in
                guard let url, let realm = try? Realm(fileURL: url),
                    let account = realm.object(ofType: Account.self, forPrimaryKey: thread)
                else { return }
                for _ in 0..<writes { try? realm.write { account.balance += 1 } }
            }
        }
        report("durable-eight", 8 * one.library / eight, "×")
        try clear(Account.self)
    }

    private func open() throws {
        let times = 100_000
        Realm.Configuration.defaultConfiguration = realm.configuration
        let time = try contest.run {
            for _ in 0..<times { keep(try Realm().isInWriteTransaction ? 1 : 0) }
        }
        report("realm-again", time * 1e9 / Double(times), "ns")
    }
}
