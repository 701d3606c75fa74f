import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("groups by their results")
struct GroupSelectionTests {
    private static let path = "/v1/classes/Town/aggregate"

    /// The names of the groups of a page, `-` for null, and the cursor of the next.
    private static func page(
        _ server: TestServer, _ parameters: [(String, String)]
    ) -> (names: String, next: String?) {
        let reply = server.send("GET", target(path, [("by", "name")] + parameters))
        #expect(reply.status == 200, "\(parameters): \(reply.text)")
        let groups = reply.json["groups"]?.elements ?? []
        return (groups.map { $0["by"]?["name"]?.string ?? "-" }.joined(), reply.next)
    }

    private static let orders: [(op: String, order: String, names: String)] = [
        ("count", "count", "-BA"), ("count", "-count", "A-B"),
        ("sum(age)", "sum(age)", "AB-"), ("sum(age)", "-sum(age)", "-BA"),
        ("max(ratio)", "max(ratio)", "-BA"), ("max(ratio)", "-max(ratio)", "A-B"),
        ("avg(ratio),count", "avg(ratio),-count", "-BA"),
        ("max(any)", "max(any)", "-AB"), ("min(at)", "-min(at)", "A-B"),
        ("count(distinct ratio)", "-count(distinct ratio)", "A-B"),
        ("median(price)", "median(price)", "-BA"),
        ("percentile(age, 50)", "-percentile(age, 50)", "-AB"),
    ]

    @Test(
        "stand in the order that is asked for, null first, those alike in their own, page by page")
    func orders() throws {
        let server = try Towns.server()
        for (op, order, names) in Self.orders {
            let parameters = [("op", op), ("order", order)]
            #expect(Self.page(server, parameters).names == names, "\(order)")
            var found = ""
            var cursor: String?
            repeat {
                let page = Self.page(
                    server,
                    parameters + [("limit", "1")] + (cursor.map { [("cursor", $0)] } ?? []))
                found += page.names
                cursor = page.next
            } while cursor != nil && found.utf8.count < 9
            #expect(found == names, "\(order)")
        }
    }

    private static let conditions: [(op: String, having: String, names: String)] = [
        ("count", "count > 1", "A"), ("count", "2 > count", "-B"),
        ("count,avg(age)", "count >= 1 and avg(age) < 0", "A"),
        ("avg(age)", "avg(age) == null", "B"), ("avg(age)", "avg(age) != null", "-A"),
        ("avg(age)", "not avg(age) > 0", "AB"), ("avg(age)", "avg(age) > 0 || count > 1", "-A"),
        ("avg(age)", "(avg(age) > 0 or count > 1) and count IN {2, 3}", "A"),
        ("sum(age)", "sum(age) BETWEEN {-2, 0}", "AB"),
        ("sum(age),max(age)", "sum(age) / count < max(age)", "A"),
        ("sum(price)", "sum(price) == 0.30", "A"), ("sum(price)", "sum(price) == '0.30'", "A"),
        ("min(at)", "min(at) < 2025-06-01T00:00:00Z", "A"),
        ("max(any)", "max(any) BEGINSWITH[c] 'TE'", "B"), ("max(any)", "max(any) > 2", "A"),
        ("count(distinct ratio)", "count(distinct ratio) == 2", "A"),
        ("max(near.@count)", "max(near.@count) > 0", "AB"),
        ("percentile(age, 50)", "percentile(age, 50) < 0", "A"),
    ]

    @Test("are chosen by a condition, in pages too")
    func conditions() throws {
        let server = try Towns.server()
        for (op, having, names) in Self.conditions {
            let parameters = [("op", op), ("having", having)]
            let whole = Self.page(server, parameters)
            #expect(whole.names == names, "\(having)")
            let first = Self.page(server, parameters + [("limit", "1")])
            #expect(first.names == String(names.prefix(1)), "\(having)")
            guard let next = first.next else { continue }
            let rest = Self.page(server, parameters + [("limit", "9"), ("cursor", next)])
            #expect(rest.names == String(names.dropFirst()), "\(having)")
        }
        let both = [("op", "count,sum(age)"), ("having", "sum(age) < 5"), ("order", "-sum(age)")]
        #expect(Self.page(server, both).names == "BA")
    }

