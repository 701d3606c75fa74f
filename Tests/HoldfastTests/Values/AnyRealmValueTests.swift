import Foundation
import Holdfast
import Testing

private final class Box: Object {
    @Persisted(indexed: true) var value: AnyRealmValue
    @Persisted var list: List<AnyRealmValue>
    @Persisted var map: Map<String, AnyRealmValue>
    @Persisted var note = ""
}

private final class Other: Object {
    @Persisted(primaryKey: true) var id = 1
}

@Suite("AnyRealmValue")
struct AnyRealmValueTests {
    private func realm() throws -> Realm {
        try Realm.ofSample("\(UUID())", [Box.self, Other.self])
    }

    private static var plain: [AnyRealmValue] {
        [
            .none, .int(-1), .bool(true), .float(1.5), .double(2.5), .string("x"),
            .data(Data([1])), .date(Date(timeIntervalSince1970: 5)),
            .objectId(ObjectId("5f63e882536de46d71877979")), .decimal128(1.25),
            .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))),
        ]
    }

    @Test("keeps a value of each case, and has it by its own accessor alone")
    func cases() throws {
        let realm = try realm()
        let box = Box()
        try realm.write { realm.add(box) }
        for value in Self.plain {
            try realm.write { box.value = value }
            compare(box.value, value)
        }
    }

    private func compare(_ read: AnyRealmValue, _ value: AnyRealmValue) {
        #expect(read == value && read.hashValue == value.hashValue)
        let values: [Any?] = [
            read.intValue, read.boolValue, read.floatValue, read.doubleValue, read.stringValue,
            read.dataValue, read.dateValue, read.objectIdValue, read.decimal128Value,
            read.uuidValue, read.listValue, read.dictionaryValue, read.object(Other.self),
        ]
        #expect(values.compactMap { $0 }.count == (value == .none ? 0 : 1))
    }

    @Test("is without a value at first, and unmanaged ones hold what they are given")
    func unmanaged() {
        let box = Box()
        #expect(box.value == .none && AnyRealmValue() == .none)
        box.value = .fromArray([1, 2].map { .int($0) })
        #expect(box.value.listValue?.count == 2)
        box.value.listValue?.append(.string("three"))
        #expect(box.value.listValue?.last == .string("three"))
    }

    @Test("is equal to one of the same case alone, though a query finds numbers by their value")
    func equality() throws {
        #expect(AnyRealmValue.int(1) != .double(1) && AnyRealmValue.int(1) == .int(1))
        #expect(Set([AnyRealmValue.int(1), .double(1), .int(1), .bool(true)]).count == 3)
        let realm = try realm()
        try realm.write {
            for value in [AnyRealmValue.int(1), .double(1), .string("1")] {
                realm.create(Box.self, value: ["value": value])
            }
        }
        #expect(realm.objects(Box.self).filter("value == 1").count == 2)
    }

    @Test("links to objects of any class, also as ones whose properties have names")
    func links() throws {
        let realm = try realm()
        let box = Box()
        box.value = .object(Other(value: [7]))
        try realm.write { realm.add(box) }
        #expect(box.value.object(Other.self)?.id == 7 && box.value.object(Box.self) == nil)
        #expect(box.value.dynamicObject?.id as? Int == 7)
        #expect(AnyRealmValue.int(1).dynamicObject == nil)
        try realm.write { realm.delete(realm.objects(Other.self)) }
        #expect(box.value == .none)
    }

    @Test("holds lists and dictionaries, which are live and changed in place")
    func nested() throws {
        let realm = try realm()
        let box = Box()
        try realm.write {
            realm.add(box)
            box.value = .fromDictionary([
                "name": .string("Rex"),
                "marks": .fromArray([.int(1), .int(2), .fromDictionary(["deep": .bool(true)])]),
            ])
        }
        let dictionary = try #require(box.value.dictionaryValue)
        let marks = try #require(dictionary["marks"]?.listValue)
        try realm.write {
            dictionary["age"] = .int(3)
            marks.append(.string("last"))
            marks[0] = .double(0.5)
            marks[2].dictionaryValue?["more"] = nil
            marks[2].dictionaryValue?["most"] = AnyRealmValue.none
        }
        #expect(dictionary.keys == ["age", "marks", "name"] && marks.count == 4)
        #expect(box.value.dictionaryValue?["age"] == .int(3) && marks[0] == .double(0.5))
        #expect(marks[3] == .string("last"))
        #expect(marks[2].dictionaryValue?.keys == ["deep", "most"])
        #expect(realm.objects(Box.self).filter("value['marks'][3] == 'last'").count == 1)
        try realm.write {
            dictionary["name"] = nil
            marks.remove(at: 1)
            marks.insert(.none, at: 0)
            marks.move(from: 0, to: 2)
            marks.swapAt(0, 1)
        }
        #expect(dictionary["name"] == nil && dictionary.count == 2)
        #expect(marks.count == 4 && marks[2] == .none && marks[1] == .double(0.5))
        #expect(marks[0].dictionaryValue?["deep"] == .bool(true))
        #expect(dictionary.realm == realm && !marks.isInvalidated)
        try realm.write { marks.removeAll() }
        #expect(marks.isEmpty && box.value.dictionaryValue?["marks"]?.listValue?.isEmpty == true)
    }

    @Test("of lists and maps hold nested ones that are changed in place as well")
    func inCollections() throws {
        let realm = try realm()
        let box = Box()
        box.list.append(objectsIn: [.int(0), .fromArray([.int(1)])])
        box.map["k"] = .fromDictionary(["a": .int(1)])
        try realm.write { realm.add(box) }
        let inner = try #require(box.list[1].listValue)
        try realm.write {
            inner.append(.fromArray([]))
            inner[1].listValue?.append(.int(5))
            box.map["k"]?.dictionaryValue?["b"] = .int(2)
            box.list.insert(.string("before"), at: 0)
            inner.append(.string("after"))
        }
        #expect(inner.count == 3 && box.list[2].listValue == inner)
        #expect(inner[1].listValue?.first == .int(5))
        #expect(box.map["k"]?.dictionaryValue?["b"] == .int(2))
    }

    @Test("that gets another collection shows that one, and what was inside is gone")
    func replaces() throws {
        let realm = try realm()
        let box = Box()
        try realm.write {
            realm.add(box)
            box.value = .fromArray([.fromArray([.int(1)])])
        }
        let outer = try #require(box.value.listValue)
        let inner = try #require(outer[0].listValue)
        try realm.write { box.value = .fromArray([.int(1), .int(2)]) }
        #expect(outer.count == 2 && inner.isInvalidated)
        try realm.write { box.value = .int(5) }
        #expect(outer.isInvalidated)
        struct Stop: Error {}
        try realm.write { box.value = .fromArray([.fromArray([.int(1)])]) }
        let again = try #require(box.value.listValue?[0].listValue)
        #expect(throws: Stop.self) {
            try realm.write {
                box.value.listValue?.insert(.int(0), at: 0)
                #expect(Array(again) == [.int(1)])
                box.value.listValue?.remove(at: 1)
                #expect(again.isInvalidated)
                throw Stop()
            }
        }
        #expect(Array(again) == [.int(1)])
    }

    @Test("has nested lists and dictionaries that are followed when another thread edits them")
    func followsOthers() throws {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: "\(UUID())", objectTypes: [Box.self, Other.self])
        let realm = try Realm(configuration: configuration)
        let box = Box()
        try realm.write {
            realm.add(box)
            box.value = .fromArray([
                .int(0), .fromArray([.int(1), .fromDictionary(["k": .int(2)])]),
            ])
            box.list.append(objectsIn: [.int(0), .fromArray([.fromArray([.int(3)])])])
        }
        let inner = try #require(box.value.listValue?[1].listValue)
        let deep = try #require(inner[1].dictionaryValue)
        let listed = try #require(box.list[1].listValue?[0].listValue)
        try Shared.onThread {
            let realm = try Realm(configuration: configuration)
            let box = try #require(realm.objects(Box.self).first)
            try realm.write {
                box.value.listValue?.insert(.string("before"), at: 0)
                box.value.listValue?[2].listValue?.remove(at: 0)
                box.list.remove(at: 0)
                box.list[0].listValue?.append(.none)
                box.list[0].listValue?[0].listValue?.append(.int(4))
            }
        }
        #expect(realm.refresh() && inner.count == 1 && inner == box.value.listValue?[2].listValue)
        #expect(deep["k"] == .int(2) && Array(listed) == [.int(3), .int(4)])
        try Shared.onThread {
            let realm = try Realm(configuration: configuration)
            try realm.write { realm.objects(Box.self).first?.value = .int(1) }
        }
        #expect(realm.refresh() && inner.isInvalidated && deep.isInvalidated)
    }

    @Test("takes its own list, a part of it, and lists of others as copies")
    func copies() throws {
        let realm = try realm()
        let (box, other) = (Box(), Box())
        try realm.write {
            realm.add([box, other])
            box.value = .fromArray([.fromArray([.int(1), .int(2)])])
            box.note = "pending"
            box.value = box.value
            other.value = box.value
            box.list.append(box.value)
        }
        #expect(box.value == other.value && box.list.first == box.value && box.note == "pending")
        try realm.write { box.value = box.value.listValue?[0] ?? .none }
        #expect(box.value.listValue.map { Array($0) } == [.int(1), .int(2)])
        #expect(other.value.listValue?.count == 1)
    }

    @Test("nests 100 levels and no more")
    func depth() throws {
        let realm = try realm()
        func nested(_ depth: Int) -> AnyRealmValue {
            depth == 0 ? .int(1) : .fromArray([nested(depth - 1)])
        }
        let box = Box()
        try realm.write {
            realm.add(box)
            box.value = nested(100)
        }
        func message(_ body: () -> Void) -> String? {
            let fault = #expect(throws: ValueFault.self) { try realm.write(body) }
            return fault?.message
        }
        #expect(message { box.value = nested(101) } == "Max nesting level reached")
        #expect(message { box.list.append(nested(101)) } == "Max nesting level reached")
        var list = box.value.listValue
        for _ in 1..<100 { list = list?[0].listValue }
        #expect(list?[0] == .int(1))
        #expect(message { list?[0] = .fromArray([]) } == "Max nesting level reached")
        #expect(message { list?.append(.fromDictionary([:])) } == "Max nesting level reached")
        try realm.write { list?.append(.int(2)) }
        #expect(list?.count == 2)
    }

    @Test("that holds itself is refused, and neither compared nor described for ever")
    func cycles() throws {
        let realm = try realm()
        let list = List<AnyRealmValue>()
        list.append(objectsIn: [.list(list), .list(list)])
        #expect(AnyRealmValue.list(list) == .list(list))
        let box = Box()
        box.value = .list(list)
        #expect(box.description.contains("<Maximum depth exceeded>"))
        let fault = #expect(throws: ValueFault.self) { try realm.write { realm.add(box) } }
        #expect(fault?.message == "Max nesting level reached" && realm.isEmpty)
    }

    @Test("has nested lists and dictionaries that are filtered and sorted as others")
    func queries() throws {
        let realm = try realm()
        let box = Box()
        try realm.write {
            realm.add(box)
            box.list.append(.fromArray([.int(3), .string("x"), .none, .int(1)]))
            box.value = .fromDictionary(["a": .int(5), "b": .int(7), "c": .fromArray([])])
        }
        let list = try #require(box.list[0].listValue)
        #expect(list.filter("self > 0").map(\.intValue) == [3, 1])
        #expect(list.sorted(ascending: true).first == AnyRealmValue.none)
        let map = try #require(box.value.dictionaryValue)
        #expect(map.filter("self > 5").map(\.intValue) == [7])
        #expect(map.keys == ["a", "b", "c"] && map["d"] == nil)
        #expect(list == box.list[0].listValue && list != box.value.dictionaryValue?["c"]?.listValue)
    }

    @Test("is made of what a program states")
    func stated() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                Box.self, value: ["value": ["a": 1, "b": [true, NSNull()]] as [String: Any]])
        }
        let any = try #require(realm.objects(Box.self).first?.value.dictionaryValue)
        #expect(any["a"] == .int(1) && any["b"]?.listValue?[0] == .bool(true))
        #expect(any["b"]?.listValue?[1] == AnyRealmValue.none)
    }
}
