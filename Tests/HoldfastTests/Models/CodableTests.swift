import Foundation
import Holdfast
import Testing

private final class Coded: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var note: String?
    @Persisted var score: Double = 1.5
    @Persisted var token: ObjectId
    @Persisted var balance: Decimal128
    @Persisted var list: List<Int?>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, Double>
    @Persisted var part: CodedPart?
    @Persisted var parts: List<CodedPart>
    @Persisted var next: Coded?
    @Persisted(originProperty: "next") var origins: LinkingObjects<Coded>
}
private final class CodedPart: EmbeddedObject, Codable {
    @Persisted var size = 0
}
private enum Level: Int, PersistableEnum, Codable { case low = 1, high }
private final class Levelled: Object, Codable {
    @Persisted var level: Level
    @Persisted var wish: Level?
    @Persisted(indexed: true) var name: String?
}

@Suite("Encoding and decoding")
struct CodableTests {
    private static let text = """
        {"id":1,"score":2.5,"token":"5f63e882536de46d71877979","balance":"12.5","list":[1,null],\
        "set":["a"],"map":{"k":0.5},"parts":[{"size":1},{"size":2}]}
        """

    @Test("gives objects their values, and nil for the missing keys of optional properties")
    func decodes() throws {
        let object = try JSONDecoder().decode(Coded.self, from: Data(Self.text.utf8))
        #expect(object.id == 1 && object.note == nil && object.score == 2.5)
        #expect(object.token == ObjectId("5f63e882536de46d71877979") && object.balance == 12.5)
        #expect(
            Array(object.list) == [1, nil] && object.set.contains("a") && object.map["k"] == 0.5)
        #expect(object.part == nil && object.parts.map(\.size) == [1, 2] && object.next == nil)
        let realm = try Realm.ofSample("\(UUID())", [Coded.self, CodedPart.self])
        try realm.write { realm.add(object) }
        #expect(object.parts.count == 2 && object.origins.isEmpty)
    }

    @Test("wants the keys of required properties")
    func missing() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Coded.self, from: Data(#"{"id": 1}"#.utf8))
        }
    }

    @Test("leads there and back, and leaves inverse links out")
    func leadsBack() throws {
        let object = try JSONDecoder().decode(Coded.self, from: Data(Self.text.utf8))
        object.next = Coded(value: [2])
        object.part = CodedPart(value: [9])
        let data = try JSONEncoder().encode(object)
        #expect(!String(decoding: data, as: UTF8.self).contains("origins"))
        let again = try JSONDecoder().decode(Coded.self, from: data)
        #expect(again.next?.id == 2 && again.part?.size == 9 && again.note == nil)
        #expect(again.map["k"] == 0.5 && again.token == object.token)
    }

    @Test("has raw values of enums")
    func enums() throws {
        let object = try JSONDecoder().decode(Levelled.self, from: Data(#"{"level": 2}"#.utf8))
        #expect(object.level == .high && object.wish == nil && object.name == nil)
        let data = try JSONEncoder().encode(object)
        #expect(String(decoding: data, as: UTF8.self).contains(#""level":2"#))
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Levelled.self, from: Data(#"{"level": 7}"#.utf8))
        }
    }

    @Test("of a managed object by synthesized code is an error that says what to do")
    func managed() throws {
        let realm = try Realm.ofSample("\(UUID())", [Coded.self, CodedPart.self])
        let object = Coded(value: [1])
        try realm.write { realm.add(object) }
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(object) }
        #expect(error.map { "\($0)" }?.contains("Only unmanaged objects can be encoded") == true)
        let copy = try JSONEncoder().encode(Coded(value: object))
        #expect(try JSONDecoder().decode(Coded.self, from: copy).id == 1)
    }

    @Test("is for managed collections as for others")
    func collections() throws {
        let realm = try Realm.ofSample("\(UUID())", [Coded.self, CodedPart.self])
        let object = Coded(value: ["list": [3, NSNull()], "map": ["a": 1]] as [String: Any])
        try realm.write { realm.add(object) }
        let list = try JSONEncoder().encode(object.list)
        #expect(String(decoding: list, as: UTF8.self) == "[3,null]")
        #expect(try JSONDecoder().decode(List<Int?>.self, from: list).count == 2)
        let map = try JSONEncoder().encode(object.map)
        #expect(try JSONDecoder().decode(Map<String, Double>.self, from: map)["a"] == 1)
    }

    @Test("makes wrappers of optional properties without a value")
    func wrappers() {
        func make<W: OptionalCodingWrapper>(_ type: W.Type) -> W { W() }
        _ = make(Persisted<Int?>.self)
        _ = make(Persisted<Coded?>.self)
    }
}
