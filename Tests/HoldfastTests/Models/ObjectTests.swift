import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

private class Animal: Object {
    @Persisted private var secret = 7
    @Persisted var name = "none"
    var legs = 4
    var secretValue: Int { secret }
}
private final class Horse: Animal {
    @Persisted var height: Double?
    convenience init(_ name: String) {
        self.init()
        self.name = name
    }
}
private final class Keyed: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var next: Keyed?
    @Persisted var others: List<Keyed>
    @Persisted var marks: Map<String, Int>
    @Persisted var data: Data
}
private final class MappedNames: Object {
    @Persisted(primaryKey: true) var id = 1
    @Persisted(indexed: true) var shown = ""
    @Persisted var part: MappedNamesPart?
    @Persisted(originProperty: "owner") var owned: LinkingObjects<MappedNames>
    @Persisted var owner: MappedNames?
    override class func propertiesMapping() -> [String: String] {
        ["shown": "stored_text", "owner": "stored_owner"]
    }
}
private final class MappedNamesPart: EmbeddedObject {
    @Persisted var shown = 0
    override class func propertiesMapping() -> [String: String] { ["shown": "stored_number"] }
}

private final class Initialized: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted var name: String
    @Persisted var note = "none"
    @Persisted(indexed: true) var code = 1
    @Persisted var words: List<String>
    @Persisted var when: Date?

    required init() { super.init() }

    init(_ id: Int, _ name: String, _ words: List<String>) {
        self.id = id
        self.name = name
        code = 9
        self.words = words
        when = nil
        super.init()
    }
}

private enum Old {
    final class Grown: Object {
        @Persisted var name = ""
    }
}
private enum New {
    final class Grown: Object {
        @Persisted var name = ""
        @Persisted var date: Date
        @Persisted var count: Int
    }
}

@Suite("Objects")
struct ObjectTests {
    private func realm() throws -> Realm {
        try Realm.ofSample(
            "\(UUID())",
            [Animal.self, Horse.self, Keyed.self, MappedNames.self, MappedNamesPart.self])
    }

    @Test("inherit the properties of a base class, private ones too, in a table of their own")
    func inherits() throws {
        let realm = try realm()
        try realm.write {
            realm.add(Horse("Rih"))
            realm.add(Animal(value: ["name": "Cat"]))
        }
        let horse = try #require(realm.objects(Horse.self).first)
        #expect(horse.name == "Rih" && horse.secretValue == 7 && horse.legs == 4)
        #expect(realm.objects(Animal.self).map(\.name) == ["Cat"])
        #expect(realm.schema["Horse"]?.properties.map(\.name) == ["secret", "name", "height"])
        #expect(Horse.className() == "Horse")
    }

    @Test("with a primary key are equal when they are the same stored one")
    func equality() throws {
        let realm = try realm()
        let object = Keyed(value: [1])
        #expect(object == object && object != Keyed(value: [1]))
        try realm.write { realm.add([object, Keyed(value: [2])]) }
        let same = try #require(realm.object(ofType: Keyed.self, forPrimaryKey: 1))
        #expect(same == object && same.hashValue == object.hashValue && same !== object)
        #expect(Set([same, object]).count == 1)
        #expect(same != realm.object(ofType: Keyed.self, forPrimaryKey: 2))
        let other = try self.realm()
        try other.write { other.add(Keyed(value: [1])) }
        #expect(other.object(ofType: Keyed.self, forPrimaryKey: 1) != object)
    }

    @Test("without a primary key are equal to themselves alone, and known as the same")
    func sameness() throws {
        let realm = try realm()
        let object = Horse("a")
        try realm.write { realm.add(object) }
        let same = try #require(realm.objects(Horse.self).first)
        #expect(same != object && same.isSameObject(as: object))
        #expect(!same.isSameObject(as: nil) && !Horse("a").isSameObject(as: Horse("a")))
    }

    @Test("know their realm, whether they are there, and their class")
    func state() throws {
        let realm = try realm()
        let object = Keyed(value: [1])
        #expect(object.realm == nil && !object.isInvalidated)
        try realm.write { realm.add(object) }
        #expect(object.realm == realm && object.objectSchema == realm.schema["Keyed"])
        try realm.write { realm.delete(object) }
        #expect(object.isInvalidated)
    }

    @Test("that were deleted in a write which is rolled back are there again")
    func undeleted() throws {
        let realm = try realm()
        let object = Keyed(value: [1])
        try realm.write { realm.add(object) }
        realm.beginWrite()
        realm.delete(object)
        #expect(object.isInvalidated)
        realm.cancelWrite()
        #expect(!object.isInvalidated && object.id == 1)
    }

