import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// The samples of the reference page "Define and Use Class Projections" over HTTP, each named by the heading
/// that it stands under.
@Suite("Class projections of the reference")
struct ClassProjectionsTests {
    private static let people = "/v1/projections/PersonProjection/objects"

    private func server() throws -> TestServer {
        let server = try TestServer(schema: Schema())
        for (path, body) in [
            (
                "schema/classes/Address",
                #"{"kind":"embedded","properties":{"city":"string","country":"string"}}"#
            ),
            (
                "schema/classes/Person",
                #"{"properties":{"firstName":"string","lastName":"string","address":"Address","#
                    + #""friends":"Person[]"}}"#
            ),
            (
                "projections/PersonProjection",
                #"{"class":"Person","properties":{"firstName":"firstName","homeCity":"address.city","#
                    + #""firstFriendsName":"friends.firstName"}}"#
            ),
        ] {
            APIScenario("PUT", "/v1/" + path, body, status: 201).check(on: server)
        }
        APIScenario(
            "POST", "/v1/classes/Person/objects",
            #"{"firstName":"Jason","lastName":"Bourne","address":{"city":"Zurich","country":"CH"},"#
                + #""friends":[{"firstName":"Marie"},{"firstName":"Nicky"}]}"#, status: 201
        ).check(on: server)
        return server
    }

    /// What names Jason.
    private func jason(_ server: TestServer) throws -> Int64 {
        let page = server.send(
            "GET", Self.people + "?filter=firstName%20==%20%22Jason%22&limit=1")
        return try #require(QueryJSON(page.text)?["objects"]?.elements.first?["$id"]?.int)
    }

    @Test(
        "About These Examples, Define a Class Projection: pass-through, key path and collection mapping"
    )
    func define() throws {
        let server = try server()
        APIScenario(
            "GET", Self.people + "/\(try jason(server))", status: 200,
            contains: [
                #""firstName":"Jason","homeCity":"Zurich","firstFriendsName":["Marie","Nicky"]}"#
            ], excludes: ["lastName", "Bourne"]
        ).check(on: server)
    }

    @Test("Query for a Class Projection: the results are all objects of the class, projected")
    func query() throws {
        let server = try server()
        let page = server.send("GET", Self.people)
        let objects = try #require(QueryJSON(page.text)?["objects"]?.elements)
        #expect(Set(objects.compactMap { $0["firstName"]?.string }) == ["Jason", "Marie", "Nicky"])
        #expect(objects.filter { $0["homeCity"] == .null }.count == 2)
        // A derived query works by what the original has, and fails by what it has not.
        APIScenario(
            "GET", Self.people + "?filter=firstName%20==%20'Marie'&count=exact", status: 200,
            contains: [#""count":1"#]
        ).check(on: server)
        APIScenario(
            "GET", Self.people + "?filter=homeCity%20==%20'Zurich'", status: 400,
            contains: ["exists only in the projection", "'address.city'"]
        ).check(on: server)
    }

    @Test("Change Class Projection Properties: a property is changed through the projection")
    func change() throws {
        let server = try server()
        let id = try jason(server)
        APIScenario(
            "PATCH", Self.people + "/\(id)", #"{"firstName":"David"}"#, status: 200,
            contains: [#""firstName":"David","homeCity":"Zurich""#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Person/objects/\(id)", status: 200,
            contains: [#""firstName":"David","lastName":"Bourne""#]
        ).check(on: server)
    }

    @Test("React to Changes to a Class Projection: only what is projected notifies")
    func react() throws {
        let server = ChangesServer(try server())
        let id = try jason(server.server)
        let put = server.send(
            "PUT", "/v1/projections/FirstName",
            #"{"class":"Person","properties":{"firstName":"firstName"}}"#)
        #expect(put.status == 201)
        // The sample observes the key path "firstName" of one object.
        let stream = server.events("/v1/projections/FirstName/objects/\(id)/changes")
        #expect(stream.nextEvent().name == "hello")
        let object = "/v1/classes/Person/objects/\(id)"
        #expect(server.send("PATCH", object, #"{"lastName":"Webb","friends":[]}"#).status == 200)
        // Through the projection, then through the object itself.
        #expect(
            server.send("PATCH", Self.people + "/\(id)", #"{"firstName":"David"}"#).status == 200)
        var event = stream.nextEvent()
        #expect(event.changes == ["update \(id)"])
        #expect(
            event.data.contains(
                #""changed":["firstName"],"object":{"$id":\#(id),"firstName":"David"}"#))
        #expect(server.send("PATCH", object, #"{"firstName":"Gilberto"}"#).status == 200)
        event = stream.nextEvent()
        #expect(event.data.contains(#""firstName":"Gilberto""#))
        _ = server.delete(object)
        #expect(stream.nextEvent().changes == ["delete \(id)"])
    }
}
