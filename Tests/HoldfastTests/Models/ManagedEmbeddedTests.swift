import Foundation
import Holdfast
import Testing

private final class Stone: EmbeddedObject {
    @Persisted var name = ""
    @Persisted var inner: Stone?
    @Persisted var stones: List<Stone>
    @Persisted var named: Map<String, Stone?>
    @Persisted var quarry: Quarry?
}

private final class Quarry: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var first: Stone?
    @Persisted var second: Stone?
    @Persisted var stones: List<Stone>
    @Persisted var named: Map<String, Stone?>
    @Persisted var next: Quarry?
}

private struct Stop: Error {}

@Suite("Embedded objects that get an owner")
struct ManagedEmbeddedTests {
    private func realm() throws -> Realm {
        try Realm.ofSample("\(UUID())", [Quarry.self, Stone.self])
    }

    private func stone(_ name: String) -> Stone { Stone(value: ["name": name]) }

    /// A stone with another stone in each of its properties.
    private func heap(_ name: String) -> (outer: Stone, inside: [Stone]) {
        let outer = stone(name)
        let inside = ["inner", "a", "b", "k"].map { stone("\(name).\($0)") }
        outer.inner = inside[0]
        outer.stones.append(objectsIn: inside[1...2])
        outer.named["k"] = inside[3]
        return (outer, inside)
    }

    /// Expects that changes of stones also change the stored values.
    private func change(_ realm: Realm, _ stones: [Stone], _ stored: () -> [String?]) throws {
        let before = stones.map(\.name)
        #expect(stones.allSatisfy { $0.realm == realm && !$0.isInvalidated })
        #expect(stored() == before)
        try realm.write {
            for stone in stones { stone.name += "!" }
        }
        #expect(stored() == before.map { $0 + "!" } && stones.map(\.name) == stored())
    }

    @Test("with an object that is added are the stored ones, those within others too")
    func added() throws {
        let realm = try realm()
        let (outer, inside) = heap("x")
        let (element, inElement) = heap("y")
        let (entry, inEntry) = heap("z")
        let quarry = Quarry(value: [1])
        quarry.first = outer
        quarry.stones.append(objectsIn: [stone("before"), element])
        quarry.named["k"] = entry
        quarry.next = Quarry(value: [2])
        let last = stone("last")
        quarry.next?.second = last
        let (list, map) = (outer.stones, element.named)
        try realm.write { realm.add(quarry) }
        try change(realm, [outer] + inside + [element] + inElement + [entry] + inEntry + [last]) {
            let all = [quarry.first, quarry.stones[1], quarry.named["k"] ?? nil].flatMap {
                [$0, $0?.inner, $0?.stones[0], $0?.stones[1], $0?.named["k"] ?? nil]
            }
            return (all + [quarry.next?.second]).map { $0?.name }
        }
        try realm.write {
            list.append(stone("new"))
            map["new"] = stone("new")
            outer.quarry = quarry
        }
        #expect(quarry.first?.stones.count == 3 && quarry.stones[1].named.keys == ["k", "new"])
        #expect(outer.isSameObject(as: quarry.first) && quarry.first?.quarry == quarry)
    }

    @Test("by an assignment, an element or an entry are the stored ones")
    func given() throws {
        let realm = try realm()
        let quarry = Quarry(value: [1])
        try realm.write { realm.add(quarry) }
        let heaps = (0..<7).map { heap("\($0)") }
        let outer = heaps.map(\.outer)
        try realm.write {
            quarry.first = outer[0]
            quarry.stones.append(outer[1])
            quarry.stones.insert(outer[2], at: 0)
            quarry.stones.append(stone("replaced"))
            quarry.stones[2] = outer[3]
            quarry.named["k"] = outer[4]
            quarry.named["l"] = stone("replaced")
            quarry.named["l"] = outer[5]
            quarry["second"] = outer[6]
        }
        try change(realm, outer) {
            [
                quarry.first, quarry.stones[1], quarry.stones[0], quarry.stones[2],
                quarry.named["k"] ?? nil, quarry.named["l"] ?? nil, quarry.second,
            ].map { $0?.name }
        }
        for (outer, inside) in heaps {
            try change(realm, inside) {
                [outer.inner, outer.stones[0], outer.stones[1], outer.named["k"] ?? nil].map {
                    $0?.name
                }
            }
        }
    }

    @Test("within embedded objects that have one are the stored ones as well")
    func within() throws {
        let realm = try realm()
        let quarry = Quarry(value: ["id": 1, "stones": [["name": "a"], ["name": "b"]]])
        try realm.write { realm.add(quarry) }
        let b = quarry.stones[1]
        let (inner, element, entry) = (heap("i"), heap("e"), heap("n"))
        try realm.write {
            b.inner = inner.outer
            b.stones.append(stone("first"))
            b.stones.append(element.outer)
            b.named["k"] = entry.outer
            quarry.stones.remove(at: 0)
        }
        try change(realm, [inner.outer, element.outer, entry.outer, inner.inside[2]]) {
            let b = quarry.stones[0]
            return [
                b.inner?.name, b.stones[1].name, b.named["k"]??.name, b.inner?.stones[1].name,
            ]
        }
    }

    @Test("by a whole collection are the stored ones, and stay so when others come before them")
    func collections() throws {
        let realm = try realm()
        let quarry = Quarry(value: [1])
        try realm.write { realm.add(quarry) }
        let stones = (0..<100).map { stone("\($0)") }
        let list = List<Stone>()
        list.append(objectsIn: stones[0..<50])
        try realm.write {
            quarry.stones = list
            for stone in stones[50...] { quarry.stones.append(stone) }
            quarry.stones.insert(stone("before"), at: 0)
        }
        try change(realm, stones) { quarry.stones.dropFirst().map(\.name) }
        try realm.write { quarry.stones.remove(at: 1) }
        #expect(stones[0].isInvalidated && stones[99].name == "99!")
    }

