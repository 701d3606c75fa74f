import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

private enum Size: Int, PersistableEnum {
    case small = 1
    case large = 10
    case medium = 5
}
private enum Grade: Double, PersistableEnum { case low = 1.5, high = 2.5 }
private enum Tiny: Int8, PersistableEnum { case one = 1, two }
private enum Colour: String, PersistableEnum { case red, green }

private final class Shirt: Object {
    @Persisted(primaryKey: true) var colour: Colour
    @Persisted(indexed: true) var size: Size
    @Persisted(indexed: true) var wish: Size?
    @Persisted var grade: Grade = .high
    @Persisted var tiny: Tiny?
    @Persisted var sizes: List<Size>
    @Persisted var wishes: List<Size?>
    @Persisted var colours: MutableSet<Colour>
    @Persisted var stock: Map<String, Size>
}

private enum Keyed {
    final class Optional: Object {
        @Persisted(primaryKey: true) var size: Size?
    }
}

private enum Whole {
    final class Bag: Object {
        @Persisted var size = 3
        @Persisted var wish: Int? = 3
    }
}
private enum Cases {
    final class Bag: Object {
        @Persisted var size: Size
        @Persisted var wish: Size?
    }
}

@Suite("Enums whose raw values are stored")
struct EnumTests {
    @Test("have any raw type, are keys and indexes, optional, and elements of collections")
    func stores() throws {
        let realm = try Realm.ofSample("\(UUID())", [Shirt.self, Keyed.Optional.self])
        let shirt = Shirt()
        #expect(shirt.colour == .red && shirt.size == .small && shirt.wish == nil)
        shirt.sizes.append(objectsIn: [.large, .small])
        shirt.wishes.append(objectsIn: [nil, .medium])
        shirt.colours.insert(objectsIn: [.red, .green, .red])
        shirt.stock["a"] = .large
        try realm.write {
            realm.add(shirt)
            realm.add(Keyed.Optional())
            realm.add(Keyed.Optional(value: [Size.medium]))
            shirt.size = .medium
            shirt.wish = .large
            shirt.tiny = .two
        }
        #expect(shirt.size == .medium && shirt.wish == .large && shirt.tiny == .two)
        #expect(shirt.grade == .high && Array(shirt.sizes) == [.large, .small])
        #expect(Array(shirt.wishes) == [nil, .medium] && shirt.stock["a"] == .large)
        #expect(Set(shirt.colours) == [.red, .green])
        #expect(realm.object(ofType: Shirt.self, forPrimaryKey: Colour.red) == shirt)
        #expect(realm.object(ofType: Shirt.self, forPrimaryKey: "green") == nil)
        #expect(realm.object(ofType: Keyed.Optional.self, forPrimaryKey: Size?.none) != nil)
        #expect(realm.objects(Shirt.self).filter("size == 5 AND wish == $0", Size.large).count == 1)
        let schema = try #require(realm.schema["Shirt"])
        #expect(schema["size"]?.isIndexed == true && schema["wish"]?.isIndexed == true)
        #expect(schema["size"]?.type == .int && schema["colour"]?.type == .string)
        #expect(schema.primaryKeyProperty?.name == "colour")
    }

    @Test("are ordered by their raw values")
    func order() {
        #expect(Size.allCases.sorted() == [.small, .medium, .large])
        #expect(Size.medium < .large && Colour.green < .red)
    }

    @Test("take raw values in stated values, and refuse others")
    func stated() throws {
        let realm = try Realm.ofSample("\(UUID())", [Shirt.self])
        let shirt = Shirt(value: ["colour": "green", "size": 10, "wish": NSNull()])
        #expect(shirt.colour == .green && shirt.size == .large && shirt.wish == nil)
        let fault = #expect(throws: ValueFault.self) {
            try realm.write { realm.create(Shirt.self, value: ["size": 7]) }
        }
        #expect(
            fault?.message == "Invalid value '7' of type 'Int' for 'int' property 'Shirt.size'.")
    }

    @Test("read a stored value that is no case as nil where they are optional, else as a fault")
    func unknown() async throws {
        let folder = TemporaryDirectory()
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("bags.realm")
        do {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [Whole.Bag.self]))
            try realm.write { realm.add(Whole.Bag()) }
        }
        let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [Cases.Bag.self]))
        #expect(realm.objects(Cases.Bag.self).first?.wish == nil)
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let folder = TemporaryDirectory()
            let url = URL(fileURLWithPath: folder.path).appendingPathComponent("bags.realm")
            func write() throws {
                let realm = try Realm(
                    configuration: .init(fileURL: url, objectTypes: [Whole.Bag.self]))
                try realm.write { realm.add(Whole.Bag()) }
            }
            try write()
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [Cases.Bag.self]))
            _ = realm.objects(Cases.Bag.self).first?.size
        }
        #expect(end.message.contains("Stored value '3' is not a case of 'Size'."))
    }
}
