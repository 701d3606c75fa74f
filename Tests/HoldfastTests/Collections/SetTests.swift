import Foundation
import Holdfast
import Testing

@Suite("Sets")
struct SetTests {
    @Test("have each value once; managed ones are sorted", arguments: [false, true])
    func values(isManaged: Bool) throws {
        let realm = try QueryModels.realm()
        let item = QueryModels.Item()
        if isManaged { try realm.write { realm.add(item) } }
        func edit(_ body: () -> Void) throws { isManaged ? try realm.write(body) : body() }
        let set = item.doubles
        try edit {
            set.insert(objectsIn: [3, 1, 2, 3])
            set.insert(1)
        }
        #expect(Array(set) == (isManaged ? [1, 2, 3] : [3, 1, 2]))
        let other = MutableSet<Double>()
        other.insert(objectsIn: [2, 3, 9])
        #expect(set.contains(2) && !set.contains(9) && set.intersects(other))
        #expect(!set.isSubset(of: other) && MutableSet<Double>().isSubset(of: set))
        #expect(!set.intersects(MutableSet()))
        try edit { set.formIntersection(other) }
        #expect(Set(set) == [2, 3] && set.isSubset(of: other))
        try edit { set.formUnion(other) }
        #expect(Set(set) == [2, 3, 9])
        try edit { set.subtract(other) }
        #expect(set.isEmpty)
        try edit {
            set.insert(4)
            set.remove(5)
            set.remove(4)
        }
        #expect(set.isEmpty)
        #expect((set == MutableSet()) == !isManaged)
    }

    @Test("have each object once, whether or not its class has a primary key")
    func objects() throws {
        let realm = try Realm.ofSample("set objects", [Bag.self, Note.self])
        let bag = Bag()
        let notes = (0..<3).map { Note(value: ["text": "\($0)"]) }
        try realm.write {
            realm.add(bag)
            bag.notes.insert(objectsIn: notes)
            bag.notes.insert(notes[0])
        }
        #expect(bag.notes.count == 3)
        let same = try #require(realm.objects(Note.self).first)
        #expect(bag.notes.contains(same))
        let other = MutableSet<Note>()
        other.insert(objectsIn: [same, notes[0], notes[1]])
        #expect(other.count == 2 && other.isSubset(of: bag.notes))
        try realm.write { bag.notes.subtract(other) }
        #expect(bag.notes.map(\.text) == ["2"])
        try realm.write {
            bag.notes.insert(same)
            realm.delete(notes[2])
        }
        #expect(bag.notes.map(\.text) == ["0"])
        try realm.write { bag.notes.remove(notes[0]) }
        #expect(bag.notes.isEmpty)
    }
}

/// An object with a set of objects without primary keys.
final class Bag: Object {
    @Persisted var notes: MutableSet<Note>
}
