import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("inverse links and small limits of collections")
struct LargeInverseTests {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Port", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "name", type: .single(.scalar(.string)), isOptional: true),
                Property(
                    name: "ships", type: .linkingObjects(className: "Ship", property: "home")),
                Property(
                    name: "calls", type: .linkingObjects(className: "Call", property: "port")),
            ]),
        ObjectClass(
            name: "Ship", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "home", type: .single(.object("Port")), isOptional: true),
                Property(name: "calls", type: .list(.object("Call"))),
                Property(name: "masts", type: .list(.scalar(.int))),
            ]),
        ObjectClass(
            name: "Call", kind: .embedded,
            properties: [
                Property(name: "port", type: .single(.object("Port")), isOptional: true)
            ]),
    ])

    let port = "/v1/classes/Port/objects/"

    /// A server whose port 3 has three links of either kind, and whose port 4 four.
    private func server(elementCountMax: Int = 1000, byteCountMax: Int = 1000) throws -> TestServer
    {
        var options = RESTOptions()
        options.limits.collectionElementCountMax = elementCountMax
        options.limits.collectionByteCountMax = byteCountMax
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Self.schema, options: options)
        for (port, ships) in [(3, 0..<3), (4, 3..<7)] {
            server.send("PUT", self.port + "\(port)", "{\"name\":\"a\"}")
            for ship in ships {
                server.send(
                    "PUT", "/v1/classes/Ship/objects/\(ship)",
                    "{\"home\":\(port),\"calls\":[{\"port\":\(port)}]}")
            }
        }
        server.send(
            "PUT", "/v1/projections/Harbour",
            #"{"class":"Port","properties":{"fleet":"ships","visits":"calls"}}"#)
        return server
    }

    @Test(
        "an inverse link with more objects than a reply shows is left out of every form of a reply",
        arguments: [(3, 1000), (1000, 24)])
    func omitted(elementCountMax: Int, byteCountMax: Int) throws {
        let server = try server(elementCountMax: elementCountMax, byteCountMax: byteCountMax)
        for (target, shown, omitted) in [
            ("?fields=ships", #"{"ships":[0,1,2]}"#, #"{"$omitted":["ships"]}"#),
            (
                "?fields=ships.id", #"{"ships":[{"id":0},{"id":1},{"id":2}]}"#,
                #"{"$omitted":["ships"]}"#
            ),
            (
                "?fields=id,ships&expand=ships", #""ships":[{"id":0,"#,
                #"{"id":4,"$omitted":["ships"]}"#
            ),
            ("?fields=calls", #"{"calls":[{"$owner":{"#, #"{"$omitted":["calls"]}"#),
            (
                "?fields=*,ships,calls", #""ships":[0,1,2],"calls":["#,
                #""$omitted":["ships","calls"]"#
            ),
        ] {
            APIScenario("GET", port + "3" + target, status: 200, contains: [shown]).check(
                on: server)
            APIScenario("GET", port + "4" + target, status: 200, contains: [omitted])
                .check(on: server)
            APIScenario(
                "GET", "/v1/classes/Port/objects" + target, status: 200,
                contains: [shown, omitted]
            ).check(on: server)
        }
        let projected = "/v1/projections/Harbour/objects"
        APIScenario("GET", projected + "/3", status: 200, contains: [#""fleet":[0,1,2]"#])
            .check(on: server)
        APIScenario(
            "GET", projected + "/4", status: 200, contains: [#""$omitted":["fleet","visits"]"#]
        ).check(on: server)
        APIScenario(
            "GET", projected, status: 200,
            contains: [#""fleet":[0,1,2]"#, #""$omitted":["fleet","visits"]"#]
        ).check(on: server)
        let ship = "/v1/classes/Ship/objects/"
        APIScenario(
            "GET", ship + "0?fields=home.ships", status: 200,
            contains: [#"{"home":{"ships":[0,1,2]}}"#]
        ).check(on: server)
        APIScenario(
            "GET", ship + "4?fields=id,home.ships", status: 200,
            contains: [#"{"home":{"$omitted":["ships"]}}"#.dropFirst().description]
        ).check(on: server)
        APIScenario(
            "GET", port + "4/properties/ships?fields=id", status: 200,
            contains: [#"{"objects":[{"id":3},{"id":4},{"id":5},{"id":6}]}"#]
        ).check(on: server)
    }

    @Test("a projection that leads to an inverse link through a link leaves it out as well")
    func path() throws {
        let server = try server(elementCountMax: 3)
        APIScenario(
            "PUT", "/v1/projections/Neighbours",
            #"{"class":"Ship","properties":{"id":"id","others":"home.ships"}}"#, status: 201
        ).check(on: server)
        let neighbours = "/v1/projections/Neighbours/objects/"
        APIScenario(
            "GET", neighbours + "0", status: 200, contains: [#"{"id":0,"others":[0,1,2]}"#]
        ).check(on: server)
        APIScenario(
            "GET", neighbours + "4", status: 200, contains: [#"{"id":4,"$omitted":["others"]}"#]
        ).check(on: server)
    }

    @Test("a reply that leaves an inverse link out can be put back")
    func putBack() throws {
        let server = try server(elementCountMax: 3)
        let reply = server.send("GET", port + "4?fields=*,ships")
        #expect(reply.text.contains(#""$omitted":["ships"]"#))
        APIScenario("PUT", port + "4", reply.text, status: 200).check(on: server)
        APIScenario(
            "PUT", port + "9", #"{"$omitted":["ships","calls"]}"#, status: 201
        ).check(on: server)
    }

    @Test("a list in its row is held to the bytes of a collection as well")
    func bytes() throws {
        let server = try server(byteCountMax: 200)
        for (count, isShown) in [(20, true), (30, false)] {
            let masts = "[" + (0..<count).map(String.init).joined(separator: ",") + "]"
            server.send("PUT", "/v1/classes/Ship/objects/0", "{\"masts\":\(masts)}")
            APIScenario(
                "GET", "/v1/classes/Ship/objects/0?fields=masts", status: 200,
                contains: [isShown ? "{\"masts\":\(masts)}" : #"{"$omitted":["masts"]}"#]
            ).check(on: server)
        }
    }
}