    @Test(
        "medians, percentiles and counts of different values are those of the values that are some")
    func results() throws {
        let server = try Towns.server()
        let cases: [(op: String, result: String)] = [
            ("median(age)", "5.0"), ("percentile(age,0)", "-7.0"), ("percentile(age,100)", "10.0"),
            ("percentile(age, 75)", "7.5"), ("median(ratio)", "1.25"), ("median(small)", "1.75"),
            ("percentile(ratio,12.5)", "0.6875"), ("median(price)", #""0.150""#),
            ("median(any)", #""2.75""#), ("median(next.age)", "5.0"),
            ("median(near.@count)", "0.5"),
            ("count(distinct age)", "3"), ("count(distinct ratio)", "2"),
            ("count(distinct name)", "2"), ("count(distinct any)", "3"),
            ("count(distinct next)", "2"), ("count(distinct next.name)", "1"),
        ]
        for (op, result) in cases {
            let reply = server.send("GET", target(Self.path, [("op", op)]))
            #expect(reply.text == "{\"\(op)\":\(result)}")
        }
        let none = server.send(
            "GET",
            target(
                Self.path, [("op", "median(age),count(distinct age)"), ("filter", "id > 9")]))
        #expect(none.text == #"{"median(age)":null,"count(distinct age)":0}"#)
    }

    private static func fault(
        _ name: String, _ value: String, _ contains: [String], op: String = "count,sum(age)"
    ) -> APIScenario {
        APIScenario(
            "GET",
            target(path, [("by", "name"), (name, value)] + (name == "op" ? [] : [("op", op)])),
            status: 400, contains: contains)
    }

    @Test(
        "faults are precise",
        arguments: [
            fault("order", "-sun(age)", [#""parameter":"order""#, #""hint":"sum(age)""#]),
            fault("order", "count,max(age)", [#""column":7"#]),
            fault("having", "count > 1 and max(age) > 2", [#""column":15"#, "'max(age)'", "'op'"]),
            fault(
                "order", [String](repeating: "count", count: 17).joined(separator: ","),
                ["at most 16"]),
            fault("having", String(repeating: "a(", count: 2000), [#""column""#]),
            fault("having", "age > 1", [#""column":1"#, "'age'"]),
            fault("having", "sum(age)", [#""column":9"#, "'sum(age)'"]),
            fault("having", "sum(age) > 'x'", [#""column":10"#, "string"]),
            fault("having", "count > 1 SORT(count ASC)", ["'order'"]),
            fault("having", "max(any) MATCHES 'x'", ["MATCHES"], op: "max(any)"),
            fault("having", "count > $0", ["argument"]),
            fault("op", "percentile(age)", [#""column":12"#, "percentile(age,95)"]),
            fault("op", "percentile(age,101)", [#""column":16"#, "0 to 100"]),
            fault("op", "median(name)", [#""column":8"#, "string"]),
            fault("op", "count(age)", [#""column":7"#, "distinct"]),
            fault("op", "count(distinct agee)", [#""column":16"#, #""hint":"age""#]),
            APIScenario("GET", path + "?order=count", status: 400, contains: ["'by'"]),
            APIScenario("GET", path + "?having=count%3E1", status: 400, contains: ["'by'"]),
        ])
    func faults(scenario: APIScenario) throws {
        scenario.check(on: try Towns.server())
    }

    @Test("a cursor belongs to its order and its condition")
    func cursors() throws {
        let server = try Towns.server()
        let next = try #require(Self.page(server, [("order", "-count"), ("limit", "1")]).next)
        for parameters in [
            [("order", "count")], [], [("order", "-count"), ("having", "count > 0")],
        ] {
            let reply = server.send(
                "GET", target(Self.path, [("by", "name"), ("cursor", next)] + parameters))
            #expect(reply.status == 400 && reply.text.contains("invalid-cursor"), "\(reply.text)")
        }
    }

    @Test("a sum beyond 64 bits can't be compared")
    func overflow() throws {
        let server = try Towns.server()
        for id in [8, 9] {
            server.send(
                "PUT", "/v1/classes/Town/objects/\(id)", #"{"plain":9223372036854775807}"#)
        }
        for parameter in [("order", "sum(plain)"), ("having", "sum(plain) > 1")] {
            APIScenario(
                "GET", target(Self.path, [("by", "name"), ("op", "sum(plain)"), parameter]),
                status: 422, contains: ["sum-out-of-range", "sum(plain)"]
            ).check(on: server)
        }
    }

    @Test(
        "memory is bounded where all groups or all values are held, and the fault says what to do")
    func memory() throws {
        var options = RESTOptions()
        options.limits.queryMemoryByteCountMax = 64 << 10
        let server = try Towns.server(options)
        for part in 0..<10 {
            let others = (0..<1000).map { "{\"id\":\(1000 * (part + 1) + $0),\"plain\":\($0)}" }
            let body = "[\(others.joined(separator: ","))]"
            #expect(server.send("POST", "/v1/classes/Town/objects", body).status == 201)
        }
        for parameters in [
            [("by", "id"), ("order", "-count"), ("limit", "2")],
            [("by", "id"), ("having", "count > 1")], [("op", "median(plain)")],
            [("op", "count(distinct id)")],
        ] {
            APIScenario(
                "GET", target(Self.path, parameters), status: 422,
                contains: ["query-memory-exceeded", "Narrow the filter"]
            ).check(on: server)
        }
        let few = [("op", "count(distinct plain)"), ("filter", "id >= 1000 AND id < 2000")]
        #expect(
            server.send("GET", target(Self.path, few)).text == #"{"count(distinct plain)":1000}"#)
    }

    @Test("are followed in their order")
    func followed() throws {
        let server = ChangesServer(try Towns.server())
        let stream = server.events(
            Self.path + "/changes",
            [
                ("by", "name"), ("order", "-count"), ("having", "count > 1 or sum(age) > 0"),
                ("op", "count,sum(age)"),
            ])
        let first = stream.events(to: "value").last
        #expect(first?.json["groups"]?.elements.map { $0["count"]?.int } == [2, 1])
        server.send("PATCH", "/v1/classes/Town/objects/1", #"{"name":"B"}"#)
        let next = stream.nextEvent().json["groups"]?.elements ?? []
        #expect(next.map { $0["by"]?["name"]?.string } == ["B", nil])
    }
}
