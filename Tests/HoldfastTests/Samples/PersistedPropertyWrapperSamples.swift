import Holdfast
import Testing

/// persisted-property-wrapper 1.
private enum PersistedPropertyWrapper1 {
    static let objectTypes: [ObjectBase.Type] = [MyModel.self, MyObject.self, OtherModel.self]

    class MyModel: Object {
        // A basic property declaration. A property with no
        // default value supplied will default to `nil` for
        // Optional types, zero for numeric types, false for Bool,
        // an empty string/data, and a new random value for UUID
        // and ObjectID.
        @Persisted var basicIntProperty: Int
        // Custom default values can be specified with the
        // standard Swift syntax
        @Persisted var intWithCustomDefault: Int = 5
        // Properties can be indexed by passing `indexed: true`
        // to the initializer.
        @Persisted(indexed: true) var indexedString: String
        // Properties can set as the class's primary key by
        // passing `primaryKey: true` to the initializer
        @Persisted(primaryKey: true) var _id: ObjectId
        // List and set properties should always be declared
        // with `: List` rather than `= List()`
        @Persisted var listProperty: List<Int>
        @Persisted var setProperty: MutableSet<MyObject>
        // LinkingObjects properties require setting the source
        // object link property name in the initializer
        @Persisted(originProperty: "outgoingLink")
        var incomingLinks: LinkingObjects<OtherModel>
        // Properties which are not marked with @Persisted will
        // be ignored entirely by Realm.
        var ignoredProperty = true
    }

    class MyObject: Object {
        @Persisted var name: String
    }

    class OtherModel: Object {
        @Persisted var outgoingLink: MyModel?
    }
}

/// persisted-property-wrapper 2: each initializer that the page declares.
private enum PersistedPropertyWrapper2 {
    static let objectTypes: [ObjectBase.Type] = [Bare.self, Given.self]

    class Bare: Object {
        @Persisted var plain: Int
        @Persisted(indexed: true) var indexed: String
        @Persisted(primaryKey: true) var key: UUID
        @Persisted(originProperty: "bare") var givens: LinkingObjects<Given>
    }

    class Given: Object {
        @Persisted(wrappedValue: 1) var explicit: Int
        @Persisted var plain = 2
        @Persisted(wrappedValue: "explicit", indexed: true) var explicitlyIndexed: String
        @Persisted(indexed: true) var indexed = "indexed"
        @Persisted(primaryKey: true) var key = 7
        @Persisted var bare: Bare?
    }

    class GivenKey: Object {
        @Persisted(wrappedValue: "key", primaryKey: true) var key: String
    }

    class Coded: Object, Codable {
        @Persisted(primaryKey: true) var id = 3
        @Persisted var name: String
        @Persisted var note: String?
        @Persisted var scores: List<Int>
        @Persisted var tags: MutableSet<String>
        @Persisted var counts: Map<String, Int>
        @Persisted var next: Coded?
        @Persisted(originProperty: "next") var previous: LinkingObjects<Coded>
    }
}

@Suite("The samples of the page on @Persisted")
struct PersistedPropertyWrapperSamples {
    @Test("an unmanaged object has the documented default of each property")
    func hasDefaults() {
        let model = PersistedPropertyWrapper1.MyModel()
        #expect(model.basicIntProperty == 0 && model.intWithCustomDefault == 5)
        #expect(model.indexedString.isEmpty)
        #expect(model._id == model._id && model._id != ObjectId())
        #expect(model._id != PersistedPropertyWrapper1.MyModel()._id)
        #expect(model.listProperty.isEmpty && model.setProperty.isEmpty)
        #expect(model.incomingLinks.isEmpty)
        #expect(model.ignoredProperty)
    }

