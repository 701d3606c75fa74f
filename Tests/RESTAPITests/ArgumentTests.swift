import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Arguments of queries")
struct ArgumentTests {
    private static func server(_ change: (inout RESTOptions) -> Void = { _ in }) throws
        -> TestServer
    {
        var options = RESTOptions()
        change(&options)
        let schema = Schema(classes: [
            ObjectClass(
                name: "N", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int),
                    Property(name: "n", type: .single(.scalar(.int)), isOptional: true),
                    Property(name: "d", type: .single(.scalar(.decimal128)), isOptional: true),
                    Property(name: "x", type: .single(.scalar(.double)), isOptional: true),
                    Property(name: "next", type: .single(.object("N")), isOptional: true),
                ])
        ])
        let server = try TestServer(schema: schema, options: options)
        let reply = server.send(
            "POST", "/v1/classes/N/objects",
            """
            [{"id":1,"n":9223372036854775807,"d":"12345678901234567890","x":1.2345678901234567e19},
             {"id":2,"n":4611686018427387904,"d":"12345678901234567000","next":1},{"id":3,"n":-5}]
            """)
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }

    @Test(
        "whole numbers beyond 64 bits keep all of their digits",
        arguments: [
            ("d == $0", "12345678901234567890", "1"), ("d < $0", "12345678901234567890", "2"),
            ("d == 12345678901234567890", "0", "1"), ("x == $0", "12345678901234567890", "1"),
            ("x == 12345678901234567890", "0", "1"), ("n < $0", "12345678901234567890", "1,2,3"),
            ("d IN $0", "[5,12345678901234567000]", "2"),
            ("d + 1 == $0", "12345678901234567891", "1"),
        ])
    func largeIntegers(filter: String, argument: String, ids: String) throws {
        let server = try Self.server()
        let reply = server.send(
            "POST", "/v1/classes/N/query",
            "{\"filter\":\"\(filter)\",\"args\":[\(argument)],\"fields\":\"id\"}")
        let found = ids.split(separator: ",").map { "{\"id\":\($0)}" }.joined(separator: ",")
        #expect(reply.text.contains("[\(found)]"), "\(reply.text)")
    }

    @Test("one of more than 34 digits, and one that an int is compared with, is refused")
    func tooLarge() throws {
        let server = try Self.server()
        let digits = String(repeating: "7", count: 35)
        for (filter, argument, code) in [
            ("d == $0", digits, "34 digits"), ("d == \(digits)", "1", "34 digits"),
            ("n == 12345678901234567890", "1", "64-bit integer"),
        ] {
            let reply = server.send(
                "POST", "/v1/classes/N/query",
                "{\"filter\":\"\(filter)\",\"args\":[\(argument)]}")
            #expect(reply.status == 400 && reply.text.contains(code), "\(reply.text)")
        }
    }

    @Test("a text of 16 MiB is taken, and a refusal names the limit that an argument exceeds")
    func limits() throws {
        let server = try Self.server()
        let most = String(repeating: "a", count: 16_777_216)
        let query = "/v1/classes/N/query"
        APIScenario(
            "POST", query, "{\"filter\":\"$0 == 'x'\",\"args\":[\"\(most)\"]}", status: 400,
            contains: ["invalid-query"], excludes: ["16777216"]
        ).check(on: server)
        for (argument, limit) in [
            ("\"\(most)b\"", "at most 16777216 bytes"),
            ("[1,\"\(most)b\"]", "at most 16777216 bytes"),
            ("{\"a\":\"\(most)b\"}", "at most 16777216 bytes"),
            (String(repeating: "7", count: 35), "34 digits"),
            (String(repeating: "[", count: 9) + String(repeating: "]", count: 9), "8 levels deep"),
            ("{\"$date\":\"x\"}", "with its type"),
        ] {
            APIScenario(
                "POST", query, "{\"filter\":\"n == $0\",\"args\":[\(argument)]}", status: 400,
                contains: ["invalid-argument", limit, "/args/0"]
            ).check(on: server)
        }
        APIScenario(
            "GET",
            "/v1/classes/N/objects?filter=n%20==%20$0&arg=" + String(repeating: "7", count: 35),
            status: 400, contains: ["34 digits"]
        ).check(on: server)
    }

    @Test(
        "int arithmetic beyond 64 bits is null",
        arguments: [
            ("n + 1 < 0", "3"), ("n * 4 == 0", ""), ("n + 1 == null", "1"), ("n * 4 != 0", "1,2,3"),
            ("-9223372036854775807 - n == null", "1,2"), ("n - n == 0", "1,2,3"),
        ])
    func arithmetic(filter: String, ids: String) throws {
        let server = try Self.server()
        let reply = server.send(
            "POST", "/v1/classes/N/query", "{\"filter\":\"\(filter)\",\"fields\":\"id\"}")
        let found = ids.split(separator: ",").map { "{\"id\":\($0)}" }.joined(separator: ",")
        #expect(reply.text.contains("[\(found)]"), "\(reply.text)")
    }

    @Test("a link compares with the key of its target")
    func links() throws {
        let server = try Self.server()
        for (filter, argument) in [
            ("next == 1", "0"), ("next == $0", "1"), ("next IN {1, 7}", "0"),
            ("next IN $0", "[1,7]"),
            ("next != 7 AND next != null", "0"),
        ] {
            let reply = server.send(
                "POST", "/v1/classes/N/query",
                "{\"filter\":\"\(filter)\",\"args\":[\(argument)],\"fields\":\"id\"}")
            #expect(reply.text.contains("[{\"id\":2}]"), "\(filter): \(reply.text)")
        }
        let reply = server.send("POST", "/v1/classes/N/query", "{\"filter\":\"next == 'a'\"}")
        #expect(reply.status == 400)
    }

    @Test(
        "what other languages write is refused with what is meant",
        arguments: [
            ("n == False", "\"hint\":\"false\""), ("n ~ 'a'", "MATCHES"),
            ("n == $now", "\"hint\":\"now()\""),
        ])
    func hints(filter: String, hint: String) throws {
        let server = try Self.server()
        let reply = server.send("POST", "/v1/classes/N/query", "{\"filter\":\"\(filter)\"}")
        #expect(reply.status == 400 && reply.text.contains(hint), "\(reply.text)")
    }

    @Test("as many values as memory holds are taken, and one more is refused")
    func memory() throws {
        func body(_ count: Int) -> String {
            let values = (0..<count).map(String.init).joined(separator: ",")
            return "{\"filter\":\"id IN $0\",\"args\":[[\(values)]]}"
        }
        // The list counts as well, and so does the list of arguments; a value takes 552 bytes beside its text.
        let server = try Self.server {
            $0.limits.queryMemoryByteCountMax = 552 * 100 + body(98).utf8.count
        }
        for (count, status) in [(98, 200), (99, 422)] {
            let reply = server.send("POST", "/v1/classes/N/query", body(count))
            #expect(reply.status == status, "\(count): \(reply.text.prefix(200))")
        }
    }

    @Test("a body whose values would take more memory than a query may is not read")
    func bodyMemory() throws {
        let server = try Self.server { $0.limits.queryMemoryByteCountMax = 100_000 }
        func ones(_ count: Int) -> String {
            Array(repeating: "1", count: count).joined(separator: ",")
        }
        for (target, start, end) in [
            ("/v1/classes/N/query", "{\"unknown\":[", "]}"),
            ("/v1/streams", "{\"queries\":{\"a\":{\"class\":\"N\",\"unknown\":[", "]}}}"),
        ] {
            let read = server.send("POST", target, start + ones(2000) + end)
            #expect(read.text.contains("no member 'unknown'"), "\(read.text)")
            let refused = server.send("POST", target, start + ones(4000) + end)
            #expect(refused.status == 422)
            #expect(refused.text.contains("query-memory-exceeded"), "\(refused.text)")
        }
    }

    @Test("of the faults of a body a hundred are told, and the others counted")
    func faults() throws {
        let server = try Self.server()
        let members = (0..<1000).map { "\"filte\($0)\":1" }.joined(separator: ",")
        let reply = server.send("POST", "/v1/classes/N/query", "{\(members)}")
        #expect(reply.status == 400)
        let told = "999 more faults, errors has the first 100"
        #expect(reply.text.contains(told), "\(reply.text.prefix(200))")
        #expect(reply.text.matches(of: /"pointer"/).count == 100)
    }

    @Test(
        "of the faults of other bodies no more are told either",
        arguments: [
            (
                "POST", "/v1/streams", "{\"queries\":{", "\"q*\":{\"class\":\"N\",\"a\":1,\"b\":2}",
                "}}", 60, 120
            ),
            (
                "PUT", "/v1/schema", "{\"classes\":[",
                "{\"name\":\"C*\",\"properties\":{\"p\":\"nothing\"}}", "]}", 150, 150
            ),
            (
                "PATCH", "/v1/classes/N/objects/1", "[", "{\"op\":\"put\",\"path\":\"/n\"}", "]",
                130, 130
            ),
            (
                "PATCH", "/v1/classes/N/objects/1", "[",
                "{\"op\":\"remove\",\"path\":\"/nothing\"}", "]", 130, 130
            ),
        ])
    func faultsOfOthers(
        method: String, target: String, start: String, part: String, end: String, parts: Int,
        faults: Int
    ) throws {
        let server = try Self.server()
        let all = (0..<parts).map { part.replacing("*", with: "\($0)") }.joined(separator: ",")
        let type = method == "PATCH" ? "application/json-patch+json" : "application/json"
        let reply = server.send(
            method, target, start + all + end, headers: [("Content-Type", type)])
        #expect((400...422).contains(reply.status))
        let told = "(\(faults - 1) more faults, errors has the first 100.)"
        #expect(reply.text.contains(told), "\(reply.text.prefix(400))")
        #expect(reply.text.matches(of: /"pointer"/).count == 100)
    }
}
