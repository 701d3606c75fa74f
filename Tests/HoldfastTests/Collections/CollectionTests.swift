import Foundation
import Holdfast
import Testing

@Suite("Collections of objects")
struct CollectionTests {
    /// A person in a realm, with some nicknames.
    private func person(_ realm: Realm) throws -> Person {
        let person = Person()
        person.nicknames.append(objectsIn: ["a", nil, "c"])
        try realm.write { realm.add(person) }
        return person
    }

    @Test(
        "lists keep order, nulls and edits, whether or not their object is managed",
        arguments: [false, true])
    func lists(isManaged: Bool) throws {
        let realm = try Realm.empty()
        let person = Person()
        func edit(_ body: () -> Void) throws { isManaged ? try realm.write(body) : body() }
        if isManaged { try realm.write { realm.add(person) } }
        let list = person.nicknames
        try edit {
            list.append(objectsIn: ["a", nil, "c"])
            list.insert("b", at: 1)
            list[2] = "x"
            list.move(from: 0, to: 3)
        }
        #expect(Array(person.nicknames) == ["b", "x", "c", "a"])
        try edit {
            list.swapAt(0, 3)
            list.removeLast()
            list.removeFirst()
            list.replaceSubrange(0..<1, with: ["p", "q"])
        }
        #expect(Array(person.nicknames) == ["p", "q", "c"])
        try edit { person.nicknames = person.nicknames }
        #expect(Array(person.nicknames) == ["p", "q", "c"])
        try edit { list.removeAll() }
        #expect(person.nicknames.isEmpty && list.first == nil)
    }

    @Test("sets have each element once, in the order of values")
    func sets() throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        try realm.write {
            person.tags.insert(objectsIn: ["b", "a", "b", "c"])
            person.tags.remove("c")
        }
        #expect(Array(person.tags) == ["a", "b"] && person.tags.contains("a"))
        let other = MutableSet<String>()
        other.insert(objectsIn: ["a", "z"])
        #expect(other.intersects(person.tags) && !other.isSubset(of: person.tags))
        try realm.write { person.tags.formIntersection(other) }
        #expect(Array(person.tags) == ["a"])
        try realm.write { person.tags.formUnion(other) }
        #expect(Array(person.tags) == ["a", "z"])
        try realm.write { person.tags.subtract(other) }
        #expect(person.tags.isEmpty)
    }

    @Test("maps have values by keys, in the order of the keys' bytes")
    func maps() throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        try realm.write {
            person.marks["b"] = 2
            person.marks["a"] = 1
            person.marks["c"] = 3
            person.marks["b"] = nil
            person.marks.merge([(key: "a", value: 10)]) { $0 + $1 }
        }
        #expect(person.marks.keys == ["a", "c"] && person.marks.values == [11, 3])
        #expect(person.marks["b"] == nil && person.marks.count == 2)
    }

    @Test(
        "a key with a point or a dollar sign fails the write with the original's words",
        arguments: ["a.b", "a$b"])
    func mapKeys(key: String) throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        let character = key == "a.b" ? "." : "$"
        #expect(throws: ValueFault.self) { try realm.write { person.marks[key] = 1 } }
        do { try realm.write { person.marks[key] = 1 } } catch {
            #expect("\(error)" == "Dictionary::insert: key must not contain '\(character)'")
        }
        #expect(person.marks.count == 0)
    }

    @Test("embedded objects belong to their owner, are replaced as a whole and changed in place")
    func embedded() throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        try realm.write {
            let home = Address(value: ["street": "Main"])
            home.inner = Address(value: ["street": "Deep"])
            person.home = home
            #expect(home.street == "Main")
            person.former.append(Address(value: ["street": "Old"]))
            person.former.append(Address(value: ["street": "Older"]))
        }
        try realm.write {
            person.home?.city = "Oslo"
            person.home?.inner?.city = "Rome"
            person.former[1].city = "Bern"
        }
        #expect(person.home?.city == "Oslo" && person.home?.street == "Main")
        #expect(person.home?.inner?.city == "Rome" && person.former[1].city == "Bern")
        #expect(person.former[0].city == nil)
        try realm.write { person.home = nil }
        #expect(person.home == nil && person.former.count == 2)
    }

    @Test("a managed embedded object can't be given to another owner")
    func embeddedTwice() throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        try realm.write { person.home = Address(value: ["street": "Main"]) }
        let message = #expect(throws: ValueFault.self) {
            try realm.write { person.former.append(person.home ?? Address()) }
        }
        #expect(message?.message == "Cannot add an existing managed embedded object to a List.")
        let second = #expect(throws: ValueFault.self) {
            try realm.write { person.home = person.home }
        }
        #expect(second?.message == "Can't set link to existing managed embedded object")
        #expect(person.home?.street == "Main" && person.former.isEmpty)
    }

    @Test("a list of mixed values has values of every type, and links")
    func mixed() throws {
        let realm = try Realm.empty()
        let note = Note()
        let other = Note(value: ["text": "other"])
        note.values.append(objectsIn: [.int(1), .object(other), .none, .string("s")])
        try realm.write { realm.add(note) }
        #expect(note.values.count == 4 && note.values[0] == .int(1) && note.values[2] == .none)
        #expect(note.values[1].object(Note.self)?.text == "other")
        #expect(realm.objects(Note.self).count == 2)
    }

    @Test("lists of some thousand elements are edited as small ones are")
    func large() throws {
        let realm = try Realm.empty()
        let person = try person(realm)
        var model: [String?] = ["a", nil, "c"]
        try realm.write {
            for index in 0..<3000 {
                person.nicknames.append("n\(index)")
                model.append("n\(index)")
            }
            for index in stride(from: 2900, to: 0, by: -7) {
                person.nicknames.remove(at: index)
                model.remove(at: index)
            }
            person.nicknames.insert("middle", at: 1000)
            model.insert("middle", at: 1000)
        }
        #expect(Array(person.nicknames) == model)
    }
}
