import Foundation
import Holdfast
import Testing

@Suite("changes()")
@MainActor
struct ChangesTests {
    private func realm(_ name: String = #function) throws -> Realm {
        let realm = try Realm(configuration: Shared.configuration(name))
        let person = Person(value: ["name": "Ada", "marks": ["a": 1]])
        person.dogs.append(Dog(value: [1, "Rex", 3]))
        try realm.write { realm.add(person) }
        return realm
    }

    /// Writes, and returns a line for each change that a sequence tells: at first, if it does, and of the write.
    private func told<Change>(
        _ changes: RealmChanges<Change>, _ line: (Change) -> String, atFirst: Bool = true,
        _ write: () throws -> Void
    ) async throws -> [String] {
        var iterator = changes.makeAsyncIterator()
        var lines: [String] = []
        if atFirst, let change = await iterator.next(isolation: #isolation) {
            lines.append(line(change))
        }
        try write()
        if let change = await iterator.next(isolation: #isolation) { lines.append(line(change)) }
        return lines
    }

    @Test("tells what observers of a realm, an object and a projection are told")
    func objects() async throws {
        let realm = try realm()
        let dog = try #require(realm.objects(Dog.self).first)
        func write() throws { try realm.write { dog.age? += 1 } }
        #expect(
            try await told(realm.changes(), { "\($0)" }, atFirst: false, write) == ["didChange"])
        #expect(try await told(dog.changes(), \.line, atFirst: false, write) == ["age: 5"])
        #expect(
            try await told(dog.changes(keyPaths: ["age"]), \.line, atFirst: false, write)
                == ["age: 6"])
        let projection = DogProjection(projecting: dog)
        #expect(
            try await told(
                projection.changes(keyPaths: ["years"]), \.line, atFirst: false, write)
                == ["years: 7"])
    }

    @Test("tells what observers of a collection, a map and sections are told")
    func collections() async throws {
        let realm = try realm()
        let person = try #require(realm.objects(Person.self).first)
        let dog = person.dogs[0]
        let sections = realm.objects(Dog.self).sectioned(by: \.name)
        func write() throws {
            try realm.write {
                dog.name += "!"
                dog.age? += 1
                person.marks["a"]? += 1
            }
        }
        let modified = ["1 at first", "-[] +[] ~[0]"]
        #expect(try await told(realm.objects(Dog.self).changes(), \.line, write) == modified)
        #expect(try await told(person.dogs.changes(keyPaths: ["age"]), \.line, write) == modified)
        #expect(try await told(person.dogs.projectTo.name.changes(), \.line, write) == modified)
        #expect(
            try await told(person.marks.changes(), \.line, write)
                == ["1 at first", "-[] +[] ~[\"a\"]"])
        #expect(
            try await told(sections.changes(), \.line, write)
                == ["1 at first", "-[] +[0.0] ~[] +[0] -[0]"])
        let section = sections[0]
        #expect(
            try await told(section.changes(keyPaths: ["age"]), \.line) {
                try realm.write { dog.age = 50 }
            } == ["1 at first", "-[] +[] ~[0.0] +[] -[]"])
    }

    @Test("keeps what is told until it is taken, and ends with its task")
    func waiting() async throws {
        let realm = try realm()
        let dogs = realm.objects(Dog.self)
        var iterator = dogs.changes().makeAsyncIterator()
        _ = await iterator.next(isolation: #isolation)
        for id in 2..<5 { try realm.write { realm.add(Dog(value: [id])) } }
        for id in 1..<4 {
            #expect(await iterator.next(isolation: #isolation)?.line == "-[] +[\(id)] ~[]")
        }
        var count = 0
        let task = Task { for await _ in dogs.changes() { count += 1 } }
        for _ in 0..<30_000 where count < 1 { try await Task.sleep(for: .milliseconds(1)) }
        try realm.write { realm.add(Dog(value: [9])) }
        for _ in 0..<30_000 where count < 2 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await task.value
        #expect(count == 2)
    }

    @Test("tells of the first realm of a program, whichever thread serves the main actor")
    func firstRealm() async {
        // The main thread of a program with an asynchronous `main` ends, and others serve the main actor.
        await #expect(processExitsWith: .success) { try await Self.observeFirst() }
    }

    private static func observeFirst() async throws {
        let realm = try Realm(configuration: Shared.configuration())
        var isTold = false
        let token = realm.objects(Dog.self).observe { _ in isTold = true }
        for _ in 0..<30_000 where !isTold { try await Task.sleep(for: .milliseconds(1)) }
        withExtendedLifetime(token) { #expect(isTold) }
    }
}
