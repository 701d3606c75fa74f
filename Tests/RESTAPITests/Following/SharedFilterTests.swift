import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Streams with filters that look alike")
struct SharedFilterTests {
    /// Two filters, and the body of an object that the one finds and the other does not.
    struct Row: Sendable, CustomTestStringConvertible {
        let filters: [String]
        let bodies: [String]
        var testDescription: String { "\(filters)" }
    }

    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string),
                Property(name: "tags", type: .list(.scalar(.string))),
                Property(name: "ints", type: .list(.scalar(.int))),
            ])
    ])

    @Test(
        "each hears what its own filter finds",
        arguments: [
            Row(
                filters: ["tags == {'a', 'b'}", "tags == {'b', 'a'}"],
                bodies: [#"{"tags":["a","b"]}"#, #"{"tags":["b","a"]}"#]),
            Row(
                filters: ["ints == {1, 1}", "ints == {1}"],
                bodies: [#"{"ints":[1,1]}"#, #"{"ints":[1]}"#]),
            Row(
                filters: ["name == '\u{E9}'", "name == 'e\u{301}'"],
                bodies: [#"{"name":"\u00e9"}"#, #"{"name":"e\u0301"}"#]),
        ])
    func own(row: Row) throws {
        let server = ChangesServer(try TestServer(schema: Self.schema))
        let streams = row.filters.map {
            server.events("/v1/classes/Item/changes", [("filter", $0)])
        }
        for stream in streams { #expect(stream.nextEvent().name == "hello") }
        for id in 0..<4 {
            let body = row.bodies[id % 2]
            let reply = server.send("PUT", "/v1/classes/Item/objects/\(id)", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        for (first, stream) in streams.enumerated() {
            for id in [first, first + 2] {
                #expect(stream.nextEvent().changes == ["enter \(id)"])
            }
        }
    }
}
