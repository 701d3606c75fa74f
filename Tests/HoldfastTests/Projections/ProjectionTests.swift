import Holdfast
import Testing

final class DogProjection: Projection<Dog> {
    @Projected(\Dog.name) var name
    @Projected(\Dog.age) var years
    @Projected(\Dog.name.localizedUppercase) var shouted
    @Projected(\Dog.friend?.name) var friendName
    @Projected(\Dog.friend!.name) var requiredFriendName
    @Projected(\Dog.summary) var summary
    /// Not projected, since it is no property of the object.
    var visits = 0
}

final class PersonProjection: Projection<Person> {
    @Projected(\Person.home?.inner?.street) var innerStreet
    @Projected(\Person.dogs) var dogs
    @Projected(\Person.dogs.count) var dogCount
    @Projected(\Person.dogs.projectTo.name) var dogNames
    @Projected(\Person.tags) var tags
    @Projected(\Person.dogs.first?.name) var firstDog
}

final class AddressProjection: Projection<Address> {
    @Projected(\Address.street) var street
}

class BaseProjection: Projection<Dog> {
    @Projected(\Dog.name) var name
}

final class DerivedProjection: BaseProjection {
    @Projected(\Dog.age) var age
}

extension Dog {
    var summary: String { "\(name), \(age ?? 0)" }
    /// Depends on nothing that is stored.
    var isDog: Bool { true }
}

@Suite("Projections")
struct ProjectionTests {
    private func kennel(_ name: String = #function) throws -> Realm {
        let realm = try Realm.empty(name)
        try realm.write {
            let bo = Dog(value: [2, "Bo", 7])
            realm.add(Dog(value: ["id": 1, "name": "Rex", "age": 3, "friend": bo]))
            realm.add(Dog(value: [3, "Ida", 5]))
        }
        return realm
    }

    @Test("show stored, linked and computed values, as they are now")
    func shows() throws {
        let realm = try kennel()
        let rex = try #require(realm.objects(DogProjection.self).first { $0.name == "Rex" })
        #expect(rex.years == 3 && rex.shouted == "REX" && rex.summary == "Rex, 3")
        #expect(rex.friendName == "Bo" && rex.requiredFriendName == "Bo")
        try realm.write {
            rex.rootObject.age = 4
            rex.rootObject.friend = nil
        }
        #expect(rex.years == 4 && rex.summary == "Rex, 4" && rex.friendName == nil)
        rex.visits += 1
        #expect(rex.visits == 1)
    }

    @Test("write through where their key path can be written, through a link too")
    func writes() throws {
        let realm = try kennel()
        let rex = try #require(realm.objects(DogProjection.self).first)
        try realm.write {
            rex.name = "Max"
            rex.years = nil
            rex.requiredFriendName = "Ben"
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Max", "Ben", "Ida"])
        #expect(rex.rootObject.age == nil)
    }

    @Test("of unmanaged objects show and write those")
    func unmanaged() throws {
        let dog = Dog(value: [9, "Rex", 3])
        let projection = DogProjection(projecting: dog)
        projection.name = "Bo"
        #expect(dog.name == "Bo" && projection.shouted == "BO" && projection.friendName == nil)
        #expect(projection.realm == nil && !projection.isInvalidated && !projection.isFrozen)
        let person = PersonProjection(projecting: Person())
        person.dogs.append(dog)
        #expect(person.dogCount == 1 && person.dogNames.elementsEqual(["Bo"]))
        let realm = try kennel()
        try realm.write { realm.add(person.rootObject) }
        #expect(person.dogCount == 1 && person.realm == realm && projection.realm == realm)
    }

    @Test("resolve paths through embedded objects, collections and their counts")
    func paths() throws {
        let realm = try kennel()
        try realm.write {
            realm.create(
                Person.self,
                value: [
                    "home": ["street": "Main", "inner": ["street": "Back"]],
                    "dogs": Array(realm.objects(Dog.self)), "tags": ["a", "b"],
                ])
        }
        let person = try #require(realm.objects(PersonProjection.self).first)
        #expect(person.innerStreet == "Back" && person.dogCount == 3 && person.firstDog == "Rex")
        #expect(person.dogs.map(\.id) == [1, 2, 3] && person.tags.contains("a"))
        let home = try #require(person.rootObject.home)
        let address = AddressProjection(projecting: home)
        try realm.write { address.street = "High" }
        #expect(home.street == "High")
        try realm.write { person.rootObject.home = nil }
        #expect(address.isInvalidated && person.innerStreet == nil)
    }

    @Test(
        "are equal, and hash alike, when their objects are the same, with or without a primary key")
    func equality() throws {
        let realm = try kennel()
        let dogs = realm.objects(DogProjection.self)
        #expect(dogs[0] == dogs[0] && dogs[0] != dogs[1])
        #expect(Set([dogs[0], dogs[0], dogs[1]]).count == 2)
        final class NoteProjection: Projection<Note> { @Projected(\Note.text) var text }
        try realm.write { realm.add([Note(), Note()]) }
        let notes = realm.objects(NoteProjection.self)
        #expect(notes[0] == notes[0] && notes[0] != notes[1])
        #expect(Set([notes[0], notes[0], notes[1]]).count == 2)
        let dog = Dog()
        #expect(DogProjection(projecting: dog) == DogProjection(projecting: dog))
        #expect(DogProjection(projecting: dog) != DogProjection(projecting: Dog()))
    }

    @Test("are invalidated with their object")
    func invalidated() throws {
        let realm = try kennel()
        let dog = realm.objects(DogProjection.self)[0]
        #expect(dog.realm == realm && !dog.isInvalidated)
        try realm.write { realm.delete(dog.rootObject) }
        #expect(dog.isInvalidated && dog.description == "DogProjection [invalid object]")
    }

    @Test("describe their class and their projected properties")
    func description() throws {
        let realm = try kennel()
        let dog = DerivedProjection(projecting: realm.objects(Dog.self)[1])
        #expect(dog.description == "DerivedProjection {\n\tname = Bo;\n\tage = 7;\n}")
        #expect(dog.name == "Bo" && dog.age == 7)
    }
}

@Suite("Results of projections")
struct ProjectedResultsTests {
    private func kennel(_ name: String = #function) throws -> Realm {
        let realm = try Realm.empty(name)
        try realm.write {
            for (id, name) in ["Rex", "Bo", "Ida", "Bo"].enumerated() {
                realm.add(Dog(value: [id, name, 10 - id]))
            }
        }
        return realm
    }

