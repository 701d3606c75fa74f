import Dispatch
import Foundation
import Holdfast
import Testing

// Types of properties that differ in little: each has to be told from the others, whichever is asked for first.

private enum Home {
    final class Pet: Object {
        @Persisted var name = "home"
        @Persisted(originProperty: "pet") var keepers: LinkingObjects<Keeper>
    }
    final class Keeper: Object {
        @Persisted var pet: Pet?
        @Persisted var pets: List<Pet>
        @Persisted var others: MutableSet<Pet>
        @Persisted var byName: Map<String, Pet?>
    }
}

private enum Zoo {
    final class Pet: Object {
        @Persisted var weight = 1.5
        @Persisted(originProperty: "pet") var keepers: LinkingObjects<Keeper>
    }
    final class Cage: EmbeddedObject {
        @Persisted var number = 7
    }
    final class Keeper: Object {
        var plain: Pet?
        @Persisted var pet: Pet?
        @Persisted var cage: Cage?
        @Persisted var pets: List<Pet>
        @Persisted var cages: List<Cage>
        @Persisted var byName: Map<String, Cage?>
        @Persisted var keepers: List<Keeper>
    }
}

private class Generic<T: RealmCollectionValue>: Object {
    @Persisted var list: List<T>
    @Persisted var pet: Home.Pet?
}
private final class OfTexts: Generic<String> {
    @Persisted var own: Home.Keeper?
}
private final class OfDates: Generic<Date> {}

/// What a mark of a class of objects is stored as.
private protocol Marked {
    associatedtype Stored: _OptionalPersistable
}
private final class ByNumber: Object, Marked { typealias Stored = Int }
private final class ByText: Object, Marked { typealias Stored = String }
private struct Sign<Owner: Marked>: CustomPersistable {
    var stored: Owner.Stored
    init(persistedValue: Owner.Stored) { stored = persistedValue }
    var persistableValue: Owner.Stored { stored }
}
private final class Marks: Object {
    @Persisted var number: Sign<ByNumber>
    @Persisted var text: Sign<ByText>
}

private class Renamed: Object {
    @Persisted var first = 1
    var count = 0
    @Persisted var _second: Int?
    override class func propertiesMapping() -> [String: String] { ["first": "erste"] }
}
private final class RenamedToo: Renamed {
    @Persisted var third: String?
    override class func propertiesMapping() -> [String: String] {
        super.propertiesMapping().merging(["third": "dritte"]) { $1 }
    }
}

@Suite("The types of properties")
struct PropertyTypeTests {
    private func text(_ property: Property) -> String {
        let collection =
            property.isArray ? "[]" : property.isSet ? "{}" : property.isMap ? "[:]" : ""
        return
            "\(property.columnName) \(property.type)\(collection) \(property.objectClassName ?? "")"
    }

    @Test("lead to the class that each names, among classes of one name too")
    func links() throws {
        let home = try Realm.ofSample("types-home", [Home.Keeper.self, Home.Pet.self])
        let zoo = try Realm.ofSample("types-zoo", [Zoo.Keeper.self, Zoo.Pet.self, Zoo.Cage.self])
        #expect(
            home.schema["Keeper"]?.properties.map(text) == [
                "pet object Pet", "pets object[] Pet", "others object{} Pet",
                "byName object[:] Pet",
            ])
        #expect(
            zoo.schema["Keeper"]?.properties.map(text) == [
                "pet object Pet", "cage object Cage", "pets object[] Pet", "cages object[] Cage",
                "byName object[:] Cage", "keepers object[] Keeper",
            ])
        try home.write {
            let keeper = home.create(
                Home.Keeper.self,
                value: [
                    "pet": ["name": "a"], "pets": [["name": "b"], ["name": "c"]],
                    "others": [["name": "d"]], "byName": ["e": ["name": "e"]],
                ])
            #expect(keeper.pets.map(\.name) == ["b", "c"] && keeper.others.first?.name == "d")
            #expect(keeper.byName["e"]??.name == "e" && keeper.pet?.keepers.count == 1)
        }
        try zoo.write {
            let keeper = zoo.create(
                Zoo.Keeper.self,
                value: [
                    "pet": ["weight": 2.5], "cage": ["number": 1], "pets": [["weight": 3]],
                    "cages": [["number": 2]], "byName": ["c": ["number": 3]], "keepers": [[:]],
                ])
            #expect(keeper.pet?.weight == 2.5 && keeper.pets.first?.weight == 3)
            #expect(keeper.cage?.number == 1 && keeper.cages.first?.number == 2)
            #expect(keeper.byName["c"]??.number == 3 && keeper.keepers.count == 1)
            #expect(keeper.pet?.keepers.first?.cages.count == 1)
        }
    }

    @Test("are those of its parameters in a generic class, and in one derived from it")
    func generic() throws {
        let realm = try Realm.ofSample(
            "types-generic", [OfTexts.self, OfDates.self, Home.Pet.self, Home.Keeper.self])
        #expect(
            realm.schema["OfTexts"]?.properties.map(text) == [
                "list string[] ", "pet object Pet", "own object Keeper",
            ])
        #expect(
            realm.schema["OfDates"]?.properties.map(text) == ["list date[] ", "pet object Pet"])
        try realm.write {
            let object = realm.create(
                OfTexts.self, value: ["list": ["a"], "pet": ["name": "b"], "own": [:]])
            #expect(object.list.first == "a" && object.pet?.name == "b" && object.own != nil)
        }
    }

    @Test("may depend on a class of objects in other ways than by a link")
    func dependent() throws {
        let realm = try Realm.ofSample("types-marks", [Marks.self])
        #expect(realm.schema["Marks"]?.properties.map(text) == ["number int ", "text string "])
        try realm.write {
            let marks = realm.create(Marks.self, value: ["number": 3, "text": "three"])
            #expect(marks.number.stored == 3 && marks.text.stored == "three")
        }
    }

    @Test("are found under their own names and under those that they are stored as")
    func renamed() throws {
        let realm = try Realm.ofSample("types-renamed", [Renamed.self, RenamedToo.self])
        let properties = try #require(realm.schema["RenamedToo"]?.properties)
        #expect(properties.map(\.name) == ["first", "_second", "third"])
        #expect(properties.map(text) == ["erste int ", "_second int ", "dritte string "])
        #expect(realm.schema["Renamed"]?.properties.map(\.columnName) == ["erste", "_second"])
        try realm.write {
            let object = realm.create(RenamedToo.self, value: ["first": 5, "third": "x"])
            #expect(object.first == 5 && object._second == nil && object.third == "x")
        }
    }

    @Test("are looked up by several threads at once")
    func threads() {
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for _ in 0..<20 {
                let keeper = Zoo.Keeper(value: ["pets": [["weight": Double(thread)]], "cage": [:]])
                #expect(keeper.pets.first?.weight == Double(thread) && keeper.cage?.number == 7)
            }
        }
    }
}
