import Foundation
@testable import Holdfast
@testable import HoldfastObjectStore
import Testing

@Suite("Changes of one object that wait to be written")
struct WaitingChangeTests {
    private struct Stop: Error {}

    /// How many operations the write under way has done.
    private func operationCount(_ realm: Realm) -> Int {
        realm.core.flush()
        return realm.core.interactiveWrite?.transaction.allowance.operationCount ?? 0
    }

    @Test("thirty assignments to one object, read in between, write its row once")
    func assignments() throws {
        let realm = try Realm.empty()
        try realm.write {
            let dog = realm.create(Dog.self, value: [1])
            let before = operationCount(realm)
            for round in 1...10 {
                dog.age = (dog.age ?? 0) + round
                dog.weight += 0.5
                dog.name += "x"
            }
            #expect(dog.age == 55 && dog.weight == 5 && dog.name == "Rexxxxxxxxxxx")
            #expect(dog.mood == .happy && dog.friend == nil)
            #expect(operationCount(realm) == before + 1)
        }
        let dog = try #require(realm.objects(Dog.self).first)
        #expect(dog.age == 55 && dog.weight == 5 && dog.name == "Rexxxxxxxxxxx")
    }

    @Test("assignments show in other views of the object, in queries and through links")
    func views() throws {
        let realm = try Realm.empty()
        try realm.write {
            let rex = realm.create(Dog.self, value: [1])
            let ada = realm.create(Dog.self, value: ["id": 2, "name": "Ada", "friend": rex])
            let other = try #require(realm.object(ofType: Dog.self, forPrimaryKey: 1))
            #expect(other.name == "Rex")
            rex.name = "Bo"
            #expect(other.name == "Bo" && ada.friend?.name == "Bo")
            rex.name = "Cy"
            rex.age = 4
            #expect(realm.objects(Dog.self).filter("name == 'Cy' AND age == 4").first == rex)
            #expect(realm.objects(Dog.self).filter("name == 'Bo'").isEmpty)
            rex.age = nil
            rex.formerMood = .sad
            #expect(other.age == nil && rex.age == nil && other.formerMood == .sad)
            rex.friend = ada
            #expect(other.friend?.friend == rex)
            rex.friend = rex
            #expect(other.friend == rex)
            rex.name = "Di"
            rex.friend = rex
            #expect(other.friend?.name == "Di")
            for dog in realm.objects(Dog.self) { dog.weight += 1 }
            #expect(rex.weight == 1 && ada.weight == 1)
        }
    }

    @Test("assignments to two objects in turn, and to embedded ones, all count")
    func alternating() throws {
        let realm = try Realm.empty()
        try realm.write {
            let person = realm.create(Person.self, value: ["home": ["street": "A"]])
            let other = realm.create(Person.self)
            for round in 0..<5 {
                person.name = "n\(round)"
                other.name = person.name + "!"
                person.home?.city = "c\(round)"
                #expect(person.home?.city == "c\(round)")
                person.name += "?"
            }
            #expect(person.name == "n4?" && other.name == "n4!")
            #expect(person.home?.city == "c4" && person.home?.street == "A")
        }
    }

    @Test("edits of collections are seen whenever they are read, and are written as one")
    func edits() throws {
        let realm = try Realm.empty()
        try realm.write {
            let person = realm.create(Person.self)
            let again = try #require(realm.objects(Person.self).first)
            let before = operationCount(realm)
            for index in 0..<100 { person.nicknames.append("n\(index)") }
            #expect(operationCount(realm) == before + 1)
            #expect(person.nicknames.count == 100 && again.nicknames[99] == "n99")
            person.nicknames.append("last")
            person.name = "named"
            person.nicknames.append(nil)
            #expect(again.nicknames.count == 102 && again.name == "named")
            person.tags.insert("a")
            person.nicknames.removeFirst()
            person.marks["m"] = 1
            person.dogs.append(Dog(value: [7]))
            person.dogs.append(Dog(value: [8]))
            #expect(again.dogs.map(\.id) == [7, 8] && again.marks["m"] == 1)
            #expect(realm.objects(Person.self).filter("ANY dogs.id == 8").count == 1)
            #expect(again.nicknames[0] == "n1" && again.nicknames.last == .some(nil))
        }
    }

    @Test("a list grows out of its row while it is appended to")
    func growing() throws {
        let realm = try Realm.empty()
        let count = 20_000
        try realm.write {
            let person = realm.create(Person.self)
            for index in 0..<count { person.nicknames.append("number \(index)") }
            #expect(person.nicknames.count == count)
        }
        let person = try #require(realm.objects(Person.self).first)
        #expect(
            person.nicknames[count - 1] == "number \(count - 1)"
                && person.nicknames[7] == "number 7")
    }

    @Test("what waits is forgotten by a cancel, an error and a fault")
    func forgetting() throws {
        let realm = try Realm.empty()
        let person = Person()
        let dog = Dog(value: [1])
        try realm.write { realm.add([dog]) }
        try realm.write { realm.add(person) }
        realm.beginWrite()
        dog.name = "gone"
        realm.cancelWrite()
        #expect(dog.name == "Rex")
        #expect(throws: Stop.self) {
            try realm.write {
                person.nicknames.append("gone")
                throw Stop()
            }
        }
        #expect(person.nicknames.isEmpty)
        #expect(throws: ValueFault.self) {
            try realm.write {
                dog.name = "gone"
                person.name = String(repeating: "x", count: 17 << 20)
                person.nicknames.append("gone")
            }
        }
        #expect(dog.name == "Rex" && person.name == "" && person.nicknames.isEmpty)
        try realm.write { dog.name = "Bo" }
        #expect(dog.name == "Bo" && person.name == "" && person.nicknames.isEmpty)
    }

    @Test("what waits is written before the object is deleted, and another one's stays")
    func deleting() throws {
        let realm = try Realm.empty()
        try realm.write {
            let (rex, ada) = (
                realm.create(Dog.self, value: [1]), realm.create(Dog.self, value: [2])
            )
            rex.name = "late"
            realm.delete(rex)
            #expect(rex.isInvalidated)
            ada.name = "Ada"
            let bo = realm.create(Dog.self, value: [3])
            realm.delete(bo)
            #expect(ada.name == "Ada" && realm.objects(Dog.self).count == 1)
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Ada"])
    }

    @Test("objects that lead to each other, and to themselves, are added in their order")
    func cycles() throws {
        let realm = try Realm.empty()
        let notes = (0..<20).map { Note(value: ["text": "\($0)"]) }
        for (index, note) in notes.enumerated() { note.next = notes[(index + 1) % notes.count] }
        let own = Note(value: ["text": "own"])
        own.next = own
        try realm.write {
            realm.add(notes[0])
            realm.add(own)
            #expect(own.next?.isSameObject(as: own) == true && own.text == "own")
        }
        #expect(realm.objects(Note.self).map(\.text) == (0..<20).map { "\($0)" } + ["own"])
        #expect(notes[19].next?.isSameObject(as: notes[0]) == true)
    }
}