    @Test("take conditions on the object, as text and as `where`")
    func conditions() throws {
        let dogs = try kennel().objects(DogProjection.self)
        #expect(dogs.where { $0.age > 8 }.map(\.name) == ["Rex", "Bo"])
        #expect(dogs.index(matching: { $0.name == "Bo" }) == 1)
        #expect(dogs.index(of: dogs[2]) == 2)
        #expect(dogs.filter("age <= 8").map(\.name) == ["Ida", "Bo"])
        #expect(dogs.filter("name == 'Bo'").where { $0.age == 7 }.count == 1)
        #expect(throws: InvalidQuery.self) { try dogs.filter(validating: "years > 8") }
    }

    @Test("are sorted and made distinct by names of the object and by key paths of either")
    func order() throws {
        let dogs = try kennel().objects(DogProjection.self)
        #expect(dogs.sorted(byKeyPath: "age").map(\.years) == [7, 8, 9, 10])
        #expect(dogs.sorted(by: \.years).map(\.years) == [7, 8, 9, 10])
        #expect(
            dogs.sorted(by: \.name, ascending: false).map(\.name) == ["Rex", "Ida", "Bo", "Bo"])
        let descriptors = [SortDescriptor(keyPath: \Dog.name), SortDescriptor(keyPath: "age")]
        #expect(dogs.sorted(by: descriptors).map(\.years) == [7, 9, 8, 10])
        #expect(dogs.distinct(by: ["name"]).count == 3)
        #expect(dogs.distinct(by: [\.name]).map(\.name) == ["Rex", "Bo", "Ida"])
    }

    @Test("count, are indexed, and are as live as those of the objects")
    func live() throws {
        let realm = try kennel()
        let dogs = realm.objects(DogProjection.self).where { $0.name == "Bo" }
        #expect(dogs.count == 2 && dogs.first?.years == 9 && dogs.last?.years == 7)
        try realm.write { realm.delete(dogs[0].rootObject) }
        #expect(dogs.count == 1 && dogs[0].years == 7)
        try realm.write { for dog in dogs { dog.name = "Max" } }
        #expect(dogs.isEmpty)
        let any = AnyRealmCollection(realm.objects(DogProjection.self))
        #expect(any.map(\.name) == ["Rex", "Ida", "Max"])
    }

    @Test("are aggregated by names of the object and by key paths of the projection")
    func aggregates() throws {
        let dogs = try kennel().objects(DogProjection.self)
        let oldest: Int? = dogs.max(ofProperty: "age")
        #expect(oldest == 10)
        #expect(dogs.sum(of: \.years) == 34)
    }
}

@Suite("Faults of projections")
struct ProjectionFaultTests {
    @Test("end the process: a path without a stored property, and one that can only be read")
    func faults() async throws {
        let path = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Wrong: Projection<Dog> { @Projected(\Dog.isDog) var isDog }
            _ = Wrong(projecting: Dog())
        }
        #expect(
            path.message.contains(
                "@Projected property 'Wrong.isDog' leads through no persisted property of 'Dog'."))
        let readOnly = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            DogProjection(projecting: Dog()).shouted = "X"
        }
        #expect(
            readOnly.message.contains(
                "@Projected property of 'DogProjection' can't be written, because its key path can only be read."
            ))
        let outside = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm.empty()
            let dog = Dog()
            try realm.write { realm.add(dog) }
            DogProjection(projecting: dog).name = "X"
        }
        #expect(
            outside.message.contains(
                "Cannot modify managed objects outside of a write transaction."))
        let renamed = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = try Realm.empty().objects(DogProjection.self).filter("years > 3")
        }
        #expect(renamed.message.contains("Invalid predicate: "))
    }
}
