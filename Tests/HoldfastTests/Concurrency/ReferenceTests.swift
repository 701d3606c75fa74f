import Foundation
import Holdfast
import Testing

@Suite("References")
struct ReferenceTests {
    @Test("lead other threads to the same object, list, map, set and results")
    func resolve() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let person = Person(value: ["name": "Ada", "tags": ["a"], "marks": ["art": 1]])
        let dog = Dog(value: [1, "Rex", 3])
        try realm.write {
            realm.add(person)
            person.dogs.append(dog)
            person.home = Address(value: ["street": "Main"])
        }
        let home = try #require(person.home)
        let references = (
            ThreadSafeReference(to: person), ThreadSafeReference(to: person.dogs),
            ThreadSafeReference(to: person.marks), ThreadSafeReference(to: person.tags),
            ThreadSafeReference(to: realm.objects(Dog.self).filter("age == 3")),
            ThreadSafeReference(to: dog.keepers), ThreadSafeReference(to: home),
            ThreadSafeReference(to: AnyRealmCollection(person.dogs))
        )
        #expect(!references.0.isInvalidated)
        try Shared.onThread {
            let other = try Realm(configuration: configuration)
            let ada = try #require(other.resolve(references.0))
            #expect(ada.name == "Ada" && ada.realm == other)
            #expect(other.resolve(references.1)?.first?.name == "Rex")
            #expect(other.resolve(references.2)?["art"] == 1)
            #expect(other.resolve(references.3).map(Array.init) == ["a"])
            #expect(other.resolve(references.4)?.first?.id == 1)
            #expect(other.resolve(references.5)?.first == ada)
            #expect(other.resolve(references.6)?.street == "Main")
            #expect(other.resolve(references.7)?.count == 1)
            try other.write { ada.name = "Eva" }
        }
        #expect(references.0.isInvalidated)
        realm.refresh()
        #expect(person.name == "Eva")
    }

    @Test("have a realm of an older version advance to theirs")
    func advance() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let queue = DispatchQueue(label: "older")
        nonisolated(unsafe) var other: Realm?
        try queue.sync {
            other = try Realm(configuration: configuration, queue: queue)
            other?.autorefresh = false
        }
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        let reference = ThreadSafeReference(to: dog)
        queue.sync {
            #expect(other?.objects(Dog.self).isEmpty == true)
            #expect(other?.resolve(reference)?.name == "Rex")
            other = nil
        }
    }

    @Test("lead nowhere once the object is deleted")
    func deleted() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        let reference = ThreadSafeReference(to: dog)
        try realm.write { realm.delete(dog) }
        try Shared.onThread {
            let found = try Realm(configuration: configuration).resolve(reference)
            #expect(found == nil)
        }
        #expect(reference.isInvalidated)
    }

    @Test("to what is frozen lead to itself")
    func frozen() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        let reference = ThreadSafeReference(to: dog.freeze())
        try realm.write { dog.name = "Bo" }
        try Shared.onThread {
            let found = try Realm(configuration: configuration).resolve(reference)
            #expect(found?.isFrozen == true && found?.name == "Rex")
        }
    }

    @Test("keep a store in memory until they are resolved")
    func keep() throws {
        let configuration = Shared.configuration()
        var reference: ThreadSafeReference<Dog>?
        try Shared.onThread {
            let realm = try Realm(configuration: configuration)
            let dog = Dog(value: [1, "Rex"])
            try realm.write { realm.add(dog) }
            reference = ThreadSafeReference(to: dog)
        }
        let realm = try Realm(configuration: configuration)
        #expect(try realm.resolve(#require(reference))?.name == "Rex")
    }

    @Test("in a thread-safe variable are read and set on every thread")
    func variable() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add([dog, Dog(value: [2, "Bo"])]) }
        let holder = Holder()
        #expect(holder.dog == nil)
        holder.dog = dog
        #expect(holder.dog == dog)
        let queue = DispatchQueue(label: "variable")
        try Shared.onThread {
            #expect(holder.dog?.name == "Rex")
            #expect(holder.dog?.name == "Rex")
        }
        try queue.sync {
            let other = try Realm(configuration: configuration, queue: queue)
            #expect(holder.dog?.realm == other)
            holder.dog = other.object(ofType: Dog.self, forPrimaryKey: 2)
        }
        #expect(holder.dog?.name == "Bo" && holder.dog?.realm == realm)
        try realm.write { realm.deleteAll() }
        #expect(holder.dog == nil)
        holder.dog = nil
        #expect(holder.dog == nil)
    }

    final class Holder: @unchecked Sendable {
        @ThreadSafe var dog: Dog?
    }

    private static let mistakes = [
        Mistake("Can only resolve a thread safe reference once") {
            let reference = ThreadSafeReference(to: try added($0))
            _ = ($0.resolve(reference), $0.resolve(reference))
        },
        Mistake("Cannot construct reference to unmanaged object") { _ in
            _ = ThreadSafeReference(to: Dog())
        },
        Mistake("Cannot construct reference to invalidated object") { realm in
            let dog = try added(realm)
            try realm.write { realm.delete(dog) }
            _ = ThreadSafeReference(to: dog)
        },
        Mistake(
            "Cannot resolve thread safe reference in Realm with different configuration than the source Realm."
        ) {
            _ = try Realm.empty("other").resolve(ThreadSafeReference(to: added($0)))
        },
        Mistake("Only managed objects may be wrapped as thread safe.") { _ in
            Holder().dog = Dog()
        },
    ]

    private static func added(_ realm: Realm) throws -> Dog {
        try realm.write { realm.create(Dog.self, value: [1]) }
    }

    @Test("that are mistaken end the process with their message", arguments: mistakes.indices)
    func mistake(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            try ReferenceTests.mistakes[index].run(Realm.empty())
        }
        Self.mistakes[index].check(result)
    }
}
