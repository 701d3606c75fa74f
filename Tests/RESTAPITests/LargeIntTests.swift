import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Test("ints beyond 2^53 are strings for those who prefer it")
func largeInts() throws {
    let server = try TestServer(schema: Schemas.everything)
    server.send(
        "PUT", "/v1/classes/Thing/objects/3",
        "{\"count\":9007199254740993,\"counts\":[9007199254740992,-9007199254740993]}")
    APIScenario(
        "GET", "/v1/classes/Thing/objects/3", headers: [("Prefer", "int64=string")],
        status: 200,
        contains: [
            "\"count\":\"9007199254740993\"", "[9007199254740992,\"-9007199254740993\"]",
        ],
        fields: ["preference-applied": "int64=string"]
    ).check(on: server)
    APIScenario(
        "GET", "/v1/classes/Thing/objects/3", status: 200,
        contains: ["\"count\":9007199254740993"]
    ).check(on: server)
}

@Test("replies about the schema have large ints as strings for those who prefer it")
func largeIntsOfTheSchema() throws {
    let server = try TestServer(schema: Schemas.everything)
    let path = "/v1/schema/classes/Wide"
    let body = #"""
        {"properties":{"count":{"type":"int","default":9007199254740993},
          "size":{"type":"int","enum":[1,-9007199254740993],"default":1},
          "any":{"type":"mixed","default":[9007199254740993]}}}
        """#
    let strings = [
        #""default":"9007199254740993""#, #"[1,"-9007199254740993"]"#,
        #"[{"$int":"9007199254740993"}]"#,
    ]
    let prefer = [("Prefer", "int64=string")]
    for (method, target, body, status) in [
        ("PUT", path, body, 201), ("GET", path, nil, 200), ("PATCH", path, "{}", 200),
        ("GET", "/v1/schema", nil, 200),
    ] as [(String, String, String?, Int)] {
        APIScenario(
            method, target, body, headers: prefer, status: status, contains: strings,
            fields: ["preference-applied": "int64=string"]
                // The whole schema is long enough for gzip, which is in another `Vary` of the reply.
                .merging(target == path ? ["vary": "Prefer"] : [:]) { first, _ in first }
        ).check(on: server)
    }
    let schema = server.send("GET", "/v1/schema", headers: prefer).text
    // The reply is also a body, and has the same meaning.
    APIScenario(
        "PUT", "/v1/schema", schema, headers: prefer, status: 200,
        contains: strings + [#""revision":2"#]
    ).check(on: server)
    APIScenario(
        "GET", path, status: 200, contains: [#""default":9007199254740993"#]
    ).check(on: server)
}

@Test("the present object of a 412 has large ints as strings for those who prefer it")
func largeIntsOfPresentObjects() throws {
    let server = try TestServer(schema: Schemas.everything)
    let path = "/v1/classes/Thing/objects/3"
    server.send("PUT", path, #"{"count":9007199254740993}"#)
    let projection = #"{"class":"Thing","properties":{"id":"id","number":"count"}}"#
    APIScenario("PUT", "/v1/projections/Short", projection, status: 201).check(on: server)
    let shown = "/v1/projections/Short/objects/3"
    for (method, target, body) in [
        ("GET", path, nil), ("PUT", path, "{}"), ("PATCH", path, "{}"), ("DELETE", path, nil),
        ("PUT", path + "/properties/counts/elements/0", "1"), ("GET", shown, nil),
        ("PATCH", shown, "{}"), ("DELETE", shown, nil),
    ] as [(String, String, String?)] {
        for (preference, text) in [
            ("int64=string", #":"9007199254740993""#), ("int64=number", ":9007199254740993"),
        ] {
            let reply = server.send(
                method, target, body, headers: [("If-Match", "\"x\""), ("Prefer", preference)])
            #expect(
                reply.status == 412 && reply.text.contains(text),
                "\(method) \(target) \(preference): \(reply.text)")
            #expect(
                reply.headers["preference-applied"]
                    == (preference == "int64=string" ? preference : nil))
        }
    }
}
