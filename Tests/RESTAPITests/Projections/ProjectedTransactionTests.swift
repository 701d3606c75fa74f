import HoldfastObjectModel
import HoldfastTestSupport
import Testing

@Suite("Projections in transactions")
struct ProjectedTransactionTests {
    let server: TestServer

    init() throws {
        server = try Projections.server()
        Projections.people(server)
    }

    private func transact(
        _ operations: String, status: Int = 200, contains: [String] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        APIScenario(
            "POST", "/v1/transactions", #"{"operations":[\#(operations)]}"#, status: status,
            contains: contains
        ).check(on: server, location)
    }

    @Test("a patch is stated in projected names, and the reply shows the object at the end so")
    func patches() {
        transact(
            #"{"op":"patch","projection":"PersonCard","id":1,"value":{"first":"Anna","bossName":"Cyd"}},"#
                + #"{"op":"patch","projection":"PersonFile","id":1,"value":"#
                + #"[{"op":"test","path":"/boss/first","value":"Cyd"},"#
                + #"{"op":"replace","path":"/home/town","value":"Bari"}]},"#
                + #"{"op":"patch","class":"Person","id":3,"value":{"lastName":"Zed"}}"#,
            contains: [
                #"{"class":"Person","id":1,"etag":"#,
                #""object":{"id":1,"first":"Anna","homeCity":"Bari","friendNames":["Bob","Cyd","Bob"],"#,
                #""object":{"name":"Ash","home":{"town":"Bari","owner":"Cyd"}"#,
                #""lastName":"Zed""#,
            ])
        APIScenario(
            "POST", "/v1/transactions",
            #"{"operations":[{"op":"patch","projection":"PersonCard","id":1,"value":{"first":"A"}}]}"#,
            headers: [("Prefer", "return=minimal"), ("Content-Type", "application/json")],
            status: 200, excludes: [#""object""#]
        ).check(on: server)
    }

    @Test("an object of the transaction is patched by its name, and links name others")
    func references() {
        transact(
            #"{"op":"create","class":"Pet","ref":"rex","value":{"name":"Rex","vet":2}},"#
                + #"{"op":"patch","projection":"PetTag","id":{"$ref":"rex"},"value":{"label":"Max","vetName":"Rob"}},"#
                + #"{"op":"put","class":"Person","id":8,"ref":"new","value":{"firstName":"New"}},"#
                + #"{"op":"patch","projection":"PersonFile","id":1,"value":{"boss":{"$ref":"new"}}},"#
                + #"{"op":"patch","projection":"Pals","id":1,"ref":"ann","value":[{"op":"add","path":"/pals/-","value":{"$ref":"new"}}]},"#
                + #"{"op":"patch","class":"Person","id":2,"value":{"boss":{"$ref":"ann"}}}"#,
            contains: [
                #""label":"Max","vetName":"Rob""#, #""boss":{"id":8,"first":"New""#,
                #""pals":[2,3,2,8]"#,
            ])
        APIScenario(
            "GET", "/v1/classes/Person/objects/2", status: 200,
            contains: [#""firstName":"Rob""#, #""boss":1"#]
        ).check(on: server)
    }

    /// Operations, the status of their refusal and what it says.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var operation: String
        var status = 422
        var contains: [String]
        var testDescription: String { operation }
    }

    @Test(
        "a fault has its operation and its place in projected names, and nothing is done",
        arguments: [
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":1,"value":{"firstName":"X","bossCity":7}}"#,
                contains: [
                    #""pointer":"/operations/1/value/firstName""#,
                    #""pointer":"/operations/1/value/bossCity""#,
                ]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":3,"value":{"bossName":"X"}}"#,
                contains: ["null-on-path", #""pointer":"/operations/1/value/bossName""#]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonFile","id":1,"value":{"boss":99}}"#,
                contains: ["dangling-link", #""pointer":"/operations/1/value/boss""#]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonFile","id":1,"value":[{"op":"replace","path":"/home/town","value":"X"},{"op":"add","path":"/boss","value":99}]}"#,
                contains: ["dangling-link", #""pointer":"/operations/1/value/1/value""#]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":1,"value":[{"op":"test","path":"/bossName","value":"X"}]}"#,
                status: 409,
                contains: ["test-failed", #""pointer":"/operations/1/value/0/value""#]),
            Refusal(
                operation: #"{"op":"patch","projection":"PersonCrd","id":1,"value":{}}"#,
                status: 404,
                contains: [#""pointer":"/operations/1/projection""#, #""hint":"PersonCard""#]),
            Refusal(
                operation: #"{"op":"patch","projection":"AddressLine","id":1,"value":{}}"#,
                status: 405, contains: ["embedded-class"]),
            Refusal(
                operation: #"{"op":"merge","projection":"PersonCard","value":{}}"#,
                contains: ["missing-key", #""pointer":"/operations/1/value/_id""#]),
            Refusal(
                operation: #"{"op":"delete","projection":"PersonCard","id":1,"value":{}}"#,
                status: 400, contains: ["invalid-body"]),
            Refusal(
                operation:
                    #"{"op":"patch","class":"Person","projection":"PersonCard","id":1,"value":{}}"#,
                status: 400, contains: ["not both", #""pointer":"/operations/1/class""#]),
            Refusal(
                operation: #"{"op":"patch","id":1,"value":{}}"#, status: 400,
                contains: ["'projection'"]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":1,"ifMatch":"00000000-1","value":{}}"#,
                status: 412, contains: [#""current""#]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":99,"value":{"first":"X"}}"#,
                status: 404, contains: ["object-not-found"]),
            Refusal(
                operation:
                    #"{"op":"patch","projection":"PersonCard","id":1,"value":{"$id":2,"first":"X"}}"#,
                contains: ["key-mismatch", #""pointer":"/operations/1/value/$id""#]),
        ])
    func refusals(refusal: Refusal) {
        let version = server.store.version
        transact(
            #"{"op":"patch","projection":"PersonCard","id":2,"value":{"first":"Changed"}},"#
                + refusal.operation, status: refusal.status, contains: refusal.contains)
        #expect(server.store.version == version)
    }

    @Test("a value that is not unique is told where the patch states it")
    func unique() throws {
        var schema = Projections.schema
        schema.classes[0].properties[1].isUnique = true
        let server = try TestServer(schema: schema)
        Projections.define(server)
        Projections.people(server)
        for (value, pointer) in [
            (#"{"bossName":"Bob"}"#, "/operations/0/value/bossName"),
            (
                #"[{"op":"replace","path":"/bossName","value":"Bob"}]"#,
                "/operations/0/value/0/value"
            ),
        ] {
            APIScenario(
                "POST", "/v1/transactions",
                #"{"operations":[{"op":"patch","projection":"PersonCard","id":1,"value":\#(value)}]}"#,
                status: 409, contains: ["not-unique", "\"pointer\":\"\(pointer)\""]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", "/v1/projections/PersonCard/objects/1", #"{"bossName":"Bob"}"#, status: 409,
            contains: ["not-unique", #""pointer":"/bossName""#]
        ).check(on: server)
    }
}
