import Foundation
import Holdfast
import Testing

/// What tests of several threads share.
enum Shared {
    /// A configuration of an empty realm in memory, for one test.
    static func configuration(
        _ name: String = #function, file: String = #fileID
    ) -> Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: "\(file) \(name) \(UUID())",
            objectTypes: [Dog.self, Address.self, Person.self, Note.self])
    }

    /// Runs `body` on a thread of its own, and waits for it.
    static func onThread(_ body: @escaping () throws -> Void) throws {
        nonisolated(unsafe) var failure: (any Error)?
        nonisolated(unsafe) let body = body
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do { try body() } catch { failure = error }
            done.signal()
        }
        done.wait()
        if let failure { throw failure }
    }

    /// Objects of a realm of the calling thread.
    struct Things {
        let realm: Realm
        let dog: Dog
        let person: Person
        let results: Results<Dog>
    }

    /// Runs `body` on another thread than that of the realm which its argument is of.
    static func elsewhere(_ body: @escaping (Things) throws -> Void) throws {
        let realm = try Realm(configuration: configuration())
        let dog = Dog(value: [1, "Rex", 3])
        let person = Person(value: ["name": "Ada", "tags": ["a"], "marks": ["a": 1]])
        try realm.write {
            realm.add(dog)
            realm.add(person)
            person.dogs.append(dog)
        }
        _ = (dog.weight, dog.name)
        let things = Things(
            realm: realm, dog: dog, person: person, results: realm.objects(Dog.self))
        try onThread { try body(things) }
    }

    /// Expects that a process ended with a message.
    static func expect(
        _ result: ExitTest.Result?, tells message: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.message.contains(message), sourceLocation: sourceLocation)
    }
}
