import HoldfastTestSupport
import Testing

@Suite("sets and optional elements of every type")
struct SetOrderTests {
    /// A type, values for a set of it, and how the set stands.
    static let sets: [(type: String, values: String, set: String)] = [
        ("bool", "true,null,false,true", "null,false,true"),
        (
            "int", #"3,-1,"9223372036854775807",null,3.0,-9223372036854775808"#,
            "null,-9223372036854775808,-1,3,9223372036854775807"
        ),
        ("int8", "5,-128,127,5,null", "null,-128,5,127"),
        ("int16", "32767,-32768,0", "-32768,0,32767"),
        ("int32", "2147483647,-2147483648,null", "null,-2147483648,2147483647"),
        ("int64", "1,-1,1", "-1,1"),
        (
            "double", #"1.5,"NaN","-Infinity",1,"NaN","Infinity",1.0,null"#,
            #"null,"NaN","-Infinity",1.0,1.5,"Infinity""#
        ),
        (
            "float", #"1.5,"NaN",0.1,null,1.5,"-Infinity""#,
            #"null,"NaN","-Infinity",0.1,1.5"#
        ),
        (
            "decimal128", #""2","NaN","-Infinity","1E+3",null,"10","NaN","-0.5""#,
            #"null,"NaN","-Infinity","-0.5","2","10","1E+3""#
        ),
        (
            "string", #""b","B","","é","z","\u0000",null,"b","𝄞","ab""#,
            #"null,"","\u0000","B","ab","b","z","é","𝄞""#
        ),
        ("data", #""AQ==","","AAA=","AQ==",null,"/w==""#, #"null,"","AAA=","AQ==","/w==""#),
        (
            "date",
            #""2026-01-01T01:00:00+01:00","2026-01-01T00:00:00Z",null,"1969-12-31T23:59:59.5Z","2026-01-01T00:00:00.000000001Z""#,
            #"null,"1969-12-31T23:59:59.5Z","2026-01-01T00:00:00Z","2026-01-01T00:00:00.000000001Z""#
        ),
        (
            "objectId",
            #""ffffffffffffffffffffffff","000000000000000000000001",null,"FFFFFFFFFFFFFFFFFFFFFFFF""#,
            #"null,"000000000000000000000001","ffffffffffffffffffffffff""#
        ),
        (
            "uuid",
            #""ffffffff-0000-0000-0000-000000000000","00000000-0000-0000-0000-000000000001",null,"FFFFFFFF-0000-0000-0000-000000000000""#,
            #"null,"00000000-0000-0000-0000-000000000001","ffffffff-0000-0000-0000-000000000000""#
        ),
    ]

    private func open(_ type: String) throws -> TestServer {
        let server = try TestServer(schema: .init(classes: []))
        let reply = server.send(
            "PUT", "/v1/schema/classes/Bag",
            #"{"primaryKey":"id","properties":{"id":"int","set":"\#(type)?<>","list":"\#(type)?[]","map":"\#(type)?{}"}}"#
        )
        #expect(reply.status < 300, "\(reply.text)")
        return server
    }

    @Test(
        "a set stands in the order of its values, each once, null first",
        arguments: SetOrderTests.sets)
    func order(type: String, values: String, set: String) throws {
        let server = try open(type)
        let path = "/v1/classes/Bag/objects/1"
        APIScenario(
            "PUT", path, #"{"set":[\#(values)]}"#, status: 201, contains: [#""set":[\#(set)]"#]
        ).check(on: server)
        // Backwards it is the same set, which is no change; and what was answered can be put back.
        let etag = server.send("GET", path).headers["etag"]
        let backwards = "[" + values.split(separator: ",").reversed().joined(separator: ",") + "]"
        let again = server.send("PUT", path, #"{"set":\#(backwards)}"#)
        #expect(again.status == 200 && again.headers["etag"] == etag, "\(again.text)")
        let back = server.send("PUT", path, server.send("GET", path).text)
        #expect(back.status == 200 && back.headers["etag"] == etag, "\(back.text)")
        // One by one they make the same set.
        server.send("PUT", path, "{}")
        for value in values.split(separator: ",") {
            let reply = server.send("POST", path + "/properties/set/elements", String(value))
            #expect(reply.status == 200 || reply.status == 201, "\(value): \(reply.text)")
        }
        #expect(server.send("GET", path).text.contains(#""set":[\#(set)]"#), "\(type)")
    }

    @Test(
        "null stands among the elements of lists and maps of every type",
        arguments: SetOrderTests.sets)
    func nulls(type: String, values: String, set: String) throws {
        let server = try open(type)
        let path = "/v1/classes/Bag/objects/1"
        let shown = set.split(separator: ",").filter { $0 != "null" }
        let value = shown[shown.count - 1]
        APIScenario(
            "PUT", path,
            #"{"list":[\#(value),null,\#(value)],"map":{"b":null,"a":\#(value)}}"#, status: 201,
            contains: [
                #""list":[\#(value),null,\#(value)]"#, #""map":{"a":\#(value),"b":null}"#,
            ]
        ).check(on: server)
        for (filter, count) in [
            ("ANY%20list%20%3D%3D%20null", 1), ("ALL%20list%20%3D%3D%20null", 0),
            ("list.@count%20%3D%3D%203", 1), ("map.b%20%3D%3D%20null", 1),
            ("map.a%20%3D%3D%20null", 0),
        ] {
            APIScenario(
                "GET", "/v1/classes/Bag/objects?count=exact&limit=1&filter=\(filter)", status: 200,
                contains: ["\"count\":\(count)"]
            ).check(on: server)
        }
        for property in ["Bag2", "Bag3"] {
            let shape = property == "Bag2" ? "[]" : "<>"
            server.send(
                "PUT", "/v1/schema/classes/\(property)",
                #"{"primaryKey":"id","properties":{"id":"int","p":"\#(type)\#(shape)"}}"#)
            APIScenario(
                "PUT", "/v1/classes/\(property)/objects/1", #"{"p":[\#(value),null]}"#, status: 422,
                contains: ["null-not-allowed", "/p/1"]
            ).check(on: server)
        }
    }

    @Test(
        "what is equal is one element, however it is written",
        arguments: [
            ("double", "0,-0.0"), ("float", "0,-0.0"), ("decimal128", #""1.0","1","1.00",1"#),
            ("decimal128", #""0","-0","0.00""#), ("decimal128", #""1E+2","100""#),
            ("int", #"1,1.0,"1""#), ("date", #""2026-01-01T00:00:00Z","2026-01-01T00:00:00.000Z""#),
            ("data", #""_w==","/w==""#),
        ] as [(String, String)])
    func equalValues(type: String, values: String) throws {
        let server = try open(type)
        let path = "/v1/classes/Bag/objects/1"
        server.send("PUT", path, #"{"set":[\#(values)]}"#)
        APIScenario(
            "GET", path + "/properties/set?count=exact", status: 200, contains: [#""count":1"#]
        ).check(on: server)
        for value in values.split(separator: ",") {
            let reply = server.send("POST", path + "/properties/set/elements", String(value))
            #expect(reply.status == 200, "\(value) is there: \(reply.text)")
        }
        let first = values.split(separator: ",")[0].replacing("/", with: "%2F").replacing(
            "\"", with: "%22"
        )
        .replacing("+", with: "%2B")
        APIScenario(
            "DELETE", path + "/properties/set/elements?value=\(first)", status: 200,
            contains: [#""set":[]"#]
        ).check(on: server)
    }
}