    @Test("a stored object has the values, the elements and the links that lead to it")
    func stores() throws {
        typealias Sample = PersistedPropertyWrapper1
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let model = Sample.MyModel()
        let id = model._id
        try realm.write {
            model.indexedString = "found"
            model.listProperty.append(objectsIn: [3, 1, 3])
            model.setProperty.insert(Sample.MyObject(value: ["name": "element"]))
            realm.add(Sample.OtherModel(value: ["outgoingLink": model]))
        }
        let stored = try #require(realm.object(ofType: Sample.MyModel.self, forPrimaryKey: id))
        #expect(stored.intWithCustomDefault == 5)
        #expect(Array(stored.listProperty) == [3, 1, 3])
        #expect(stored.setProperty.map(\.name) == ["element"])
        #expect(
            stored.incomingLinks.count == 1 && stored.incomingLinks.first?.outgoingLink == model)
        let found = realm.objects(Sample.MyModel.self).filter("indexedString == 'found'")
        #expect(found.map(\._id) == [id])
    }

    @Test("a property without @Persisted is each instance's own, and no query knows it")
    func ignores() throws {
        typealias Sample = PersistedPropertyWrapper1
        let realm = try Realm.ofSample("\(Sample.self) ignores", Sample.objectTypes)
        let model = Sample.MyModel()
        try realm.write { realm.add(model) }
        model.ignoredProperty = false
        let other = try #require(realm.objects(Sample.MyModel.self).first)
        #expect(other == model && other.ignoredProperty)
        #expect(throws: InvalidQuery.self) {
            try realm.objects(Sample.MyModel.self).filter(validating: "ignoredProperty == true")
        }
    }

    @Test(
        "each initializer of the wrapper declares the default, the index, the key or the origin that it names"
    )
    func declares() throws {
        typealias Sample = PersistedPropertyWrapper2
        let realm = try Realm.ofSample(
            "\(Sample.self)", Sample.objectTypes + [Sample.GivenKey.self])
        let bare = Sample.Bare()
        let key = bare.key
        try realm.write {
            realm.add(Sample.Given(value: ["bare": bare]))
            realm.add(Sample.GivenKey())
        }
        let given = try #require(realm.object(ofType: Sample.Given.self, forPrimaryKey: 7))
        #expect(given.explicit == 1 && given.plain == 2)
        #expect(given.explicitlyIndexed == "explicit" && given.indexed == "indexed")
        let stored = try #require(realm.object(ofType: Sample.Bare.self, forPrimaryKey: key))
        #expect(stored.plain == 0 && stored.indexed.isEmpty)
        #expect(stored.givens.map(\.key) == [7])
        #expect(realm.object(ofType: Sample.GivenKey.self, forPrimaryKey: "key") != nil)
    }

    @Test(
        "an unmanaged object is encoded and decoded with what it leads to, but for links that lead to it"
    )
    func codes() throws {
        typealias Sample = PersistedPropertyWrapper2
        let object = Sample.Coded(
            value: [
                "name": "Ada", "scores": [2, 1], "tags": ["a"], "counts": ["k": 4],
                "next": ["id": 5],
            ] as [String: Any])
        let data = try JSONEncoder().encode(object)
        let decoded = try JSONDecoder().decode(Sample.Coded.self, from: data)
        #expect(decoded.id == 3 && decoded.name == "Ada" && decoded.note == nil)
        #expect(
            Array(decoded.scores) == [2, 1] && Array(decoded.tags) == ["a"]
                && decoded.counts["k"] == 4)
        #expect(decoded.next?.id == 5 && decoded.next?.next == nil)
        #expect(!String(decoding: data, as: UTF8.self).contains("previous"))
    }

    @Test("a decoded object is added as any other, by its primary key and with its inverse links")
    func addsDecoded() throws {
        typealias Sample = PersistedPropertyWrapper2
        let realm = try Realm.ofSample("\(Sample.Coded.self) decoded", [Sample.Coded.self])
        let object = Sample.Coded(value: ["name": "Ada", "next": ["id": 5]] as [String: Any])
        let data = try JSONEncoder().encode(object)
        let decoded = try JSONDecoder().decode(Sample.Coded.self, from: data)
        try realm.write { realm.add(decoded) }
        let next = try #require(realm.object(ofType: Sample.Coded.self, forPrimaryKey: 5))
        #expect(next.previous.map(\.id) == [3] && decoded.next == next)
    }

    @Test("an optional property may be missing where an object is decoded, a required one may not")
    func decodesParts() throws {
        typealias Sample = PersistedPropertyWrapper2
        func decode(_ text: String) throws -> Sample.Coded {
            try JSONDecoder().decode(Sample.Coded.self, from: Data(text.utf8))
        }
        let object = try decode(#"{"id": 4, "name": "Bo", "scores": [], "tags": [], "counts": {}}"#)
        #expect(object.id == 4 && object.note == nil && object.next == nil)
        #expect(throws: DecodingError.self) {
            try decode(#"{"id": 4, "scores": [], "tags": [], "counts": {}}"#)
        }
        #expect(throws: DecodingError.self) {
            try decode(#"{"id": 4, "name": "Bo", "scores": [], "tags": [], "counts": {"a.b": 1}}"#)
        }
    }

    @Test("a managed object is not encoded")
    func refusesToEncode() throws {
        typealias Sample = PersistedPropertyWrapper2
        let realm = try Realm.ofSample("\(Sample.Coded.self)", [Sample.Coded.self])
        let object = Sample.Coded()
        try realm.write { realm.add(object) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(object) }
    }
}
