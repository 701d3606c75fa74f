import HoldfastObjectModel
import Testing
import HoldfastTestSupport

/// The samples of the page define-object-model, each under its heading, over HTTP.
@Suite("Samples of define-object-model")
struct DefineObjectModelTests {
    private func open(_ schema: String) throws -> TestServer {
        let server = try TestServer(schema: Schema())
        APIScenario("PUT", "/v1/schema", schema, status: 200).check(on: server)
        return server
    }

    private static let people =
        #"{"classes":[{"name":"Person","properties":{"firstName":"string","lastName":"string","address":"Address?","friends":"Person[]"}},{"name":"Address","kind":"embedded","properties":{"city":"string","country":"string"}}]}"#

    @Test("Define a Class Projection, About These Examples: a person, an embedded address, friends")
    func aboutTheseExamples() throws {
        let server = try open(Self.people)
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"firstName":"Noor"}"#, status: 201,
            contains: [
                #"{"$id":1,"firstName":"Noor","lastName":"","address":null,"friends":[]}"#
            ]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"{"firstName":"Tam","lastName":"Oduya","address":{"city":"Lund"},"friends":[1,{"firstName":"Ida"}]}"#,
            status: 201, contains: [#""address":{"city":"Lund","country":""},"friends":[1,3]"#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects?filter=ANY%20friends.firstName%3D%3D%22Ida%22",
            status: 200, contains: [#""firstName":"Tam""#], excludes: ["Noor"]
        ).check(on: server)
    }

    @Test("Define a Class Projection, How to: passthrough, rename, key path, collection, exclusion")
    func howToDefineAClassProjection() throws {
        let server = try open(Self.people)
        server.send("POST", "/v1/classes/Person/objects", #"{"firstName":"Ida","lastName":"Berg"}"#)
        server.send(
            "POST", "/v1/classes/Person/objects",
            #"{"firstName":"Tam","lastName":"Oduya","address":{"city":"Lund"},"friends":[1]}"#)
        APIScenario(
            "PUT", "/v1/projections/PersonProjection",
            #"{"class":"Person","properties":{"firstName":"firstName","homeCity":"address.city","firstFriendsName":"friends.firstName"}}"#,
            status: 201
        ).check(on: server)
        APIScenario(
            "GET", "/v1/projections/PersonProjection/objects/2", status: 200,
            contains: [
                #""firstName":"Tam","homeCity":"Lund","firstFriendsName":["Ida"]"#
            ], excludes: ["Oduya"]
        ).check(on: server)
    }

    @Test(
        "Class names, property names, primary keys: what the page limits is in ReferenceLimitTests")
    func specifyAPrimaryKey() throws {
        let server = try open(
            #"{"classes":[{"name":"Project","primaryKey":"id","properties":{"id":"int","name":"string"}}]}"#
        )
        APIScenario(
            "POST", "/v1/classes/Project/objects", #"{"id":4,"name":"Sluice"}"#, status: 201,
            fields: ["location": "/v1/classes/Project/objects/4"]
        ).check(on: server)
        APIScenario("POST", "/v1/classes/Project/objects", #"{"id":4}"#, status: 409).check(
            on: server)
        // Another key is another object: the old one is deleted and a new one made, in one transaction.
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"delete","class":"Project","id":4},{"op":"create","class":"Project","value":{"id":5,"name":"Sluice"}}]}"#,
            status: 200
        ).check(on: server)
        APIScenario("GET", "/v1/classes/Project/objects/4", status: 404).check(on: server)
    }

    @Test("Remap a Property Name: names in JSON and names in the store")
    func remapAPropertyName() throws {
        let server = try open(
            #"{"classes":[{"name":"Person","properties":{"firstName":{"type":"string","mapTo":"first_name"},"lastName":{"type":"string","mapTo":"last_name"}}}]}"#
        )
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"firstName":"Noor","lastName":"Oduya"}"#,
            status: 201, contains: [#"{"$id":1,"firstName":"Noor","lastName":"Oduya"}"#]
        ).check(on: server)
        for name in ["firstName", "first_name"] {
            APIScenario(
                "GET",
                target("/v1/classes/Person/objects", [("filter", "\(name) == 'Noor'")]),
                status: 200, contains: [#""firstName":"Noor""#], excludes: ["first_name"]
            ).check(on: server)
        }
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"first_name":"Noor"}"#, status: 422,
            contains: ["unknown-property", #""hint":"firstName""#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/schema/classes/Person", status: 200,
            contains: [#""lastName":{"type":"string","mapTo":"last_name"}"#]
        ).check(on: server)
    }

    private static let sensors =
        #"{"classes":[{"name":"WeatherSensor","kind":"asymmetric","primaryKey":"_id","properties":{"_id":"objectId","deviceId":"string","temperatureInFahrenheit":"float","barometricPressureInHg":"float","windSpeedInMph":"int","place":"Place?","places":"Place[]","station":"Station?","stations":"Station[]"}},{"name":"Place","kind":"embedded","properties":{"name":"string"}},{"name":"Station","primaryKey":"name","properties":{"name":"string"}}]}"#

    @Test("Define an Asymmetric Object: it is created, and not queried, changed or removed")
    func defineAnAsymmetricObject() throws {
        let server = try open(Self.sensors)
        let objects = "/v1/classes/WeatherSensor/objects"
        APIScenario(
            "POST", objects,
            #"{"_id":"507f1f77bcf86cd799439011","deviceId":"d1","temperatureInFahrenheit":70.5,"barometricPressureInHg":30,"windSpeedInMph":5,"place":{"name":"roof"},"places":[{"name":"yard"}],"station":{"name":"s"},"stations":["s"]}"#,
            status: 201
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/WeatherSensor/outbox", status: 200,
            contains: [
                #"{"objects":[{"_id":"507f1f77bcf86cd799439011","deviceId":"d1","temperatureInFahrenheit":70.5,"barometricPressureInHg":30.0,"windSpeedInMph":5,"place":{"name":"roof"},"places":[{"name":"yard"}],"station":"s","stations":["s"]}]"#
            ]
        ).check(on: server)
        let object = objects + "/507f1f77bcf86cd799439011"
        for (method, path, body) in [
            ("GET", objects, nil), ("GET", object, nil), ("PUT", object, "{}"),
            ("PATCH", object, "{}"), ("DELETE", object, nil),
        ] as [(String, String, String?)] {
            APIScenario(method, path, body, status: 405, contains: ["asymmetric-class"]).check(
                on: server)
        }
    }

    @Test("Define an Asymmetric Object: no class links to it")
    func linksToAnAsymmetricObject() throws {
        let server = try open(Self.sensors)
        for type in ["WeatherSensor?", "WeatherSensor[]", "WeatherSensor<>", "WeatherSensor{}"] {
            APIScenario(
                "PUT", "/v1/schema/classes/Holder", "{\"properties\":{\"sensor\":\"\(type)\"}}",
                status: 422, contains: ["invalid-schema", #""pointer":"/properties/sensor"#]
            ).check(on: server)
        }
    }
}
