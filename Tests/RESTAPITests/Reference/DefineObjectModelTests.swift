import ObjectModel
import Testing
import TestSupport

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
                #"{"firstName":"Noor","lastName":"","address":null,"friends":[],"$id":1}"#
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
}