    @Test("are described by their class and a property a line, to a depth, so that cycles end")
    func descriptions() throws {
        let realm = try realm()
        let object = Keyed(
            value: ["id": 1, "marks": ["a": 1], "data": Data([1, 2])] as [String: Any])
        let text = object.description
        #expect(text.hasPrefix("Keyed {\n\tid = 1;\n\tnext = (null);\n"))
        #expect(text.contains("\tmarks = [a: 1];\n") && text.hasSuffix("}"))
        try realm.write {
            object.next = object
            object.others.append(object)
            realm.add(object)
        }
        #expect(object.description.contains("<Maximum depth exceeded>"))
        #expect(object.description.contains("\t\tid = 1;"))
        try realm.write { realm.delete(object) }
        #expect(object.description == "Keyed [invalid object]")
    }

    @Test("have public names for stored ones everywhere, in embedded objects too")
    func mapping() throws {
        let realm = try realm()
        try realm.write {
            realm.create(
                MappedNames.self, value: ["shown": "a", "part": ["shown": 5]] as [String: Any])
            realm.create(
                MappedNames.self,
                value: ["id": 2, "shown": "b", "owner": ["id": 1]] as [String: Any],
                update: .modified)
        }
        let objects = realm.objects(MappedNames.self)
        #expect(objects.filter("shown == 'a' AND part.shown == 5").count == 1)
        #expect(objects.filter("part.stored_number == 5").count == 1)
        #expect(objects.where { $0.shown == "b" }.first?.owner?.shown == "a")
        #expect(objects.sorted(byKeyPath: "shown").map(\.id) == [1, 2])
        let first = try #require(objects.first)
        #expect(first["shown"] as? String == "a" && first.owned.map(\.id) == [2])
        let property = first.objectSchema["shown"]
        #expect(property?.columnName == "stored_text" && property?.isIndexed == true)
        #expect(realm.schema["MappedNamesPart"]?["shown"]?.columnName == "stored_number")
    }

    @Test("have fresh identifiers, the time of now and empty values as defaults")
    func defaults() throws {
        let (person, other) = (Person(), Person())
        #expect(person.id != other.id && person.token != other.token && person.photo.isEmpty)
        #expect(person.token != ObjectId() && person.token == person.token)
        let grown = New.Grown()
        #expect(abs(grown.date.timeIntervalSinceNow) < 60 && grown.date == grown.date)
    }

    @Test("are given values by their initializers before the base class's, and by defaults")
    func initializers() throws {
        let kept = List<String>()
        kept.append("a")
        let made = Initialized(4, "first", kept)
        #expect(made.id == 4 && made.name == "first" && made.note == "none" && made.code == 9)
        #expect(Array(made.words) == ["a"] && made.when == nil)
        // The list belongs to the object, as a list that is assigned later does.
        kept.append("b")
        let realm = try Realm.ofSample("\(UUID())", [Initialized.self])
        try realm.write { realm.add(made) }
        #expect(Array(made.words) == ["a"] && kept.realm == nil && kept.count == 2)
        let stored = try #require(realm.object(ofType: Initialized.self, forPrimaryKey: 4))
        #expect(stored.name == "first" && stored.note == "none" && stored.code == 9)
        #expect(realm.objects(Initialized.self).where { $0.note == "none" }.count == 1)
    }

    @Test("that gain a required date have 1970 in it, and 0 in a number")
    func grows() throws {
        let folder = TemporaryDirectory()
        let url = URL(fileURLWithPath: folder.path).appendingPathComponent("grown.realm")
        func write() throws {
            let realm = try Realm(
                configuration: .init(fileURL: url, objectTypes: [Old.Grown.self]))
            try realm.write { realm.add(Old.Grown(value: ["a"])) }
        }
        try write()
        let realm = try Realm(configuration: .init(fileURL: url, objectTypes: [New.Grown.self]))
        let object = try #require(realm.objects(New.Grown.self).first)
        #expect(object.date == Date(timeIntervalSince1970: 0) && object.count == 0)
    }

    @Test("are refused a primary key that another one has, and nothing of them remains")
    func duplicates() throws {
        let realm = try realm()
        try realm.write { realm.add(Keyed(value: [5])) }
        let fault = #expect(throws: ValueFault.self) {
            try realm.write {
                realm.add(
                    Keyed(value: ["id": 6, "next": ["id": 7, "next": [5]]] as [String: Any]))
            }
        }
        #expect(
            fault?.message
                == "Attempting to create an object of type 'Keyed' with an existing primary key value '5'."
        )
        #expect(realm.objects(Keyed.self).map(\.id) == [5])
    }

    @Test("keep their primary key once they are added, even against the same value")
    func fixedKeys() async {
        let assigned = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm.ofSample("key", [Keyed.self])
            let object = Keyed(value: [1])
            try realm.write {
                realm.add(object)
                object.id = 1
            }
        }
        #expect(
            assigned.message.contains("Primary key can't be changed after an object is inserted."))
        let stated = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            let realm = try Realm.ofSample("key", [Keyed.self])
            let object = Keyed(value: [1])
            try realm.write {
                realm.add(object)
                object.setValue(2, forKey: "id")
            }
        }
        #expect(
            stated.message.contains("Primary key can't be changed after an object is inserted."))
    }
}
