import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("keys of sections")
struct SectionKeyTests {
    private static let names = ["float", "double", "decimal", "any"]

    /// Equal values that are written differently: in object 1 otherwise than in 2 and 3.
    private static func server() throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        let properties = names.flatMap { name in
            let type = ["float": "float?", "double": "double?", "decimal": "decimal128?"][name]
            return [
                "\"\(name)\":\"\(type ?? "mixed")\"",
                "\"\(name)i\":{\"type\":\"\(type ?? "mixed")\",\"indexed\":true}",
            ]
        }
        let schema = server.send(
            "PUT", "/v1/schema",
            """
            {"classes":[{"name":"Item","primaryKey":"id","properties":{
              "id":"int","n":"int",\(properties.joined(separator: ","))}}]}
            """)
        #expect(schema.status == 200, "\(schema.text)")
        for (id, zero, decimal) in [(1, "-0.0", "1.0"), (2, "0.0", "1.00"), (3, "0.0", "1.00")] {
            var members = ["\"id\":\(id)", "\"n\":\(id % 2)"]
            for name in names {
                let value = name == "decimal" ? "\"\(decimal)\"" : zero
                members += ["\"\(name)\":\(value)", "\"\(name)i\":\(value)"]
            }
            let reply = server.send(
                "POST", "/v1/classes/Item/objects", "{\(members.joined(separator: ","))}")
            #expect(reply.status == 201, "\(reply.text)")
        }
        return server
    }

    @Test("a key is written as in its section's first object, by every plan", arguments: names)
    func written(name: String) throws {
        let server = try Self.server()
        let values = [1, 2].map { id in
            server.send("GET", "/v1/classes/Item/objects/\(id)?fields=" + name).text
                .dropFirst("{\"\(name)\":".count).dropLast()
        }
        #expect(values[0] != values[1], "\(values)")
        for (sort, first) in [
            ("", 1), ("#", 1), ("-#", 1), ("#,-id", 3), ("-#,n", 2), ("id", 1), ("-id", 3),
            ("n,id", 2),
        ] {
            for suffix in ["", "i"] {
                for filter in ["", "id > 0", "TRUEPREDICATE LIMIT(3)"] {
                    for (objects, limit, count) in [
                        (0, 1, "none"), (1, 1, "none"), (1, 1000, "none"), (0, 1000, "exact"),
                        (3, 5, "exact"), (2, 1, "none"),
                    ] {
                        var parameters = [
                            ("by", name + suffix), ("objects", "\(objects)"),
                            ("limit", "\(limit)"), ("count", count), ("fields", "id"),
                        ]
                        if !sort.isEmpty {
                            parameters.append(
                                ("sort", sort.replacing("#", with: name + suffix)))
                        }
                        if !filter.isEmpty { parameters.append(("filter", filter)) }
                        let reply = server.send(
                            "GET", target("/v1/classes/Item/sections", parameters))
                        let value = values[first == 1 ? 0 : 1]
                        #expect(
                            reply.text.hasPrefix(
                                #"{"sections":[{"key":\#(value),"count":3,"objects":["#
                                    + (objects > 0 ? #"{"id":\#(first)}"# : "]")),
                            "\(parameters): \(reply.text)")
                    }
                }
            }
        }
    }
}