    @Test("in a list that is stored out of its object's row are the stored ones")
    func outOfLine() throws {
        let realm = try realm()
        let quarry = Quarry(value: [1])
        let text = String(repeating: "x", count: 1000)
        quarry.stones.append(objectsIn: (0..<200).map { stone("\($0) \(text)") })
        try realm.write { realm.add(quarry) }
        let (last, between) = (stone("last"), stone("between"))
        try realm.write {
            quarry.stones.append(last)
            quarry.stones.insert(between, at: 77)
        }
        try change(realm, [last, between]) { [quarry.stones[201].name, quarry.stones[77].name] }
    }

    @Test("get no other one, not even in the same statement")
    func oneOwner() throws {
        let realm = try realm()
        let (quarry, owned) = (Quarry(value: [1]), stone("owned"))
        quarry.first = owned
        try realm.write { realm.add(quarry) }
        func message(_ body: () -> Void) -> String? {
            let fault = #expect(throws: ValueFault.self) { try realm.write(body) }
            return fault?.message
        }
        let link = "Can't set link to existing managed embedded object"
        let element = "Cannot add an existing managed embedded object to a List."
        #expect(message { quarry.second = owned } == link)
        #expect(message { quarry.stones.append(owned) } == element)
        #expect(
            message { quarry.named["k"] = owned }
                == "Cannot add an existing managed embedded object to a Dictionary.")
        let twice = stone("twice")
        #expect(
            message {
                quarry.second = twice
                quarry.stones.append(twice)
            } == element)
        let (one, other) = (Quarry(value: [2]), Quarry(value: [3]))
        let shared = stone("shared")
        (one.first, one.next, other.second) = (shared, other, shared)
        #expect(message { realm.add(one) } == link)
        let ring = stone("ring")
        ring.inner = ring
        #expect(message { quarry.second = ring } == link)
        #expect(message { realm.create(Quarry.self, value: ["id": 4, "first": ring]) } == link)
        #expect(
            quarry.second == nil && quarry.stones.isEmpty && realm.objects(Quarry.self).count == 1)
    }

    @Test("in a write that is taken back are gone, and those of one that fails stay the program's")
    func rollsBack() throws {
        let realm = try realm()
        let quarry = Quarry(value: [1])
        try realm.write { realm.add(quarry) }
        let (outer, inside) = heap("x")
        let element = stone("element")
        #expect(throws: Stop.self) {
            try realm.write {
                quarry.first = outer
                quarry.stones.append(element)
                #expect(inside[0].realm == realm)
                throw Stop()
            }
        }
        #expect(([outer, element] + inside).allSatisfy { $0.isInvalidated })
        #expect(quarry.first == nil && quarry.stones.isEmpty)
        let failing = stone(String(repeating: "x", count: 16_777_217))
        let fault = #expect(throws: ValueFault.self) {
            try realm.write {
                quarry.first = failing
                #expect(failing.realm == nil)
            }
        }
        #expect(fault?.message == "String too big" && failing.name.utf8.count == 16_777_217)
    }

    @Test("of a created object's stated value, or of an object that is copied, are copies")
    func copies() throws {
        let realm = try realm()
        let own = stone("own")
        let quarry = try realm.write {
            realm.create(Quarry.self, value: ["id": 1, "first": own, "stones": [own]])
        }
        own.name = "changed"
        #expect(own.realm == nil && quarry.first?.name == "own" && quarry.stones[0].name == "own")
        let unmanaged = Quarry(value: [2])
        let (outer, inside) = heap("x")
        unmanaged.first = outer
        let copy = Quarry(value: unmanaged)
        copy.id = 3
        #expect(copy.first !== outer && copy.first?.stones.map(\.name) == ["x.a", "x.b"])
        try realm.write { realm.add([unmanaged, copy]) }
        try realm.write { inside[1].name = "changed" }
        #expect(unmanaged.first?.stones[0].name == "changed" && copy.first?.stones[0].name == "x.a")
    }

    @Test("are updated with their owner, and are the stored ones then")
    func updates() throws {
        let realm = try realm()
        try realm.write {
            realm.add(Quarry(value: ["id": 1, "stones": [["name": "old"]]] as [String: Any]))
        }
        for policy in [Realm.UpdatePolicy.modified, .all] {
            let quarry = Quarry(value: [1])
            let (outer, element) = (stone("outer"), stone("element"))
            quarry.first = outer
            quarry.stones.append(element)
            try realm.write { realm.add(quarry, update: policy) }
            let stored = try #require(realm.object(ofType: Quarry.self, forPrimaryKey: 1))
            try change(realm, [outer, element]) { [stored.first?.name, stored.stones[0].name] }
        }
    }

    @Test("are observed, frozen and referred to as others are")
    func observed() throws {
        let realm = try realm()
        let (quarry, outer) = (Quarry(value: [1]), stone("outer"))
        quarry.stones.append(outer)
        try realm.write { realm.add(quarry) }
        var names: [String] = []
        let token = outer.observe { change in
            if case .change(_, let properties) = change { names += properties.map(\.name) }
        }
        let frozen = outer.freeze()
        try realm.write {
            quarry.stones.insert(stone("before"), at: 0)
            outer.name = "changed"
        }
        #expect(names == ["name"] && frozen.name == "outer" && frozen.thaw()?.name == "changed")
        let reference = ThreadSafeReference(to: outer)
        #expect(realm.resolve(reference)?.name == "changed")
        token.invalidate()
    }
}
