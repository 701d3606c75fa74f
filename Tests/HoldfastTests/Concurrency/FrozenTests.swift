import Foundation
import Holdfast
import Synchronization
import Testing

@Suite("Frozen")
struct FrozenTests {
    /// A realm with one person who has two dogs.
    private static func kennel(
        _ name: String = #function
    ) throws -> (realm: Realm, person: Person, rex: Dog, bo: Dog) {
        let realm = try Realm.empty(name)
        let rex = Dog(value: [1, "Rex", 3])
        let bo = Dog(value: [2, "Bo", 5])
        let person = Person(
            value: [
                "name": "Ada", "tags": ["a", "b"], "marks": ["art": 1],
                "home": ["street": "Main", "inner": ["street": "Side"]],
                "anything": AnyRealmValue.object(rex),
            ])
        try realm.write {
            realm.add(person)
            person.dogs.append(objectsIn: [rex, bo])
            person.pets["first"] = rex
            rex.friend = bo
        }
        return (realm, person, rex, bo)
    }

    @Test("objects and collections of every kind stay as they were, whatever is written")
    func stay() throws {
        let (realm, person, rex, bo) = try Self.kennel()
        let all = realm.objects(Dog.self)
        let old = all.filter("age > $0", 4).sorted(byKeyPath: "name")
        let any = AnyRealmCollection(person.dogs)
        let live = (person.dogs, person.tags, person.marks, person.pets, rex.keepers)
        let frozen = (
            person: person.freeze(), rex: rex.freeze(), home: person.home?.freeze(),
            dogs: live.0.freeze(), tags: live.1.freeze(), marks: live.2.freeze(),
            pets: live.3.freeze(), keepers: live.4.freeze(), all: all.freeze(),
            old: old.freeze(), any: any.freeze(), realm: realm.freeze()
        )
        #expect(!person.isFrozen && !all.isFrozen && !realm.isFrozen && !any.isFrozen)
        try realm.write {
            rex.name = "Max"
            rex.age = 9
            person.dogs.remove(at: 1)
            person.tags.insert("c")
            person.marks["art"] = 2
            person.home = nil
            realm.delete(bo)
        }
        try realm.write { realm.deleteAll() }
        #expect(frozen.person.name == "Ada" && frozen.person.isFrozen)
        #expect(frozen.rex.name == "Rex" && frozen.rex.age == 3)
        #expect(frozen.rex.friend?.name == "Bo" && frozen.rex.friend?.isFrozen == true)
        #expect(frozen.home?.street == "Main" && frozen.home?.inner?.street == "Side")
        #expect(frozen.dogs.map(\.name) == ["Rex", "Bo"] && frozen.dogs.isFrozen)
        #expect(Array(frozen.tags) == ["a", "b"] && frozen.tags.isFrozen)
        #expect(frozen.marks["art"] == 1 && frozen.marks.isFrozen)
        #expect(frozen.pets["first"]??.name == "Rex" && frozen.pets.isFrozen)
        #expect(frozen.keepers.map(\.name) == ["Ada"] && frozen.keepers.isFrozen)
        #expect(frozen.all.map(\.name) == ["Rex", "Bo"] && frozen.all.isFrozen)
        #expect(frozen.old.map(\.name) == ["Bo"] && frozen.old.sum(of: \.age) == 5)
        #expect(frozen.any.map(\.name) == ["Rex", "Bo"] && frozen.any.isFrozen)
        #expect(frozen.person.anything.object(Dog.self)?.name == "Rex")
        #expect(frozen.realm.isFrozen && frozen.realm.objects(Dog.self).count == 2)
        #expect(frozen.realm.objects(Dog.self).where { $0.age > 4 }.first?.name == "Bo")
        #expect(frozen.realm.object(ofType: Dog.self, forPrimaryKey: 1)?.name == "Rex")
        #expect(!frozen.person.isInvalidated && !frozen.all.isInvalidated)
        #expect(realm.isEmpty && !frozen.realm.isEmpty && !frozen.realm.refresh())
        #expect("\(frozen.rex)".contains("Rex"))
    }

