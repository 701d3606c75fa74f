import Foundation
import Holdfast
import Testing

@Suite("Observers of objects")
struct ObjectObservationTests {
    @Test(
        "are told the properties that have changed with their values before and after, also of the realm's own writes"
    )
    func change() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [1, "Rex", 3])
        let friend = Dog(value: [2, "Bo"])
        try realm.write { realm.add([dog, friend]) }
        let told = ToldOfObject()
        let token = dog.observe { told.take($0) }
        realm.refresh()
        #expect(told.taken() == [])
        try realm.write {
            dog.name = "Max"
            dog.age = nil
            dog.mood = .sad
            dog.friend = friend
        }
        #expect(
            told.taken()
                == ["name: Rex → Max, age: 3 → nil, mood: happy → sad, friend: nil → Dog"])
        try realm.write { dog.name = "Max" }
        #expect(told.taken() == [])
        try realm.write { realm.delete(friend) }
        #expect(told.taken() == ["friend: gone → nil"])
        try realm.write { realm.delete(dog) }
        #expect(told.taken() == ["deleted"])
        try realm.write { realm.add(Dog(value: [1])) }
        #expect(told.taken() == [])
        _ = token
    }

    @Test("are not told of a value that has become again what it was before they could be told")
    func again() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex", 3])
        try realm.write { realm.add(dog) }
        let told = ToldOfObject()
        let token = dog.observe { told.take($0) }
        realm.refresh()
        for (name, mood) in [("Max", Mood.happy), ("Rex", .sad)] {
            nonisolated(unsafe) var reference: ThreadSafeReference<Dog>?
            try Shared.onThread {
                let other = try Realm(configuration: configuration)
                let dog = try #require(other.object(ofType: Dog.self, forPrimaryKey: 1))
                try other.write {
                    dog.name = name
                    dog.mood = mood
                }
                reference = ThreadSafeReference(to: dog)
            }
            // Has the realm advance to its version, and nobody told.
            #expect(realm.resolve(try #require(reference))?.name == name)
        }
        #expect(told.taken() == [])
        realm.refresh()
        #expect(told.taken() == ["mood: happy → sad"])
        _ = token
    }

    @Test("are told of collections and embedded objects by name")
    func collections() throws {
        let realm = try Realm.empty()
        let person = Person(value: ["home": ["street": "a"]])
        try realm.write { realm.add(person) }
        let told = ToldOfObject()
        let home = ToldOfObject()
        let tokens = [person.observe { told.take($0) }, person.home?.observe { home.take($0) }]
        realm.refresh()
        try realm.write {
            person.nicknames.append("x")
            person.marks["a"] = 1
        }
        let lines = told.taken()
        #expect(lines.count == 1 && lines[0].contains("marks: nil → "))
        #expect(lines.first?.contains("nicknames: nil → ") ?? false)
        #expect(home.taken() == [])
        try realm.write { person.home?.city = "Rome" }
        #expect(told.taken() == ["home: Address → Address"])
        #expect(home.taken() == ["city: nil → Rome"])
        try realm.write { person.home = nil }
        #expect(told.taken() == ["home: gone → nil"])
        #expect(home.taken() == ["deleted"])
        withExtendedLifetime(tokens) {}
    }

    @Test("of an embedded object follow it in its list")
    func inner() throws {
        let realm = try Realm.empty()
        let person = Person(value: ["former": [["street": "a"], ["street": "b"]]])
        try realm.write { realm.add(person) }
        let address = person.former[1]
        let told = ToldOfObject()
        let token = address.observe { told.take($0) }
        realm.refresh()
        try realm.write { person.former.insert(Address(value: ["street": "new"]), at: 0) }
        #expect(told.taken() == [])
        try realm.write {
            person.former.remove(at: 0)
            address.city = "Rome"
        }
        #expect(told.taken() == ["city: nil → Rome"])
        try realm.write { person.former.remove(at: 1) }
        #expect(told.taken() == ["deleted"])
        _ = token
    }

    @Test("are told several versions as one change, from the first value to the last")
    func severalVersions() throws {
        let name = "observers-of-several-versions"
        let realm = try Realm.ofSample(name, [Dog.self, Person.self, Address.self])
        let dog = Dog(value: [1, "a", 1])
        try realm.write { realm.add(dog) }
        let told = ToldOfObject()
        let token = dog.observe { told.take($0) }
        try inAnotherThread {
            let realm = try Realm.ofSample(name, [Dog.self, Person.self, Address.self])
            let dog = realm.object(ofType: Dog.self, forPrimaryKey: 1)
            try realm.write {
                dog?.name = "b"
                dog?.age = 2
            }
            try realm.write { dog?.name = "c" }
            try realm.write { dog?.age = 1 }
        }
        #expect(told.taken() == [])
        realm.refresh()
        #expect(told.taken() == ["name: a → c"])
        _ = token
    }
}

/// Runs `body` on a thread of its own and waits for it.
func inAnotherThread(_ body: @escaping @Sendable () throws -> Void) throws {
    nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
    let done = DispatchSemaphore(value: 0)
    Thread {
        result = Result { try body() }
        done.signal()
    }.start()
    done.wait()
    try result.get()
}
