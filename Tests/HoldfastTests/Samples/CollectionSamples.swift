import Holdfast
import Synchronization
import Testing

/// supported-types 1.
private enum SupportedTypes1 {
    static let objectTypes: [ObjectBase.Type] = [Team.self, Member.self]

    class Team: Object {
        @Persisted var members: List<Member>
        @Persisted var cities: MutableSet<String>
    }

    class Member: Object {
        @Persisted var name: String
        @Persisted(originProperty: "members") var teams: LinkingObjects<Team>
    }

    /// The lines that the sample prints.
    static let printed = Mutex<[String]>([])

    private static func print(_ text: String) { printed.withLock { $0.append(text) } }

    static func operateOn<C: RealmCollection>(collection: C) {
        // Collection could be either Results or List
        print("operating on collection containing \(collection.count) objects")
    }
}

/// supported-types 4.
private enum SupportedTypes4 {
    static let objectTypes: [ObjectBase.Type] = [MyModel.self, Box.self]

    class MyModel: Object {
        @Persisted var name: String
    }

    class Box: Object {
        @Persisted var models: List<MyModel>
    }

    class ViewController {
        let collection: AnyRealmCollection<MyModel>

        init<C: RealmCollection & _ObjcBridgeable>(collection: C) where C.ElementType == MyModel {
            self.collection = AnyRealmCollection(collection)
        }
    }
}

/// supported-types 5.
private enum SupportedTypes5 {
    static let objectTypes: [ObjectBase.Type] = [Dog.self]

    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""
        @Persisted var citiesVisited: MutableSet<String>
    }
}

/// supported-types 6 and 7.
private enum SupportedTypes6 {
    static let objectTypes: [ObjectBase.Type] = [Dog.self]

    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""

        // Map of city name -> favorite park in that city
        @Persisted var favoriteParksByCity: Map<String, String>
    }

    // Percent encode . or $ characters to use them in map keys
    static let mapKey = "New York.Brooklyn"
    static let encodedMapKey = "New York%2EBrooklyn"
}

/// supported-types 8.
private enum SupportedTypes8 {
    static let objectTypes: [ObjectBase.Type] = [Dog.self]

    class Dog: Object {
        @Persisted var name = ""
        @Persisted var currentCity = ""

        @Persisted var companion: AnyRealmValue
    }
}

