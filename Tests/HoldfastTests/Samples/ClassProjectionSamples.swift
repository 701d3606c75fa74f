import Holdfast
import Testing

/// class-projections 1 to 5: a class of projections, and what is done with it.
private enum ClassProjections {
    static let objectTypes: [ObjectBase.Type] = [Person.self, Address.self]

    // 1: the classes of the stored objects
    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""
        @Persisted var address: Address?
        @Persisted var friends = List<Person>()
    }

    class Address: EmbeddedObject {
        @Persisted var city: String = ""
        @Persisted var country = ""
    }

    // 2: the class of projections
    class PersonProjection: Projection<Person> {
        @Projected(\Person.firstName) var firstName  // Passes a property through
        @Projected(\Person.address?.city) var homeCity  // Renames one of an embedded object
        @Projected(\Person.friends.projectTo.firstName) var firstFriendsName:
            ProjectedCollection<String>  // Collects one of each friend
    }

    /// A realm of this page with Jason, who lives in Berlin and has two friends.
    static func realm(_ name: String = #function) throws -> Realm {
        let realm = try Realm.ofSample("\(Self.self) \(name)", objectTypes)
        try realm.write {
            realm.create(
                Person.self,
                value: [
                    "firstName": "Jason", "lastName": "Bourne", "address": ["city": "Berlin"],
                    "friends": [["firstName": "Marie"], ["firstName": "Nicky"]],
                ])
        }
        return realm
    }
}

@Suite("The samples of the page on class projections")
struct ClassProjectionSamples {
    private typealias PersonProjection = ClassProjections.PersonProjection
    private typealias Person = ClassProjections.Person

    @Test("a projection shows properties of its object, passed through, renamed and collected")
    func projects() throws {
        let realm = try ClassProjections.realm()
        // 3: Retrieve all class projections of the given type `PersonProjection`
        let people = realm.objects(PersonProjection.self)
        #expect(people.map(\.firstName) == ["Jason", "Marie", "Nicky"])
        let jason = try #require(people.first)
        #expect(jason.homeCity == "Berlin" && people[1].homeCity == nil)
        #expect(Array(jason.firstFriendsName) == ["Marie", "Nicky"])
    }

    @Test("a condition of the object is projected; one on a name of the projection alone fails")
    func derivesQueries() async throws {
        let realm = try ClassProjections.realm()
        let people = realm.objects(PersonProjection.self)
        #expect(people.filter("firstName == 'Jason'").count == 1)
        #expect(people.filter("address.city == 'Berlin'").map(\.firstName) == ["Jason"])
        #expect(throws: InvalidQuery.self) { try people.filter(validating: "homeCity == 'Berlin'") }
    }

    @Test("a property of a projection is written through to its object")
    func writesThrough() throws {
        let realm = try ClassProjections.realm()
        // 4: Retrieve all class projections of the given type `PersonProjection`
        // and filter for the first class projection where the `firstName` property
        // value is "Jason"
        let person = try #require(
            realm.objects(PersonProjection.self).first(where: { $0.firstName == "Jason" }))
        // Update class projection property in a write transaction
        try realm.write {
            person.firstName = "David"
        }
        #expect(person.firstName == "David" && person.rootObject.firstName == "David")
        #expect(realm.objects(Person.self).filter("firstName == 'David'").count == 1)
    }

    @Test(
        "an observer of a projection is told the properties that it asks for, with their new values"
    )
    func reacts() throws {
        let realm = try ClassProjections.realm()
        var lines: [String] = []
        func print(_ line: String) { lines.append(line) }
        // 5: React to changes
        let projectedPerson = try #require(
            realm.objects(PersonProjection.self).first(where: { $0.firstName == "Jason" }))
        let token = projectedPerson.observe(
            keyPaths: ["firstName"],
            { change in
                switch change {
                case .change(let object, let properties):
                    for property in properties {
                        print(
                            "Property '\(property.name)' of object \(object.homeCity ?? "") changed to '\(property.newValue ?? "")'"
                        )
                    }
                case .error(let error):
                    print("An error occurred: \(error)")
                case .deleted:
                    print("The object was deleted.")
                }
            })
        // Now update to trigger the notification
        try realm.write {
            projectedPerson.firstName = "David"
        }
        #expect(lines == ["Property 'firstName' of object Berlin changed to 'David'"])
        try realm.write {
            projectedPerson.rootObject.lastName = "Webb"
            projectedPerson.rootObject.friends.removeLast()
            projectedPerson.rootObject.address?.city = "Paris"
        }
        #expect(lines.count == 1)
        try realm.write { projectedPerson.rootObject.firstName = "Jason" }
        #expect(lines.last == "Property 'firstName' of object Paris changed to 'Jason'")
        try realm.write { realm.delete(projectedPerson.rootObject) }
        #expect(lines.last == "The object was deleted." && lines.count == 3)
        withExtendedLifetime(token) {}
    }
}
