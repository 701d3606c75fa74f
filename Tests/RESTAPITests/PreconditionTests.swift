import HoldfastRESTAPI
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@Suite("preconditions, entity tags and versions")
struct PreconditionTests {
    let server: TestServer
    let path = "/v1/classes/Thing/objects/1"

    init() throws { server = try TestServer(schema: Schemas.everything) }

    private func etag() -> String { server.send("GET", path).headers["etag"] ?? "none" }

    @Test("a GET of what the client has is 304, of something newer 200")
    func notModified() {
        server.send("PUT", path, "{}")
        let tag = etag()
        #expect(tag.count > 11 && tag.first == "\"" && tag.last == "\"")
        for value in [tag, "W/\(tag)", "\"other\", \(tag)", "*", "\"x\",W/\(tag) "] {
            let reply = APIScenario(
                "GET", path, headers: [("If-None-Match", value)], status: 304, fields: ["etag": tag]
            ).check(on: server)
            #expect(reply.body.isEmpty)
        }
        APIScenario("GET", path, headers: [("If-None-Match", "\"x\"")], status: 200).check(
            on: server)
        APIScenario(
            "GET", path, headers: [("If-None-Match", "x")], status: 400, contains: ["If-None-Match"]
        )
        .check(on: server)
        APIScenario("HEAD", path, headers: [("If-None-Match", tag)], status: 304).check(on: server)
        server.send("PATCH", path, "{\"count\":1}")
        APIScenario("GET", path, headers: [("If-None-Match", tag)], status: 200).check(on: server)
        APIScenario(
            "GET", path, headers: [("If-Match", tag)], status: 412,
            contains: ["\"current\":{\"etag\":"]
        )
        .check(on: server)
        APIScenario("GET", path, headers: [("If-Match", etag())], status: 200).check(on: server)
    }

    @Test("a write that changes nothing makes no new version")
    func unchanged() {
        // A class without defaults that differ from one write to the next.
        let path = "/v1/classes/Person/objects/Ann"
        let first = server.send("PUT", path, "{\"age\":1}")
        let second = server.send("PUT", path, "{\"age\":1}")
        #expect(second.status == 200)
        #expect(first.headers["etag"] == second.headers["etag"])
        #expect(first.headers["holdfast-version"] == second.headers["holdfast-version"])
        #expect(server.send("PATCH", path, "{}").headers["etag"] == first.headers["etag"])
    }

    @Test("If-Match writes only what the client saw, on every kind of write")
    func ifMatch() {
        server.send("PUT", path, "{}")
        let old = etag()
        server.send("PATCH", path, "{\"count\":1}")
        let new = etag()
        for (method, body) in [
            ("PUT", "{\"count\":2}"), ("PATCH", "{\"count\":2}"), ("DELETE", nil),
        ] as [(String, String?)] {
            for value in [old, "\"nonsense\"", "W/\(new)", "\"zzzzzzzz-1\""] {
                APIScenario(
                    method, path, body, headers: [("If-Match", value)], status: 412,
                    contains: [
                        "\"code\":\"precondition-failed\"",
                        "\"current\":{\"etag\":\(new),\"object\":{\"id\":1,",
                    ], fields: ["etag": new]
                ).check(on: server)
            }
            APIScenario(
                method, path, body, headers: [("If-Match", "bare")], status: 400,
                contains: ["invalid-header"]
            )
            .check(on: server)
            APIScenario(
                method, "/v1/classes/Thing/objects/404", body, headers: [("If-Match", new)],
                status: 412,
                contains: ["precondition-failed"], excludes: ["current\":{"]
            ).check(on: server)
            APIScenario(
                method, "/v1/classes/Thing/objects/404", body, headers: [("If-Match", "*")],
                status: 412
            )
            .check(on: server)
        }
        #expect(etag() == new)
        APIScenario(
            "PUT", path, "{\"count\":3}", headers: [("If-Match", "\(old), \(new)")], status: 200
        ).check(on: server)
        APIScenario("PATCH", path, "{\"count\":4}", headers: [("If-Match", etag())], status: 200)
            .check(on: server)
        APIScenario("PATCH", path, "{\"count\":5}", headers: [("If-Match", "*")], status: 200)
            .check(on: server)
        APIScenario("DELETE", path, headers: [("If-Match", etag())], status: 204).check(on: server)
    }

