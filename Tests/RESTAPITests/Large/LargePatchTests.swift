import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("JSON patch of large collections")
struct LargePatchTests {
    private static let type = [("Content-Type", "application/json-patch+json")]

    @Test("steps alone, without another change of the object, write nothing else")
    func alone() throws {
        let server = try TestServer(schema: Schemas.albums)
        let album = "/v1/classes/Album/objects/1"
        func numbers(_ count: Int, _ text: (Int) -> String) -> String {
            (0..<count).map(text).joined(separator: ",")
        }
        let made = server.send(
            "PUT", album,
            """
            {"title":"a","plays":[\(numbers(12_000) { "\($0)" })],\
            "tags":[\(numbers(9_000) { "\"t\($0)\"" })],\
            "prices":{\(numbers(9_000) { "\"k\($0)\":\($0)" })},"pages":[{"text":"page"}]}
            """)
        #expect(made.status == 201, "\(made.text.prefix(300))")
        let before = server.send("GET", album).headers["etag"]
        APIScenario(
            "PATCH", album,
            #"[{"op":"test","path":"/plays/3","value":3},{"op":"replace","path":"/plays/3","value":3}]"#,
            headers: Self.type, status: 200, fields: ["etag": before ?? "x"]
        ).check(on: server)
        APIScenario(
            "PATCH", album, #"[{"op":"add","path":"/plays/6000","value":1}]"#,
            headers: Self.type + [("If-Match", before ?? "")], status: 200
        ).check(on: server)
        APIScenario(
            "PATCH", album, #"[{"op":"add","path":"/plays/6000","value":1}]"#,
            headers: Self.type + [("If-Match", before ?? "")], status: 412
        ).check(on: server)
        #expect(
            server.send("GET", album + "/properties/plays?limit=1&count=exact").text.hasSuffix(
                "\"count\":12001}"))
        let changes = server.send(
            "GET", "/v1/classes/Album/changes?since=\(before?.replacing("\"", with: "") ?? "")"
        ).text
        #expect(
            changes.contains(#""changed":["plays"]"#) && !changes.contains("\"plays\":["),
            "\(changes.prefix(300))")
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }
}
