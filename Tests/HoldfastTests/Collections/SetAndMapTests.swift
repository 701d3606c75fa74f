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

@Suite("Maps")
struct MapTests {
    typealias Item = QueryModels.Item

    @Test("give keys values, managed or not", arguments: [false, true])
    func values(isManaged: Bool) throws {
        let realm = try QueryModels.realm()
        let item = Item()
        if isManaged { try realm.write { realm.add(item) } }
        func edit(_ body: () -> Void) throws { isManaged ? try realm.write(body) : body() }
        let map = item.intMap
        try edit {
            map["b"] = 2
            map.updateValue(1, forKey: "a")
            map.setValue(3, forKey: "c")
        }
        #expect(map.keys == ["a", "b", "c"] && map.values == [1, 2, 3] && map.count == 3)
        #expect(map["a"] == 1 && map["x"] == nil && map.object(forKey: "b") == 2)
        #expect(map.contains { $0 == "c" && $1 == 3 } && !map.contains { $1 > 3 })
        try edit {
            map.merge(["a": 10, "d": 4]) { $0 + $1 }
            map["b"] = nil
            map.removeObject(for: "c")
            map.removeObject(for: "nothing")
        }
        #expect(map.asKeyValueSequence().map { "\($0.key)\($0.value)" } == ["a11", "d4"])
        #expect(map.min() == 4 && map.max() == 11 && map.sum() == 15 && map.average() == 7.5)
        #expect(map.description == "Map<String, Int> (\n\t[0] a: 11,\n\t[1] d: 4\n)")
        let other = Map<String, Int>()
        other["z"] = 26
        try edit { item.intMap = other }
        #expect(map.keys == ["z"] && map["z"] == 26)
        try edit { item.intMap = item.intMap }
        #expect(map.keys == ["z"])
        try edit { map.removeAll() }
        #expect(map.isEmpty)
    }

    @Test("have conditions and orders of their values")
    func queries() throws {
        let realm = try QueryModels.filled()
        let item = realm.objects(Item.self)[1]
        #expect(Array(item.intMap.sorted()) == [2, 200])
        #expect(Array(item.intMap.sorted(ascending: false)) == [200, 2])
        #expect(Array(item.intMap.filter("self > 2")) == [200])
        #expect(Array(item.intMap.where { $0 < 100 }) == [2])
        let parts = realm.objects(QueryModels.Part.self)
        try realm.write {
            item.partMap["a"] = parts[3]
            item.partMap["z"] = parts[0]
            item.partMap["none"] = .some(nil)
        }
        #expect(item.partMap.sorted(byKeyPath: "size").map { $0?.id } == [1, 2, 4])
        #expect(item.partMap.where { $0.size > 10 }.map { $0?.id } == [4, 2])
        #expect(item.partMap.filter("isNew == true").sum(ofProperty: "size") == 60)
        #expect(item.partMap.max(ofProperty: "size") == 40)
        let any = AnyRealmKeyedCollection(item.partMap)
        #expect(any.keys == ["a", "none", "p", "z"] && any.count == 4 && any.realm != nil)
        #expect(any["a"]??.id == 4 && any.where { $0.size == 10 }.count == 1)
        #expect(any.map(\.key) == any.keys && !any.isInvalidated && !any.isFrozen)
        try realm.write {
            any["a"] = nil
            realm.delete(parts[0])
        }
        // The key of an object that is gone stays.
        #expect(any.keys == ["none", "p", "z"] && any["z"] == .some(nil))
        #expect(item.partMap.asKeyValueSequence().count == 3)
    }

    @Test("refuse keys with a point or a dollar sign, which are written percent-encoded")
    func keys() throws {
        let realm = try QueryModels.filled()
        let item = realm.objects(Item.self)[0]
        for (key, character) in [("a.b", "."), ("a$b", "$")] {
            let fault = #expect(throws: ValueFault.self) {
                try realm.write { item.intMap[key] = 1 }
            }
            #expect(fault?.message == "Dictionary::insert: key must not contain '\(character)'")
        }
        let key = try #require("a.b".addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        try realm.write { item.intMap[key] = 1 }
        #expect(item.intMap["a%2Eb"] == 1)
    }

    @Test("are equal by content unmanaged")
    func equality() {
        let (a, b) = (Map<String, Int>(), Map<String, Int>())
        a["x"] = 1
        #expect(a != b)
        b["x"] = 1
        #expect(a == b)
    }
}
