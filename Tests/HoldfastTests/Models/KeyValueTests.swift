import Foundation
import Holdfast
import Testing

private final class ThingPart: EmbeddedObject {
    @Persisted var size = 0
}
private enum Kind: String, PersistableEnum { case plain, special }
private final class Thing: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String?
    @Persisted var kind: Kind
    @Persisted var small: Int16
    @Persisted var link: Thing?
    @Persisted var part: ThingPart?
    @Persisted var parts: List<ThingPart>
    @Persisted var links: List<Thing>
    @Persisted var set: MutableSet<Thing>
    @Persisted var map: Map<String, Thing?>
    @Persisted var numbers: List<Int>
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "link") var origins: LinkingObjects<Thing>
}
private final class Plain: Object {
    @Persisted var text = "x"
}

@Suite("Properties by their names")
struct KeyValueTests {
    private static func realm() throws -> (Realm, Thing) {
        let realm = try Realm.ofSample("\(UUID())", [Thing.self, ThingPart.self, Plain.self])
        let thing = Thing(
            value: [
                "id": 1, "name": "one", "part": ["size": 3], "parts": [["size": 4]],
                "numbers": [1, 2], "any": 5,
            ] as [String: Any])
        thing.link = thing
        thing.links.append(thing)
        thing.set.insert(thing)
        thing.map["k"] = thing
        try realm.write { realm.add(thing) }
        return (realm, thing)
    }

    @Test("are read and written, whether or not the object is managed")
    func reads() throws {
        let (realm, managed) = try Self.realm()
        for object in [managed, Thing(value: ["id": 1, "name": "one"] as [String: Any])] {
            func edit(_ body: () -> Void) throws {
                object.realm == nil ? body() : try realm.write(body)
            }
            #expect(object.value(forKey: "name") as? String == "one")
            try edit {
                object["name"] = "two"
                object.setValue(7, forKey: "small")
                object["kind"] = "special"
            }
            #expect(object.name == "two" && object.small == 7 && object.kind == .special)
            try edit { object["name"] = nil }
            #expect(object["name"] == nil && object.name == nil)
        }
        #expect((managed["numbers"] as? List<Int>)?.count == 2)
        try realm.write { managed["link"] = ["id": 9] }
        #expect(managed.link?.id == 9)
    }

    @Test("take no value of another type")
    func types() async throws {
        let (realm, thing) = try Self.realm()
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { thing["small"] = "x" }
        }
        #expect(
            fault?.message
                == "Invalid value 'x' of type 'String' for 'int16' property 'Thing.small'."
        )
        let id = #expect(throws: ValueFault.self) {
            try realm.write { realm.dynamicObjects("Thing").first?.name = 3 }
        }
        #expect(
            id?.message == "Invalid value '3' of type 'Int' for 'string' property 'Thing.name'.")
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Thing()["id"] = "x"
        }
        #expect(
            end.message.contains(
                "Invalid value 'x' of type 'String' for 'int' property 'Thing.id'."))
    }

    @Test("that the class lacks end the process")
    func unknown() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Thing().value(forKey: "nothing")
        }
        #expect(end.message.contains("The class 'Thing' has no property 'nothing'."))
        let dynamic = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try KeyValueTests.realm()
            _ = realm.dynamicObjects("Thing").first?.nothing
        }
        #expect(dynamic.message.contains("The class 'Thing' has no property 'nothing'."))
        let type = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let (realm, _) = try KeyValueTests.realm()
            _ = realm.dynamicObjects("Other")
        }
        #expect(type.message.contains("Object type 'Other' not managed by the Realm"))
    }

    @Test("of dynamic objects have the stored values, and objects that are dynamic as well")
    func dynamic() throws {
        let (realm, thing) = try Self.realm()
        let dynamic = try #require(realm.dynamicObject(ofType: "Thing", forPrimaryKey: 1))
        #expect(dynamic.id as? Int == 1 && dynamic.name as? String == "one")
        #expect(dynamic.kind as? String == "plain" && dynamic.small as? Int16 == 0)
        #expect((dynamic.link as? DynamicObject)?.id as? Int == 1)
        #expect((dynamic.part as? DynamicObject)?.size as? Int == 3)
        #expect((dynamic.parts as? List<DynamicObject>)?[0].size as? Int == 4)
        #expect((dynamic.numbers as? List<Int>)?[1] == 2)
        #expect((dynamic.any as? AnyRealmValue)?.intValue == 5)
        #expect((dynamic.origins as? LinkingObjects<DynamicObject>)?.first?.id as? Int == 1)
        #expect(dynamic == thing && dynamic.objectSchema == thing.objectSchema)
        #expect(dynamic.description == thing.description)
        #expect(realm.dynamicObject(ofType: "Thing", forPrimaryKey: 2) == nil)
        try realm.write {
            dynamic.name = "two"
            dynamic["kind"] = "special"
            (dynamic.part as? DynamicObject)?.size = 8
            dynamic.link = nil
        }
        #expect(thing.name == "two" && thing.kind == .special && thing.part?.size == 8)
        #expect(thing.link == nil)
        try realm.write { dynamic.link = thing }
        #expect(thing.link == thing)
        try realm.write { thing["link"] = dynamic }
        #expect(thing.link == thing && realm.objects(Thing.self).count == 1)
    }

    @Test("give lists, sets and maps of dynamic objects")
    func collections() throws {
        let (realm, thing) = try Self.realm()
        let list = thing.dynamicList("links")
        #expect(list.count == 1 && list[0].name as? String == "one")
        try realm.write {
            list.append(realm.dynamicCreate("Thing", value: ["id": 2, "name": "new"]))
        }
        #expect(thing.links.map(\.id) == [1, 2])
        #expect(thing.dynamicMutableSet("set").first?.id as? Int == 1)
        #expect((thing.dynamicMap("map")["k"] ?? nil)?.id as? Int == 1)
        let dynamic = try #require(realm.dynamicObjects("Thing").first)
        #expect(dynamic.dynamicList("links").count == 2)
    }

    @Test("reach objects of any class of the realm, which are found, created and deleted by name")
    func byName() throws {
        let (realm, _) = try Self.realm()
        try realm.write {
            let plain = realm.dynamicCreate("Plain", value: ["text": "y"])
            #expect(plain.text as? String == "y")
            realm.dynamicCreate("Thing", value: ["id": 1, "name": "changed"], update: .modified)
        }
        let all = realm.dynamicObjects("Plain")
        #expect(all.filter("text == 'y'").count == 1 && realm.objects(Plain.self).count == 1)
        for object in all { #expect(object.text as? String == "y") }
        #expect(realm.dynamicObjects("Thing").first?.name as? String == "changed")
        try realm.write { realm.delete(all) }
        #expect(realm.objects(Plain.self).isEmpty)
    }
}
