import Holdfast
import Testing

/// define-object-model 1.
private enum DefineObjectModel1 {
    static let objectTypes: [ObjectBase.Type] = [Person.self]

    class Person: Object {
        @Persisted var firstName = ""
        @Persisted var lastName = ""

        override class public func propertiesMapping() -> [String: String] {
            [
                "firstName": "first_name",
                "lastName": "last_name",
            ]
        }
    }
}

/// define-object-model 4.
private enum DefineObjectModel4 {
    static let objectTypes: [ObjectBase.Type] = [WeatherSensor.self]

    class WeatherSensor: AsymmetricObject {
        @Persisted(primaryKey: true) var _id: ObjectId
        @Persisted var deviceId: String
        @Persisted var temperatureInFahrenheit: Float
        @Persisted var barometricPressureInHg: Float
        @Persisted var windSpeedInMph: Int
    }

    class Station: Object {
        @Persisted var sensor: WeatherSensor?
    }
}

@Suite("The samples of the page on object models")
struct DefineObjectModelSamples {
    @Test("a mapped property is read, stated, found and sorted by its public name")
    func maps() throws {
        typealias Sample = DefineObjectModel1
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        try realm.write {
            realm.create(Sample.Person.self, value: ["firstName": "Grace", "lastName": "Hopper"])
            realm.create(Sample.Person.self, value: ["firstName": "Ada", "lastName": "Lovelace"])
        }
        let people = realm.objects(Sample.Person.self)
        #expect(people.filter("firstName == 'Ada'").map(\.lastName) == ["Lovelace"])
        #expect(people.sorted(byKeyPath: "firstName").map(\.firstName) == ["Ada", "Grace"])
    }

    @Test("a mapped property is stored under its private name")
    func storesPrivateNames() throws {
        typealias Sample = DefineObjectModel1
        let realm = try Realm.ofSample("\(Sample.self) private", Sample.objectTypes)
        try realm.write {
            realm.add(Sample.Person(value: ["firstName": "Ada", "lastName": "Lovelace"]))
        }
        let people = realm.objects(Sample.Person.self)
        #expect(people.filter("first_name == 'Ada' AND last_name == 'Lovelace'").count == 1)
    }

    @Test("an asymmetric object is created and is none of the realm's objects")
    func creates() throws {
        typealias Sample = DefineObjectModel4
        let realm = try Realm.ofSample("\(Sample.self)", Sample.objectTypes)
        try realm.write {
            realm.create(
                Sample.WeatherSensor.self,
                value: [
                    "_id": ObjectId.generate(), "deviceId": "WX1278UIT",
                    "temperatureInFahrenheit": 66.7,
                    "barometricPressureInHg": 29.65, "windSpeedInMph": 2,
                ] as [String: Any])
        }
        #expect(realm.isEmpty)
    }

    @Test(
        "an object that links to an asymmetric one is refused by a message with the property's name"
    )
    func refusesLinks() {
        typealias Sample = DefineObjectModel4
        let error = #expect(throws: Realm.Error.self) {
            try Realm.ofSample(
                "\(Sample.self) link", [Sample.WeatherSensor.self, Sample.Station.self])
        }
        #expect(error.map { "\($0)" }?.contains("sensor") == true)
    }
}