@Suite("The samples of the page on supported types: collections")
struct CollectionSamples {
    @Test("a generic function takes results, lists, sets and linking objects, managed or not")
    func isGeneric() throws {
        typealias Sample = SupportedTypes1
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let team = Sample.Team(value: [
            "members": [["name": "Ada"], ["name": "Bo"]], "cities": ["Bath"],
        ])
        Sample.operateOn(collection: team.cities)
        try realm.write { realm.add(team) }
        Sample.operateOn(collection: realm.objects(Sample.Team.self))
        Sample.operateOn(collection: team.members)
        Sample.operateOn(collection: team.members[0].teams)
        #expect(
            Sample.printed.withLock { $0 }
                == [1, 1, 2, 1].map { "operating on collection containing \($0) objects" })
    }

    @Test("a type-erased collection shows results and lists of one element as they are now")
    func erases() throws {
        typealias Sample = SupportedTypes4
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let box = Sample.Box(value: ["models": [["name": "a"]]])
        try realm.write { realm.add(box) }
        let list = Sample.ViewController(collection: box.models)
        let results = Sample.ViewController(collection: realm.objects(Sample.MyModel.self))
        #expect(list.collection.map(\.name) == ["a"] && results.collection.count == 1)
        try realm.write { box.models.append(Sample.MyModel(value: ["name": "b"])) }
        #expect(list.collection.map(\.name) == ["a", "b"] && results.collection.count == 2)
        #expect(list.collection.realm == realm && !list.collection.isInvalidated)
    }

    @Test("a set has each value once, in the order of values, and is changed inside a write")
    func hasSets() throws {
        typealias Sample = SupportedTypes5
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let dog = Sample.Dog(value: ["name": "Maui", "currentCity": "New York"])
        dog.citiesVisited.insert("New York")
        try realm.write { realm.add(dog) }
        try realm.write {
            dog.citiesVisited.insert("Boston")
            dog.citiesVisited.insert("New York")
        }
        #expect(Array(dog.citiesVisited) == ["Boston", "New York"])
        #expect(dog.citiesVisited.contains("Boston") && !dog.citiesVisited.contains("Toronto"))
        #expect(realm.objects(Sample.Dog.self).filter("ANY citiesVisited == 'Boston'").count == 1)
        try realm.write { dog.citiesVisited.remove("Boston") }
        #expect(Array(dog.citiesVisited) == ["New York"])
    }

    @Test("a map has one value for each key, sorted by key")
    func hasMaps() throws {
        typealias Sample = SupportedTypes6
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let dog = Sample.Dog(
            value: ["name": "Wolfie", "favoriteParksByCity": ["New York": "Domino Park"]]
                as [String: Any])
        try realm.write { realm.add(dog) }
        try realm.write {
            dog.favoriteParksByCity["Boston"] = "Boston Common"
            dog.favoriteParksByCity["New York"] = "Washington Square Park"
        }
        #expect(dog.favoriteParksByCity.keys == ["Boston", "New York"])
        #expect(dog.favoriteParksByCity["New York"] == "Washington Square Park")
        #expect(dog.favoriteParksByCity["Toronto"] == nil)
        try realm.write { dog.favoriteParksByCity["Boston"] = nil }
        #expect(dog.favoriteParksByCity.count == 1)
    }

    @Test("a key with a point or a dollar sign is refused, and its percent-encoded form is not")
    func encodesKeys() throws {
        typealias Sample = SupportedTypes6
        let realm = try Realm.ofSample("\(Sample.self) keys", Sample.objectTypes)
        let dog = Sample.Dog(value: ["name": "Wolfie"])
        try realm.write { realm.add(dog) }
        for (key, character) in [(Sample.mapKey, "."), ("$New York", "$")] {
            let error = #expect(throws: ValueFault.self) {
                try realm.write { dog.favoriteParksByCity[key] = "Prospect Park" }
            }
            #expect(error?.message == "Dictionary::insert: key must not contain '\(character)'")
        }
        try realm.write { dog.favoriteParksByCity[Sample.encodedMapKey] = "Prospect Park" }
        #expect(dog.favoriteParksByCity[Sample.encodedMapKey] == "Prospect Park")
        #expect(dog.favoriteParksByCity.keys.first?.removingPercentEncoding == Sample.mapKey)
    }

    @Test("a mixed property holds nothing, values of different types, an object, a list or a map")
    func mixes() throws {
        typealias Sample = SupportedTypes8
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        let dog = Sample.Dog(value: ["name": "Maui"])
        let other = Sample.Dog(value: ["name": "Wolfie"])
        try realm.write { realm.add([dog, other]) }
        #expect(dog.companion == .none)
        let id = ObjectId.generate()
        let uuid = UUID()
        let values: [AnyRealmValue] = [
            .string("Fluffy the Cat"), .int(3), .bool(true), .float(1.5), .double(2.5),
            .data(Data([1, 2])),
            .date(Date(timeIntervalSince1970: 1)), .objectId(id), .decimal128("1.25"), .uuid(uuid),
            .none,
        ]
        for value in values {
            try realm.write { dog.companion = value }
            #expect(dog.companion == value)
        }
        try realm.write { dog.companion = .object(other) }
        #expect(dog.companion.object(Sample.Dog.self)?.isSameObject(as: other) == true)
        try realm.write {
            dog.companion = .fromArray([.int(1), .fromDictionary(["kind": .string("cat")])])
        }
        #expect(dog.companion.listValue?.count == 2)
        #expect(dog.companion.listValue?[1].dictionaryValue?["kind"] == .string("cat"))
        try realm.write { dog.companion = .string("Fluffy the Cat") }
        #expect(realm.objects(Sample.Dog.self).filter("companion == 'Fluffy the Cat'").count == 1)
    }
}
