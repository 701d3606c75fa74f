import HoldfastObjectModel
import Testing
import HoldfastTestSupport

/// The samples of the page object-schema-examples, each under its heading, over HTTP.
@Suite("Samples of object-schema-examples")
struct ObjectSchemaExamplesTests {
    private func open(_ classes: String...) throws -> TestServer {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "PUT", "/v1/schema", #"{"classes":[\#(classes.joined(separator: ","))]}"#, status: 200
        ).check(on: server)
        return server
    }

    @Test("Define a New Object Type")
    func defineANewObjectType() throws {
        let server = try open(
            #"{"name":"Dog","properties":{"name":"string?","age":"int","born":"date","tag":"uuid"}}"#
        )
        APIScenario(
            "POST", "/v1/classes/Dog/objects", #"{"name":"Juno","age":3}"#, status: 201,
            contains: [#"{"$id":1,"name":"Juno","age":3,"born":""#, #""tag":""#]
        ).check(on: server)
    }

    @Test("Specify an Optional/Required Property")
    func specifyAnOptionalRequiredProperty() throws {
        let server = try open(
            #"{"name":"Person","properties":{"name":"string","nick":"string?","age":"int?","ssn":"data?"}}"#
        )
        APIScenario(
            "POST", "/v1/classes/Person/objects", "{}", status: 201,
            contains: [#"{"$id":1,"name":"","nick":null,"age":null,"ssn":null}"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"name":null}"#, status: 422,
            contains: ["null-not-allowed", #""pointer":"/name""#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/1", #"{"age":5,"nick":"n"}"#, status: 200
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Person/objects/1", #"{"age":null}"#, status: 200,
            contains: [#""nick":"n","age":null"#]
        ).check(on: server)
    }

    @Test("Specify a Primary Key")
    func specifyAPrimaryKey() throws {
        let server = try open(
            #"{"name":"Project","primaryKey":"id","properties":{"id":"int","name":"string"}}"#)
        APIScenario("PUT", "/v1/classes/Project/objects/0", #"{"name":"Zero"}"#, status: 201).check(
            on: server)
        APIScenario(
            "PUT", "/v1/classes/Project/objects/0", #"{"name":"Nil"}"#, status: 200,
            contains: [#"{"id":0,"name":"Nil"}"#]
        ).check(on: server)
    }

    @Test("Index a Property")
    func indexAProperty() throws {
        let server = try open(
            #"{"name":"Book","properties":{"price":"int","title":{"type":"string","indexed":true}}}"#
        )
        server.send(
            "POST", "/v1/classes/Book/objects",
            #"[{"title":"Tides","price":8},{"title":"Winds","price":9}]"#)
        for filter in ["title%3D%3D%22Winds%22", "title%20IN%20%7B%22Winds%22%2C%22Fogs%22%7D"] {
            APIScenario(
                "GET", "/v1/classes/Book/objects?explain=true&filter=\(filter)", status: 200,
                contains: [#""price":9"#, #""indexes":["title"]"#, #""rowsRead":1"#]
            ).check(on: server)
        }
    }

    @Test("Ignore a Property: what the class does not declare is refused, not kept in silence")
    func ignoreAProperty() throws {
        let server = try open(#"{"name":"Person","properties":{"name":"string"}}"#)
        APIScenario(
            "POST", "/v1/classes/Person/objects", #"{"name":"Lio","scratch":1}"#, status: 422,
            contains: ["unknown-property", #""pointer":"/scratch""#]
        ).check(on: server)
    }

    @Test("Declare Enum Properties")
    func declareEnumProperties() throws {
        let server = try open(
            #"{"name":"Task","properties":{"title":"string","state":{"type":"string","enum":["waiting","running","done"],"default":"waiting"},"rank":{"type":"int?","enum":[1,2,3]}}}"#
        )
        APIScenario(
            "POST", "/v1/classes/Task/objects", #"{"title":"t","rank":2}"#, status: 201,
            contains: [#""state":"waiting","rank":2"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Task/objects", #"{"title":"t","state":"lost","rank":4}"#,
            status: 422, contains: [#""pointer":"/state""#, #""pointer":"/rank""#, "not-in-enum"]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Task/objects?filter=state%3D%3D%22waiting%22", status: 200,
            contains: [#""title":"t""#]
        ).check(on: server)
    }

    @Test("Define a To-One Relationship Property")
    func toOne() throws {
        let server = try open(
            #"{"name":"Person","primaryKey":"name","properties":{"name":"string","dog":"Dog?"}}"#,
            #"{"name":"Dog","primaryKey":"name","properties":{"name":"string","age":"int"}}"#)
        APIScenario(
            "PUT", "/v1/classes/Person/objects/Ana", #"{"dog":{"name":"Juno","age":2}}"#,
            status: 201, contains: [#""dog":"Juno""#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/Ana?expand=dog", status: 200,
            contains: [#""dog":{"name":"Juno","age":2}"#]
        ).check(on: server)
        APIScenario("PATCH", "/v1/classes/Person/objects/Ana", #"{"dog":null}"#, status: 200).check(
            on: server)
        APIScenario("GET", "/v1/classes/Dog/objects/Juno", status: 200).check(on: server)
    }

    private let owners =
        #"{"name":"Person","primaryKey":"name","properties":{"name":"string","dogs":"Dog[]"}}"#

    @Test("Define a To-Many Relationship Property")
    func toMany() throws {
        let server = try open(
            owners,
            #"{"name":"Dog","primaryKey":"name","properties":{"name":"string","age":"int"}}"#)
        APIScenario(
            "PUT", "/v1/classes/Person/objects/Ana",
            #"{"dogs":[{"name":"Juno","age":2},{"name":"Rex","age":9}]}"#, status: 201,
            contains: [#""dogs":["Juno","Rex"]"#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/Ana/properties/dogs?filter=age%3E5", status: 200,
            contains: [#""objects":[{"name":"Rex","age":9}]"#]
        ).check(on: server)
    }

    @Test("Define an Inverse Relationship Property")
    func inverse() throws {
        let server = try open(
            owners,
            #"{"name":"Dog","primaryKey":"name","properties":{"name":"string","owners":{"type":"linkingObjects","class":"Person","property":"dogs"}}}"#
        )
        for name in ["Ana", "Ben"] {
            server.send("PUT", "/v1/classes/Person/objects/\(name)", #"{"dogs":[{"name":"Juno"}]}"#)
        }
        APIScenario(
            "GET", "/v1/classes/Dog/objects/Juno?fields=*,owners", status: 200,
            contains: [#""owners":["Ana","Ben"]"#]
        ).check(on: server)
        server.send("PATCH", "/v1/classes/Person/objects/Ana", #"{"dogs":[]}"#)
        APIScenario(
            "GET", "/v1/classes/Dog/objects?filter=owners.@count%3D%3D1&fields=owners", status: 200,
            contains: [#""owners":["Ben"]"#]
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Dog/objects/Juno", #"{"owners":["Ana"]}"#, status: 422,
            contains: ["inverse-link-read-only"]
        ).check(on: server)
    }

    @Test("Define an Embedded Object Property")
    func embedded() throws {
        let server = try open(
            #"{"name":"Address","kind":"embedded","properties":{"street":"string?","city":"string?","postalCode":"string?"}}"#,
            #"{"name":"Contact","primaryKey":"id","properties":{"id":"objectId","name":"string","address":"Address?"}}"#,
            #"{"name":"Business","primaryKey":"id","properties":{"id":"objectId","name":"string","addresses":"Address[]"}}"#
        )
        APIScenario(
            "POST", "/v1/classes/Contact/objects",
            #"{"name":"Iris","address":{"street":"Kai 3","city":"Emden"}}"#, status: 201,
            contains: [#""address":{"street":"Kai 3","city":"Emden","postalCode":null}"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Business/objects",
            #"{"name":"Ferry","addresses":[{"city":"Emden"},{"city":"Borkum"}]}"#, status: 201
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Business/objects?filter=ANY%20addresses.city%3D%3D%22Borkum%22",
            status: 200, contains: [#""name":"Ferry""#]
        ).check(on: server)
    }
}
