import Foundation
import Holdfast
import Testing

private enum Shade: String, PersistableEnum { case light, dark }
private final class Yard: EmbeddedObject {
    @Persisted var trees: Map<String, Int>
}
private final class Park: Object {
    @Persisted(primaryKey: true) var id: Int8
    @Persisted var trees: Map<String, Int>
    @Persisted var neighbours: Map<String, Park?>
    @Persisted var yards: Map<String, Yard?>
    @Persisted var yard: Yard?
    @Persisted var any: AnyRealmValue
    @Persisted var anys: List<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>
    @Persisted var price: Decimal128
    @Persisted var shade: Shade
    @Persisted var shades: List<Shade>
    @Persisted var shadeMap: Map<String, Shade>
    @Persisted var shadeSet: MutableSet<Shade>
}

@Suite("Faults of values from outside")
struct ValueFaultTests {
    private func realm() throws -> (Realm, Park) {
        let realm = try Realm.ofSample("\(UUID())", [Park.self, Yard.self])
        let park = Park(value: ["id": 1, "yard": [String: Any]()] as [String: Any])
        try realm.write { realm.add(park) }
        return (realm, park)
    }

    private func message(_ realm: Realm, _ body: () -> Void) -> String {
        let fault = #expect(throws: ValueFault.self) { try realm.write(body) }
        return fault?.message ?? ""
    }

