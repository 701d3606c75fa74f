import Foundation
import Holdfast
import Testing

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
        // Nulls meet no condition, and stand behind the others in every order.
        let ids = [1, 2, 4, nil]
        let sorted = item.partMap.sorted(byKeyPath: "size")
        #expect(sorted.map { $0?.id } == ids && Array(sorted).map { $0?.id } == ids)
        #expect(item.partMap.sorted(byKeyPath: "size", ascending: false).last == .some(nil))
        #expect(item.partMap.distinct(by: ["isNew"]).last == .some(nil))
        #expect(sorted.index(of: nil) == 3 && sorted.index(of: parts[3]) == 2)
        #expect((sorted.value(forKey: "id") as? [Any])?.last is NSNull)
        #expect(sorted.sum(ofProperty: "size") == 70)
        #expect(sorted.filter("size != 0").map { $0?.id } == [1, 2, 4])
        #expect(item.partMap.where { $0.size > 10 }.map { $0?.id } == [4, 2])
        #expect(item.partMap.index(matching: "id == 1") == 3)
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
        let other = try #require(item.partMap["p"] ?? nil)
        try realm.write { realm.delete(item.partMap) }
        #expect(item.partMap.values == [nil, nil, nil] && other.isInvalidated)
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
