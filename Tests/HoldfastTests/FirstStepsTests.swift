import Foundation
import Holdfast
import Testing

@Suite("A realm's objects")
struct FirstStepsTests {
    @Test("are found by key, filter and iteration once they are added")
    func adds() throws {
        let realm = try Realm.empty()
        try realm.write {
            let rex = Dog(value: ["id": 1, "weight": 2.5])
            let ada = Dog()
            ada.id = 2
            ada.name = "Ada"
            ada.age = 7
            ada.friend = rex
            realm.add(ada)
        }
        let rex = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 1))
        #expect(rex.name == "Rex" && rex.age == nil && rex.weight == 2.5)
        let old = realm.objects(Dog.self).filter("age > $0", 5)
        #expect(old.count == 1 && old.first?.name == "Ada")
        #expect(old.first?.friend == rex)
        #expect(
            Array(realm.objects(Dog.self).sorted(byKeyPath: "name").map(\.name)) == ["Ada", "Rex"])
        #expect(realm.object(ofType: Dog.self, forPrimaryKey: 3) == nil)
    }

    @Test("show assignments of a write at once, and what was before when it is rolled back")
    func assigns() throws {
        let realm = try Realm.empty()
        let dog = Dog(value: [5])
        try realm.write { realm.add(dog) }
        try realm.write {
            dog.name = "Bo"
            dog.age = 3
            dog.mood = .sad
            dog.formerMood = .happy
            #expect(dog.name == "Bo" && dog.mood == .sad)
            #expect(realm.objects(Dog.self).filter("age == 3").count == 1)
        }
        #expect(dog.name == "Bo" && dog.age == 3 && dog.formerMood == .happy)
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try realm.write {
                dog.name = "Cy"
                realm.add(Dog(value: [6]))
                throw Stop()
            }
        }
        #expect(dog.name == "Bo" && realm.objects(Dog.self).count == 1)
    }

    @Test("have default values, generated ones that stay, and properties of their own")
    func defaults() throws {
        let realm = try Realm.empty()
        let person = Person()
        let (id, token) = (person.id, person.token)
        #expect(id == person.id && token == person.token)
        #expect(person.anything == .none && person.dogs.isEmpty && person.balance == 0)
        #expect(Dog().mood == .happy && Dog().tricks == 3)
        try realm.write { realm.add(person) }
        #expect(person.id == id && person.token == token && person.realm == realm)
        #expect(realm.object(ofType: Person.self, forPrimaryKey: id)?.token == token)
    }

    @Test("hold values of every type as they were assigned")
    func values() throws {
        let realm = try Realm.empty()
        let person = Person()
        try realm.write {
            realm.add(person)
            person.name = "Ünï"
            person.born = Date(timeIntervalSince1970: -1.5)
            person.photo = Data([0, 1, 255])
            person.balance = "12.50"
            person.token = ObjectId("5f63e882536de46d71877979")
            person.anything = .fromArray([
                .int(1), .string("x"), .none, .fromDictionary(["k": .bool(true)]),
            ])
        }
        realm.refresh()
        #expect(person.name == "Ünï" && person.born == Date(timeIntervalSince1970: -1.5))
        #expect(
            person.photo == Data([0, 1, 255]) && person.balance == Decimal128(floatLiteral: 12.5))
        #expect(person.token.stringValue == "5f63e882536de46d71877979")
        let list = try #require(person.anything.listValue)
        #expect(list.count == 4 && list[0] == .int(1) && list[2] == .none)
        #expect(list[3].dictionaryValue?["k"] == .bool(true))
    }

    @Test(
        "without a primary key are linked in cycles, and get keys in the order in which they are added"
    )
    func cycles() throws {
        let realm = try Realm.empty()
        let notes = (0..<4).map { Note(value: ["text": "\($0)"]) }
        for (index, note) in notes.enumerated() { note.next = notes[(index + 1) % 4] }
        try realm.write { realm.add(notes[0]) }
        #expect(Array(realm.objects(Note.self).map(\.text)) == ["0", "1", "2", "3"])
        #expect(notes[3].next?.isSameObject(as: notes[0]) == true)
        #expect(notes[3].next != notes[0])
    }

    @Test("that are deleted are invalidated, and links to them are gone")
    func deletes() throws {
        let realm = try Realm.empty()
        let (rex, bo) = (Dog(value: [1]), Dog(value: [2]))
        let person = Person()
        bo.friend = rex
        person.dogs.append(objectsIn: [rex, bo, rex])
        person.pets["first"] = .some(rex)
        try realm.write { realm.add(person) }
        #expect(rex.keepers.count == 2 && rex.keepers[0] == person)
        try realm.write { realm.delete(rex) }
        #expect(rex.isInvalidated && bo.friend == nil)
        #expect(person.dogs.count == 1 && person.dogs[0] == bo)
        #expect(person.pets.keys == ["first"] && person.pets["first"] == .some(nil))
        try realm.write { realm.deleteAll() }
        #expect(realm.isEmpty && person.isInvalidated)
    }

    @Test("are made of dictionaries and arrays, nested, and updated by their keys")
    func creates() throws {
        let realm = try Realm.empty()
        let id = UUID()
        try realm.write {
            realm.create(
                Person.self,
                value: [
                    "id": id, "name": "Ada", "home": ["street": "Main", "city": NSNull()],
                    "dogs": [["id": 1, "name": "Rex"], [2, "Bo", 4]], "marks": ["art": 1],
                    "tags": ["b", "a"],
                ] as [String: Any])
            realm.create(Dog.self, value: ["id": 1, "age": 9], update: .modified)
        }
        let ada = try #require(realm.object(ofType: Person.self, forPrimaryKey: id))
        #expect(ada.home?.street == "Main" && ada.home?.city == nil)
        #expect(
            Array(ada.dogs.map(\.name)) == ["Rex", "Bo"] && ada.dogs[0].age == 9
                && ada.dogs[1].age == 4)
        #expect(ada.marks["art"] == 1 && Array(ada.tags) == ["a", "b"])
        try realm.write {
            realm.create(Dog.self, value: ["id": 1], update: .all)
        }
        #expect(ada.dogs[0].name == "Rex")
    }

    @Test("of one class come back from a store that is opened again")
    func reopens() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "realm-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        let configuration = Realm.Configuration(fileURL: folder, objectTypes: [Note.self])
        do {
            let realm = try Realm(configuration: configuration)
            let other = try Realm(configuration: configuration)
            #expect(realm == other)
            try realm.write { realm.add(Note(value: ["text": "kept"])) }
            #expect(other.objects(Note.self).count == 1)
        }
        let realm = try Realm(configuration: configuration)
        #expect(realm.objects(Note.self).first?.text == "kept")
    }
}