    @Test(
        "that are keys of maps fail the write, whichever way they come in",
        arguments: ["a.b", "$a"]
    )
    func keys(key: String) throws {
        let (realm, park) = try realm()
        let dynamic = try #require(realm.dynamicObjects("Park").first)
        let expected = "Dictionary::insert: key must not contain '\(key == "a.b" ? "." : "$")'"
        let stated: [(String, Any)] = [
            ("trees", [key: 1]), ("neighbours", [key: ["id": 3]]), ("neighbours", [key: NSNull()]),
            ("yards", [key: [String: Any]()]), ("yard", ["trees": [key: 1]]), ("any", [key: 1]),
            ("any", [[1, ["k": [key: 1]]]]), ("anys", [[key: 1]]), ("anyMap", [key: 1]),
            ("anyMap", ["k": [key: [String: Any]()]]),
        ]
        for (name, value) in stated {
            #expect(
                message(realm) { realm.create(Park.self, value: ["id": 2, name: value]) }
                    == expected)
            for policy in [Realm.UpdatePolicy.modified, .all] {
                #expect(
                    message(realm) {
                        realm.create(Park.self, value: ["id": 1, name: value], update: policy)
                    } == expected)
            }
            #expect(
                message(realm) { realm.dynamicCreate("Park", value: ["id": 2, name: value]) }
                    == expected)
            #expect(message(realm) { park[name] = value } == expected)
            let made = try Park(validating: ["id": 2, name: value])
            #expect(message(realm) { realm.add(made) } == expected)
            #expect(message(realm) { realm.add(Park(value: ["id": 2, name: value])) } == expected)
        }
        let map = Map<String, Int>()
        map[key] = 1
        #expect(message(realm) { park.trees = map } == expected)
        #expect(
            message(realm) { park.trees.merge(map.map { ($0.key, $0.value) }) { $1 } } == expected)
        #expect(message(realm) { park.yard?.trees = map } == expected)
        let mixed = AnyRealmValue.fromDictionary([key: .int(1)])
        #expect(message(realm) { park.any = mixed } == expected)
        #expect(message(realm) { park.anys.append(.fromArray([mixed])) } == expected)
        #expect(message(realm) { dynamic.any = mixed } == expected)
        try realm.write { park.any = .fromDictionary([:]) }
        let live = try #require(park.any.dictionaryValue)
        #expect(message(realm) { live[key] = .int(1) } == expected)
        #expect(message(realm) { live["k"] = mixed } == expected)
        #expect(park.trees.isEmpty && live.isEmpty && realm.objects(Park.self).count == 1)
    }

    @Test(
        "in the value of an unmanaged object fail the write under way, and can be thrown without one"
    )
    func unmanaged() throws {
        let (realm, _) = try realm()
        let expected = "Invalid value 'x' of type 'String' for 'int8' property 'Park.id'."
        #expect(message(realm) { realm.add(Park(value: ["id": "x"])) } == expected)
        #expect(
            message(realm) {
                let park = Park(value: [2])
                park["id"] = "x"
                realm.add(park)
            } == expected)
        let made = #expect(throws: ValueFault.self) { try Park(validating: ["id": "x"]) }
        #expect(made?.message == expected)
        let park = try Park(validating: [5])
        let set = #expect(throws: ValueFault.self) {
            try park.setValue(validating: "x", forKey: "id")
        }
        #expect(set?.message == expected && park.id == 5)
        try park.setValue(validating: 6, forKey: "id")
        #expect(park.id == 6 && realm.objects(Park.self).count == 1)
        let unknown = #expect(throws: ValueFault.self) { try Park(validating: ["other": 1]) }
        #expect(unknown?.message.contains("unknown property 'other'") == true)
    }

    @Test("of a write in another thread's realm are that realm's")
    func threads() throws {
        let (realm, _) = try realm()
        realm.beginWrite()
        try Shared.onThread {
            let other = try Realm.ofSample("\(UUID())", [Park.self, Yard.self])
            let fault = #expect(throws: ValueFault.self) {
                try other.write { _ = Park(value: ["id": "x"]) }
            }
            #expect(fault?.message.contains("Park.id") == true)
        }
        realm.create(Park.self, value: [2])
        try realm.commitWrite()
        #expect(realm.objects(Park.self).count == 2)
    }

    @Test("do not come of numbers and bools of a JSON document, which stay what they are")
    func json() throws {
        let (realm, _) = try realm()
        let text = #"{"id": 2, "any": [1, 0, true, false, 1.5, "x", null, {"k": 1}], "price": 1}"#
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let park = try realm.write { realm.create(Park.self, value: value) }
        let list = try #require(park.any.listValue)
        #expect(
            Array(list.prefix(7)) == [
                .int(1), .int(0), .bool(true), .bool(false), .double(1.5), .string("x"), .none,
            ])
        #expect(list[7].dictionaryValue?["k"] == .int(1) && park.price == 1)
    }

    @Test("that are beyond a type's range fail the write, and are the key of no object")
    func ranges() throws {
        let (realm, park) = try realm()
        #expect(message(realm) { realm.create(Park.self, value: [300]) }.contains("Park.id"))
        #expect(message(realm) { park["any"] = UInt64.max }.contains("Park.any"))
        #expect(realm.object(ofType: Park.self, forPrimaryKey: 300) == nil)
        #expect(realm.dynamicObject(ofType: "Park", forPrimaryKey: -129) == nil)
        #expect(realm.object(ofType: Park.self, forPrimaryKey: 1) == park)
        let other = message(realm) {
            #expect(realm.dynamicObject(ofType: "Park", forPrimaryKey: "x") == nil)
        }
        #expect(other == "Invalid value 'x' of type 'String' for primary key of 'Park'.")
        let decimal = message(realm) { park.price = Decimal128(value: "x") }
        #expect(decimal == "Cannot convert value 'x' of type 'String' to decimal128")
    }

    @Test("that are no case of an enum fail the write of an object by the name of its class")
    func cases() throws {
        let (realm, park) = try realm()
        let dynamic = try #require(realm.dynamicObjects("Park").first)
        #expect(message(realm) { dynamic.shade = "red" }.contains("'red' for property 'shade'"))
        #expect(message(realm) { dynamic.shades = ["dark", "red"] }.contains("'red'"))
        #expect(message(realm) { dynamic.shadeMap = ["k": "red"] }.contains("'red'"))
        #expect(message(realm) { dynamic.shadeSet = ["red"] }.contains("'red'"))
        try realm.write {
            dynamic.shade = "dark"
            dynamic.shades = ["dark"]
            dynamic.shadeMap = ["k": "light"]
        }
        #expect(park.shade == .dark && park.shades[0] == .dark && park.shadeMap["k"] == .light)
    }
}