    @Test("embedded objects, lists and dictionaries of mixed values stay where they were")
    func inner() throws {
        let realm = try Realm.empty()
        let person = Person()
        let note = Note()
        try realm.write {
            realm.add(person)
            realm.add(note)
            person.former.append(objectsIn: [
                Address(value: ["street": "First"]), Address(value: ["street": "Second"]),
            ])
            person.anything = .fromArray([.int(1), .fromDictionary(["key": .string("value")])])
        }
        let second = person.former[1]
        let dictionary = try #require(person.anything.listValue?[1].dictionaryValue)
        let frozen = (second: second.freeze(), dictionary: dictionary.freeze())
        try realm.write {
            person.former.remove(at: 0)
            second.street = "Moved"
            dictionary["key"] = .string("other")
        }
        #expect(frozen.second.street == "Second" && frozen.second.isFrozen)
        #expect(frozen.dictionary["key"] == .string("value") && frozen.dictionary.isFrozen)
        #expect(frozen.dictionary.thaw()?["key"] == .string("other"))
        let reference = ThreadSafeReference(to: dictionary)
        #expect(realm.resolve(reference)?["key"] == .string("other"))
        try realm.write { person.anything = .none }
        #expect(frozen.dictionary.thaw() == nil && frozen.dictionary.count == 1)
    }

