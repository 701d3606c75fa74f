import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("Objects nested in patches of large collections")
struct LargeNestingTests {
    let server: TestServer
    let node = "/v1/classes/Node/objects/1"
    let type = [("Content-Type", "application/json-patch+json")]

    static let schema = Schema(classes: [
        ObjectClass(
            name: "Node", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int))),
                Property(name: "note", type: .single(.scalar(.string)), isOptional: true),
                Property(name: "peers", type: .list(.object("Node"))),
                Property(name: "others", type: .set(.object("Node"))),
                Property(name: "parts", type: .list(.object("Part"))),
            ]),
        ObjectClass(
            name: "Part", kind: .embedded,
            properties: [
                Property(name: "name", type: .single(.scalar(.string))),
                Property(name: "node", type: .single(.object("Node")), isOptional: true),
            ]),
    ])

    init() throws {
        server = try TestServer(
            try EngineCase.memory.open(valueByteCountMax: 64 << 20), schema: Self.schema)
        let nodes = (2..<9002).map { "{\"id\":\($0)}" }.joined(separator: ",")
        #expect(server.send("POST", "/v1/classes/Node/objects", "[\(nodes)]").status == 201)
        let peers = (0..<9000).map { "\(2 + $0)" }.joined(separator: ",")
        let parts = (0..<3000).map { "{\"name\":\"part \($0)\"}" }.joined(separator: ",")
        let made = server.send(
            "PUT", node, "{\"peers\":[\(peers)],\"others\":[2,3],\"parts\":[\(parts)]}")
        #expect(made.status == 201 && made.text.contains("\"parts\":["))
    }

    private func check(_ location: SourceLocation = #_sourceLocation) throws {
        #expect(try StoreCheck.run(server.store).findings.isEmpty, sourceLocation: location)
    }

    private func patch(_ operations: String, _ location: SourceLocation = #_sourceLocation)
        -> String
    {
        let reply = server.send("PATCH", node, "[\(operations)]", headers: type)
        #expect(reply.status == 200, "\(reply.text.prefix(300))", sourceLocation: location)
        return reply.text
    }

    private func count(_ property: String) -> String {
        let text = server.send("GET", node + "/properties/\(property)?limit=1&count=exact").text
        return text.split(separator: "\"count\":").last.map { String($0.dropLast()) } ?? ""
    }

    @Test("one that changes the patched object beside the collection keeps all changes")
    func beside() throws {
        let reply = patch(
            #"{"op":"remove","path":"/peers/0"},{"op":"add","path":"/peers/0","value":{"id":20000,"peers":[{"id":1,"note":"x"}]}},"#
                + #"{"op":"remove","path":"/peers/1"}"#)
        #expect(reply.contains(#""note":"x""#))
        #expect(count("peers") == "8999")
        try check()
    }

    @Test("one that states the patched collection anew is followed by the steps behind it")
    func restated() throws {
        let reply = patch(
            #"{"op":"remove","path":"/peers/0"},{"op":"add","path":"/peers/-","value":{"id":20000,"peers":[{"id":1,"peers":[7,8]}]}},"#
                + #"{"op":"add","path":"/peers/0","value":6},{"op":"add","path":"/others/-","value":9},{"op":"replace","path":"/peers/1","value":5}"#
        )
        #expect(
            reply.contains(#""peers":[6,5,8,20000]"#) && reply.contains(#""others":[2,3,9]"#),
            "\(reply.prefix(200))")
        try check()
    }

    @Test("one that empties one of two patched collections leaves the other's changes")
    func two() throws {
        let many = (0..<9000).map { "\(2 + $0)" }.joined(separator: ",")
        server.send("PATCH", node, "{\"peers\":[\(many)],\"others\":[\(many)]}")
        let reply = patch(
            #"{"op":"remove","path":"/peers/0"},{"op":"add","path":"/others/-","value":{"id":20000,"others":[{"id":1,"others":[]}]}},"#
                + #"{"op":"add","path":"/peers/-","value":20000},{"op":"add","path":"/others/-","value":4}"#
        )
        #expect(reply.contains(#""others":[4,20000]"#), "\(reply.suffix(200))")
        #expect(count("peers") == "9000")
        try check()
    }

    @Test("one within an embedded element may change the list that the element stands in")
    func embedded() throws {
        let many = (0..<3000).map { "{\"name\":\"a part with a name \($0)\"}" }.joined(
            separator: ",")
        server.send("PATCH", node, "{\"parts\":[\(many)]}")
        let reply = patch(
            #"{"op":"add","path":"/parts/0/node","value":{"id":20000,"peers":[{"id":1,"parts":[{"name":"only"}]}]}},"#
                + #"{"op":"add","path":"/parts/-","value":{"name":"last"}}"#)
        #expect(
            reply.contains(
                #""parts":[{"name":"only","node":20000},{"name":"last","node":null}]"#
            ),
            "\(reply.suffix(300))")
        try check()
    }
}