    @Test("If-None-Match: * writes only what is not there")
    func ifNoneMatch() {
        let absent = [("If-None-Match", "*")]
        APIScenario("PUT", path, "{}", headers: absent, status: 201).check(on: server)
        for (method, body) in [("PUT", "{}"), ("PATCH", "{}"), ("DELETE", nil)]
            as [(String, String?)]
        {
            APIScenario(
                method, path, body, headers: absent, status: 412, contains: ["\"current\":{"]
            ).check(on: server)
            APIScenario(method, path, body, headers: [("If-None-Match", "\"x\"")], status: 400)
                .check(on: server)
            APIScenario(
                method, path, body, headers: absent + [("If-Match", "*")], status: 400
            ).check(on: server)
        }
        APIScenario(
            "POST", "/v1/classes/Thing/objects?mode=merge", "{\"id\":1}", headers: absent,
            status: 412
        )
        .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Thing/objects?mode=merge", "{\"id\":2}", headers: absent,
            status: 201
        )
        .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Thing/objects", "[{\"id\":3}]", headers: absent, status: 400
        ).check(on: server)
        APIScenario("DELETE", "/v1/classes/Thing/objects/404", headers: absent, status: 404).check(
            on: server)
        APIScenario(
            "PATCH", "/v1/classes/Thing/objects/404?upsert=true", "{}", headers: absent, status: 201
        )
        .check(on: server)
    }

    @Test(
        "a condition or a range that an operation does not know is refused, and nothing is done",
        arguments: [
            ("PUT", "/v1/schema", "{\"classes\":[]}", ["If-None-Match", "Content-Range"]),
            ("PUT", "/v1/classes/Thing/objects/1", "{}", ["Content-Range"]),
            ("PATCH", "/v1/classes/Thing/objects/1", "{}", ["Content-Range"]),
            ("POST", "/v1/classes/Thing/objects", "{}", ["Content-Range"]),
            ("DELETE", "/v1/schema/classes/Thing", nil, ["If-None-Match"]),
            ("DELETE", "/v1/projections/Card", nil, ["If-None-Match"]),
            (
                "POST", "/v1/classes/Thing/import", "{\"id\":1}",
                ["If-Match", "If-None-Match", "Content-Range"]
            ),
            ("POST", "/v1/import", "{\"id\":1}", ["If-Match", "If-None-Match"]),
            ("POST", "/v1/backups", "", ["If-Match", "If-None-Match"]),
            ("DELETE", "/v1/backups/b", nil, ["If-Match", "If-None-Match"]),
            ("POST", "/v1/transactions", "{\"operations\":[]}", ["If-Match", "If-None-Match"]),
            ("POST", "/v1/classes/Thing/query", "{}", ["If-Match", "If-None-Match"]),
            ("PATCH", "/v1/classes/Thing/objects?all=true", "{}", ["If-Match", "If-None-Match"]),
            ("DELETE", "/v1/classes/Thing/objects?all=true", nil, ["If-Match", "If-None-Match"]),
            ("DELETE", "/v1/classes/Thing/outbox?through=0", nil, ["If-Match", "If-None-Match"]),
        ] as [(String, String, String?, [String])])
    func unknownConditions(method: String, path: String, body: String?, names: [String]) {
        let version = server.store.version
        for name in names {
            APIScenario(
                method, path, body, headers: [(name, "*")], status: 400,
                contains: ["invalid-header", "\"parameter\":\"\(name)\""]
            ).check(on: server)
        }
        #expect(server.store.version == version)
    }

    @Test("a $version in the body has to be the object's")
    func statedVersion() {
        server.send("PUT", path, "{}")
        let old = etag()
        server.send("PATCH", path, "{\"count\":1}")
        let new = etag()
        APIScenario("PUT", path, "{\"$version\":\(old)}", status: 412, contains: ["\"current\":{"])
            .check(on: server)
        APIScenario("PATCH", path, "{\"$version\":\(old)}", status: 412).check(on: server)
        APIScenario("PUT", path, "{\"$version\":\(new)}", headers: [("If-Match", old)], status: 412)
            .check(on: server)
        APIScenario(
            "PUT", path, "{\"$version\":\(new)}", headers: [("If-None-Match", "*")], status: 412
        ).check(on: server)
        APIScenario(
            "PATCH", path, "{\"$version\":\(new),\"count\":2}", headers: [("If-Match", new)],
            status: 200
        )
        .check(on: server)
        APIScenario("PUT", "/v1/classes/Thing/objects/5", "{\"$version\":\(new)}", status: 412)
            .check(on: server)
        APIScenario(
            "POST", "/v1/classes/Thing/objects?mode=merge", "[{\"id\":1,\"$version\":\(old)}]",
            status: 412,
            contains: ["\"pointer\":\"/0\""]
        ).check(on: server)
    }

    @Test("what a GET answered can be PUT back, with $id and $version")
    func putBack() {
        server.send(
            "PUT", path,
            "{\"name\":\"x\",\"countsN\":[1,null],\"at\":\"2026-11-20T06:38:58.5Z\",\"ratio\":\"NaN\"}"
        )
        let first = server.send("GET", path + "?fields=*,$id,$version")
        #expect(first.text.contains("\"$id\":1") && first.text.contains("\"$version\":"))
        let back = server.send("PUT", path, first.text)
        #expect(back.status == 200, "\(back.text)")
        #expect(back.headers["etag"] == first.headers["etag"])
        #expect(server.send("GET", path + "?fields=*,$id,$version").text == first.text)
    }

    @Test("minVersion waits for a version, then gives up; another epoch is 409")
    func minVersion() throws {
        var options = RESTOptions()
        options.limits.minVersionWaitSeconds = 0
        let server = try TestServer(schema: Schemas.everything, options: options)
        let version = server.send("PUT", path, "{}").headers["holdfast-version"] ?? ""
        let parts = version.split(separator: "-")
        let next = "\(parts[0])-\((Int(parts[1]) ?? 0) + 1)"
        APIScenario(
            "GET", path + "?minVersion=\(version)", status: 200,
            fields: ["holdfast-version": version]
        )
        .check(on: server)
        APIScenario(
            "GET", path + "?minVersion=\(next)", status: 503, contains: ["version-not-reached"],
            fields: ["retry-after": "1"]
        ).check(on: server)
        APIScenario("GET", path + "?minVersion=zzzzzzzz-1", status: 409, contains: ["other-epoch"])
            .check(on: server)
        for text in ["", "7", "x-1", "\(version)x"] {
            APIScenario("GET", path + "?minVersion=\(text)", status: 400, contains: ["minVersion"])
                .check(on: server)
        }
    }

    @Test(
        "minVersion is also the id of a stream's event; other cursors are refused with what it is")
    func minVersionOfStream() throws {
        let version = server.send("PUT", path, "{}").headers["holdfast-version"] ?? ""
        APIScenario("GET", path + "?minVersion=\(version)_4t0c", status: 200).check(on: server)
        let epoch = version.split(separator: "-")[0]
        APIScenario(
            "GET", path + "?minVersion=zzzzzzzz-1_4t0c", status: 409, contains: ["other-epoch"]
        ).check(on: server)
        for text in [
            "now", "start", "\(version).9.1.0", "\(version)~1.2", "4.\(version)", "\(version)_",
            "\(version)_T", "\(version)_4t0c_1", "_4t0c", "\(epoch)_4t0c", "\(version).1_4t0c",
        ] {
            APIScenario(
                "GET", path + "?minVersion=\(text)", status: 400,
                contains: ["minVersion", "Holdfast-Version", "the id of a stream's event"]
            ).check(on: server)
        }
    }

    @Test("a read that waits for a version is answered when the version comes")
    func waiting() throws {
        let version = server.send("PUT", path, "{}").headers["holdfast-version"] ?? ""
        let parts = version.split(separator: "-")
        let next = "\(parts[0])-\((Int(parts[1]) ?? 0) + 1)"
        let port = server.server.addresses.first?.port ?? 0
        let target = path + "?minVersion=\(next)"
        let reader = try StartedThread {
            HTTPClient(port: port).send("GET", target)
        }
        // The write may come before or after the read; either way the read sees it.
        server.send("PATCH", path, "{\"count\":77}")
        let reply = reader.result()
        #expect(reply.status == 200 && reply.text.contains("\"count\":77"), "\(reply.text)")
    }
}