    @Test("elements of lists are thawed to what they are, wherever that is by now")
    func thawsElements() throws {
        let realm = try Realm.empty()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.former.append(objectsIn: ["a", "b", "c"].map { Address(value: ["street": $0]) })
            person.anything = .fromArray([.fromArray([.int(1)]), .fromArray([.int(2)])])
        }
        let (a, c) = (person.former[0], person.former[2])
        let list = try #require(person.anything.listValue?[1].listValue)
        let frozen = (a: a.freeze(), c: c.freeze(), list: list.freeze())
        let reference = (ThreadSafeReference(to: c), ThreadSafeReference(to: list))
        try realm.write {
            person.former.insert(Address(value: ["street": "new"]), at: 0)
            person.anything.listValue?.insert(.int(0), at: 0)
            // What a write has moved is frozen where it was before.
            #expect(c.freeze().street == "c" && a.freeze().street == "a")
            #expect(frozen.c.thaw()?.isSameObject(as: c) == true)
            person.former.remove(at: 1)
            c.street = "changed"
        }
        #expect(person.former.map(\.street) == ["new", "b", "changed"])
        #expect(frozen.a.thaw() == nil && frozen.a.street == "a")
        #expect(frozen.c.thaw()?.isSameObject(as: c) == true && frozen.c.street == "c")
        #expect(frozen.list.thaw().map { Array($0) } == [.int(2)])
        #expect(realm.resolve(reference.0)?.street == "changed")
        let moved = c.freeze()
        try realm.write { person.former.swapAt(0, 2) }
        #expect(moved.thaw()?.isSameObject(as: c) == true && c.street == "changed")
        #expect(realm.resolve(reference.1).map { Array($0) } == [.int(2)])
        try realm.write { person.former.removeAll() }
        #expect(frozen.c.thaw() == nil)
    }

    @Test("twice from one version they are of one realm, and equal by their rows")
    func equal() throws {
        let (realm, person, rex, _) = try Self.kennel()
        #expect(realm.freeze() == realm.freeze() && realm.freeze() == person.freeze().realm)
        #expect(rex.freeze() == rex.freeze() && rex.freeze() != rex)
        #expect(rex.freeze().hashValue == rex.freeze().hashValue)
        let note = Note()
        try realm.write { realm.add(note) }
        #expect(note.freeze() == note.freeze())
        #expect(note.freeze().isSameObject(as: note.freeze()))
        let first = realm.freeze()
        try realm.write { note.text = "x" }
        #expect(realm.freeze() != first)
        let frozen = realm.freeze()
        #expect(frozen.freeze() == frozen && rex.freeze().freeze().isFrozen)
    }

    @Test("they are of the version that the realm shows, not of a newer one")
    func shownVersion() throws {
        let configuration = Shared.configuration()
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        try Shared.onThread {
            let other = try Realm(configuration: configuration)
            try other.write { other.object(ofType: Dog.self, forPrimaryKey: 1)?.name = "Bo" }
        }
        let frozen = dog.freeze()
        #expect(frozen.name == "Rex")
        realm.refresh()
        #expect(dog.name == "Bo" && frozen.name == "Rex" && dog.freeze().name == "Bo")
    }

    @Test("inside a write they are of the version before it")
    func insideWrite() throws {
        let (realm, _, rex, _) = try Self.kennel()
        try realm.write {
            rex.name = "Max"
            #expect(rex.freeze().name == "Rex" && rex.name == "Max")
        }
    }

    @Test("thawed they are live again, or nil where they are gone")
    func thaw() throws {
        let (realm, person, rex, bo) = try Self.kennel()
        let frozen = (
            person: person.freeze(), rex: rex.freeze(), bo: bo.freeze(),
            dogs: person.dogs.freeze(), all: realm.objects(Dog.self).freeze(),
            home: person.home?.freeze(), any: AnyRealmCollection(person.tags).freeze()
        )
        try realm.write {
            rex.name = "Max"
            realm.delete(bo)
        }
        let thawed = try #require(frozen.rex.thaw())
        #expect(!thawed.isFrozen && thawed.name == "Max" && thawed == rex)
        #expect(frozen.bo.thaw() == nil)
        #expect(frozen.dogs.thaw()?.map(\.name) == ["Max"])
        #expect(frozen.all.thaw()?.count == 1 && frozen.all.thaw()?.isFrozen == false)
        #expect(frozen.any.thaw()?.count == 2)
        #expect(realm.freeze().thaw() == realm && realm.thaw() == realm)
        #expect(rex.thaw() === rex)
        try realm.write { frozen.rex.thaw()?.name = "Leo" }
        #expect(rex.name == "Leo")
        try realm.write { realm.delete(person) }
        #expect(frozen.dogs.thaw() == nil && frozen.home?.thaw() == nil)
        #expect(frozen.person.thaw() == nil)
    }

    @Test("thawed on a queue they are of its realm, at their version at least")
    func thawElsewhere() throws {
        let configuration = Shared.configuration()
        let queue = DispatchQueue(label: "thaw")
        nonisolated(unsafe) var other: Realm?
        try queue.sync {
            other = try Realm(configuration: configuration, queue: queue)
            other?.autorefresh = false
        }
        let realm = try Realm(configuration: configuration)
        let dog = Dog(value: [1, "Rex"])
        try realm.write { realm.add(dog) }
        nonisolated(unsafe) let frozen = dog.freeze()
        queue.sync {
            let thawed = frozen.thaw()
            #expect(thawed?.name == "Rex" && thawed?.realm == other)
            other = nil
        }
        try Shared.onThread { #expect(frozen.thaw()?.name == "Rex") }
    }

    @Test("they outlive the realm that they were frozen from")
    func outlive() throws {
        var frozen: Results<Dog>?
        try { frozen = try Self.kennel("outlive").realm.objects(Dog.self).freeze() }()
        #expect(frozen?.map(\.name) == ["Rex", "Bo"])
        #expect(frozen?.thaw()?.count == 2)
    }

    @Test("eight threads read them at once, what they lead to and what they cache")
    func manyThreads() throws {
        let realm = try Realm.empty()
        let long = String(repeating: "long text ", count: 2000)
        try realm.write {
            let person = Person(value: ["name": "Ada", "photo": Data(long.utf8)])
            realm.add(person)
            for id in 0..<500 {
                let dog = Dog(value: [id, "Rex \(id)", id % 10])
                person.dogs.append(dog)
                person.pets["\(id)"] = dog
            }
            person.nicknames.append(objectsIn: (0..<4000).map { "nickname \($0)" })
            person.home = Address(value: ["street": long])
        }
        nonisolated(unsafe) let frozen = realm.freeze()
        nonisolated(unsafe) let person = try #require(frozen.objects(Person.self).first)
        nonisolated(unsafe) let dogs = frozen.objects(Dog.self)
        nonisolated(unsafe) let old = dogs.filter("age > 4").sorted(byKeyPath: "name")
        nonisolated(unsafe) let list = person.dogs
        nonisolated(unsafe) let names = person.nicknames
        nonisolated(unsafe) let keepers = dogs[0].keepers
        nonisolated(unsafe) let dog = dogs[7]
        let failures = Atomic(0)
        let group = DispatchGroup()
        for thread in 0..<8 {
            group.enter()
            Thread.detachNewThread {
                func check(_ holds: Bool) {
                    if !holds { failures.wrappingAdd(1, ordering: .relaxed) }
                }
                for round in 0..<3 {
                    check(dogs.count == 500 && dogs.reduce(0) { $0 + ($1.age ?? 0) } == 2250)
                    check(old.count == 250 && old[thread].age ?? 0 > 4)
                    check(list.count == 500 && list[round].keepers.first?.name == "Ada")
                    check(list.reduce(0) { $0 + $1.id } == 124_750)
                    check(names.count == 4000 && names[3999 - thread] != nil)
                    check(names.filter { $0?.hasSuffix("7") == true }.count == 400)
                    check(keepers.count == 1 && keepers[0] == person)
                    check(dog.name == "Rex 7" && dog.weight == 0 && !dog.isInvalidated)
                    check(person.photo.count == long.utf8.count && person.home?.street == long)
                    check(person.pets["\(thread)"]??.id == thread)
                    check(frozen.objects(Dog.self).where { $0.age == thread }.count == 50)
                    check(dogs.sum(of: \.age) == 2250)
                    check(frozen.object(ofType: Dog.self, forPrimaryKey: round)?.id == round)
                }
                group.leave()
            }
        }
        for id in 0..<50 {
            try realm.write {
                realm.object(ofType: Dog.self, forPrimaryKey: id)?.age = 99
                realm.add(Dog(value: [1000 + id]))
            }
        }
        group.wait()
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test("more versions than may be held make the next write fail")
    func tooManyVersions() throws {
        var configuration = Shared.configuration()
        configuration.maximumNumberOfActiveVersions = 3
        let realm = try Realm(configuration: configuration)
        var frozen: [Realm] = []
        for id in 0..<2 {
            try realm.write { realm.add(Dog(value: [id])) }
            frozen.append(realm.freeze())
        }
        try realm.write { realm.add(Dog(value: [2])) }
        frozen.append(realm.freeze())
        try realm.write { realm.add(Dog(value: [3])) }
        let error = #expect(throws: Realm.Error.self) {
            try realm.write { realm.add(Dog(value: [4])) }
        }
        #expect(error?.code == .tooManyVersions)
        #expect(
            error?.message
                == "Number of active versions (4) in the Realm exceeded the limit of 3: 3 are held by frozen objects, 1 by realms."
        )
        #expect(realm.objects(Dog.self).count == 4 && !realm.isInWriteTransaction)
        frozen.removeLast()
        try realm.write { realm.add(Dog(value: [4])) }
        #expect(frozen.map { $0.objects(Dog.self).count } == [1, 2])
    }

    private static let mistakes = [
        Mistake("Can't perform transactions on a frozen Realm") { try $0.freeze().write {} },
        Mistake("Can't perform transactions on a frozen Realm") { $0.freeze().beginWrite() },
        Mistake("Can't perform transactions on a frozen Realm") { realm in
            try realm.freeze().delete(rex(realm).freeze())
        },
        Mistake("Can't perform transactions on a frozen Realm") { $0.freeze().writeAsync {} },
        Mistake(modifying) { try rex($0).freeze().name = "Bo" },
        Mistake(modifying) { try person($0).freeze().dogs.append(Dog()) },
        Mistake(modifying) { try person($0).tags.freeze().insert("c") },
        Mistake(modifying) { try person($0).marks.freeze()["art"] = 2 },
        Mistake("Unmanaged objects cannot be frozen.") { _ in _ = Dog().freeze() },
        Mistake("Unmanaged objects cannot be thawed.") { _ in _ = Dog().thaw() },
        Mistake("This method may only be called on List instances retrieved from a Realm.") { _ in
            _ = Person().dogs.freeze()
        },
        Mistake("Cannot freeze an object in the same write transaction as it was created in.") {
            $0.beginWrite()
            let new = Dog(value: [9])
            $0.add(new)
            _ = new.freeze()
        },
        Mistake("Cannot freeze an object in the same write transaction as it was created in.") {
            $0.beginWrite()
            let former = try person($0).former
            former.append(Address())
            _ = former[0].freeze()
        },
        Mistake("Object has been deleted or invalidated.") { realm in
            let rex = try rex(realm)
            try realm.write { realm.delete(rex) }
            _ = rex.freeze()
        },
        Mistake("Auto-refresh cannot be enabled for frozen Realms.") {
            $0.freeze().autorefresh = true
        },
    ]
    private static let modifying =
        "Attempting to modify a frozen object - call thaw on the Object instance first."

    private static func rex(_ realm: Realm) throws -> Dog {
        try #require(realm.object(ofType: Dog.self, forPrimaryKey: 1))
    }

    private static func person(_ realm: Realm) throws -> Person {
        try #require(realm.objects(Person.self).first)
    }

    @Test("what can't be done with them ends the process", arguments: mistakes.indices)
    func mistake(index: Int) async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { [index] in
            try FrozenTests.mistakes[index].run(FrozenTests.kennel().realm)
        }
        Self.mistakes[index].check(result)
    }
}
