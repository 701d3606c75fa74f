import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("JSON patch of large collections")
struct LargePatchTests {
    private let service: TestService
    private let album = ObjectAddress("Album", "1")

    init() throws {
        service = try TestService(classes: Schemas.albums.classes)
        let tracks = (0..<50).map { "{\"id\":\($0)}" }.joined(separator: ",")
        try service.write("Track", array: "[\(tracks)]")
        func numbers(_ count: Int, _ text: (Int) -> String) -> String {
            (0..<count).map(text).joined(separator: ",")
        }
        try service.put(
            album,
            """
            {"title":"a","plays":[\(numbers(12_000) { "\($0)" })],\
            "tags":[\(numbers(9_000) { "\"t\($0)\"" })],\
            "prices":{\(numbers(9_000) { "\"k\($0)\":\($0)" })},\
            "tracks":[\(numbers(9_000) { "\($0 % 50)" })]}
            """)
        try service.merge(
            album,
            """
            {"pages":[\(numbers(1_000) { "{\"text\":\"page \($0) of an album with a good many\",\"track\":\($0 % 50)}" })]}
            """)
    }

    private func page(_ property: String, limit: Int) throws -> QueryJSON {
        var query = QueryText()
        query.limit = limit
        query.counts = true
        return try #require(try service.page(of: property, of: album, query)).json
    }

    /// The first elements of a list.
    private func elements(_ property: String) throws -> [Int64?] {
        try page(property, limit: 1000)["elements"]?.elements.map(\.int) ?? []
    }

    private func count(_ property: String) throws -> Int64? {
        try page(property, limit: 1)["count"]?.int
    }

    private func check(_ location: SourceLocation = #_sourceLocation) throws {
        let report = try StoreCheck.run(service.store)
        #expect(report.findings.isEmpty, sourceLocation: location)
    }

    @Test("elements of each kind of collection are put in, replaced, tested and taken out")
    func elements() throws {
        let patch = """
            [{"op":"add","path":"/plays/500","value":-1},{"op":"add","path":"/plays/-","value":null},
             {"op":"replace","path":"/plays/0","value":-7},{"op":"remove","path":"/plays/2"},
             {"op":"test","path":"/plays/499","value":-1},{"op":"test","path":"/plays/12000","value":null},
             {"op":"add","path":"/tags/-","value":"t1"},{"op":"add","path":"/tags/-","value":"new"},
             {"op":"add","path":"/prices/eur","value":5},{"op":"replace","path":"/prices/k7","value":8},
             {"op":"remove","path":"/prices/k8"},{"op":"test","path":"/prices/k7","value":8},
             {"op":"add","path":"/tracks/100","value":{"id":77}},{"op":"remove","path":"/tracks/0"},
             {"op":"replace","path":"/pages/3/text","value":"changed"},
             {"op":"add","path":"/pages/4/marks/-","value":9},
             {"op":"remove","path":"/pages/5"},
             {"op":"replace","path":"/title","value":"b"}]
            """
        let text = try service.patch(album, patch).text
        for part in [
            #""title":"b""#, #""$omitted":["plays"]"#, "\"eur\":5", "\"k7\":8", "\"new\"",
            "changed",
            "\"marks\":[9]",
        ] {
            #expect(text.contains(part))
        }
        #expect(!text.contains("\"k8\":") && !text.contains("page 5 of"))
        #expect(try count("plays") == 12001 && count("tags") == 9001 && count("prices") == 9000)
        #expect(try count("tracks") == 9000 && count("pages") == 999)
        let plays = try elements("plays")
        #expect(plays[0] == -7 && plays[2] == 3 && plays[499] == -1)
        let track = try service.object(ObjectAddress("Track", "77"), fields: "albums")
        #expect(track?.contains("[1]") ?? false)
        try check()
    }

    /// Steps that fail, how, and where they stand in a patch whose first step is another.
    private static let failures: [(String, RequestFault.Kind, String, String)] = [
        (#"{"op":"remove","path":"/plays/12000"}"#, .invalid, "path-missing", "/1/path"),
        (#"{"op":"add","path":"/plays/12001","value":1}"#, .invalid, "path-missing", "/1/path"),
        (#"{"op":"replace","path":"/plays/x","value":1}"#, .invalid, "path-missing", "/1/path"),
        (#"{"op":"add","path":"/plays/0","value":"x"}"#, .invalid, "wrong-type", "/1/value"),
        (#"{"op":"test","path":"/plays/5","value":7}"#, .conflict, "test-failed", "/1/value"),
        (#"{"op":"remove","path":"/tags/0"}"#, .invalid, "set-index", "/1/path"),
        (#"{"op":"remove","path":"/prices/none"}"#, .invalid, "path-missing", "/1/path"),
        (#"{"op":"add","path":"/prices/a.b","value":1}"#, .invalid, "invalid-map-key", "/1/value"),
        (#"{"op":"add","path":"/tracks/-","value":999}"#, .invalid, "dangling-link", "/1/value"),
        (
            #"{"op":"replace","path":"/pages/1/none","value":1}"#, .invalid, "path-missing",
            "/1/path"
        ),
        (
            #"{"op":"replace","path":"/pages/1/text","value":1}"#, .invalid, "wrong-type",
            "/1/value"
        ),
    ]

    @Test("a failing step is told with its place, and nothing is changed")
    func failing() throws {
        let version = service.store.version
        for (step, kind, code, pointer) in Self.failures {
            let fault = #expect(throws: RequestFault.self, "\(step)") {
                try service.patch(album, "[{\"op\":\"remove\",\"path\":\"/plays/0\"},\(step)]")
            }
            #expect(fault?.kind == kind, "\(step)")
            #expect(
                fault?.errors.map(\.code) == [code] && fault?.errors.map(\.pointer) == [pointer],
                "\(step): \(fault?.errors ?? [])")
            #expect(service.store.version == version)
            #expect(try elements("plays")[0] == 0)
            try check()
        }
    }

    @Test("steps about whole collections work as for small ones")
    func whole() throws {
        let text = try service.patch(
            album,
            #"[{"op":"copy","from":"/plays/5","path":"/plays/0"},{"op":"move","from":"/tracks","path":"/tracks"},"#
                + #"{"op":"add","path":"/prices/a","value":1},{"op":"replace","path":"/tags","value":["x"]}]"#
        ).text
        #expect(text.contains(#""tags":["x"]"#) && text.contains("\"a\":1"))
        #expect(try elements("plays")[0] == 5)
        #expect(try count("plays") == 12001 && count("tags") == 1)
        try check()
    }

    @Test("whole collections are compared, copied, moved and replaced however large they are")
    func tooLarge() throws {
        var limits = ServiceLimits()
        limits.collectionElementCountMax = 100
        let service = try TestService(classes: Schemas.albums.classes, limits: limits)
        let numbers = (0..<10_001).map { "\($0)" }.joined(separator: ",")
        try service.put(album, "{\"plays\":[\(numbers)],\"front\":{\"marks\":[\(numbers)]}}")
        let steps = [
            #"{"op":"copy","from":"/plays/5","path":"/plays/0"},{"op":"test","path":"/plays/0","value":5}"#,
            "{\"op\":\"remove\",\"path\":\"/plays/0\"},{\"op\":\"test\",\"path\":\"/plays\",\"value\":[\(numbers)]}",
            #"{"op":"move","from":"/plays","path":"/plays"},{"op":"test","path":"/plays/10000","value":10000}"#,
            #"{"op":"add","path":"/front/text","value":"x"}"#,
            #"{"op":"add","path":"/front/marks/-","value":1},{"op":"test","path":"/front/marks/10001","value":1}"#,
            #"{"op":"copy","from":"/front","path":"/pages/-"},{"op":"test","path":"/pages/0/marks/10001","value":1}"#,
            #"{"op":"remove","path":"/front"},{"op":"test","path":"/pages/0/marks/9","value":9}"#,
            #"{"op":"add","path":"/plays/-","value":1},{"op":"replace","path":"/plays","value":[1]},{"op":"add","path":"/plays/-","value":2},{"op":"test","path":"/plays","value":[1,2]}"#,
        ]
        for step in steps {
            try service.patch(album, "[\(step)]")
            #expect(try StoreCheck.run(service.store).findings.isEmpty, "\(step.prefix(100))")
        }
        let fault = #expect(throws: RequestFault.self) {
            try service.patch(album, #"[{"op":"copy","from":"/plays","path":"/tags"}]"#)
        }
        #expect(fault?.kind == .invalid && fault?.code == "wrong-type")
        #expect(fault?.errors.first?.pointer == "/0/value")
    }

    @Test("a collection that is emptied or shrinks far returns to its row, and grows again")
    func shrinking() throws {
        let removals = (0..<11_990).map { _ in #"{"op":"remove","path":"/plays/0"}"# }
        let short = try service.patch(album, "[\(removals.joined(separator: ","))]").text
        #expect(short.contains("\"plays\":[11990,11991,"))
        try check()
        let rest = (0..<10).map { _ in #"{"op":"remove","path":"/plays/0"}"# }
        let empty = try service.patch(album, "[\(rest.joined(separator: ","))]").text
        #expect(empty.contains("\"plays\":[]"))
        try check()
    }

    @Test("operations of one transaction change one large collection after another")
    func transaction() throws {
        let operations = (0..<20).map { number in
            "{\"op\":\"patch\",\"class\":\"Album\",\"id\":1,\"value\":[{\"op\":\"add\",\"path\":\"/plays/\(number * 500)\",\"value\":\(number)},"
                + "{\"op\":\"add\",\"path\":\"/tracks/0\",\"value\":{\"$ref\":\"t\"}}]}"
        }
        let all = operations + [#"{"op":"create","class":"Track","ref":"t","value":{"id":500}}"#]
        try service.transaction(all)
        #expect(try count("plays") == 12020 && count("tracks") == 9020)
        try check()
        let again = #expect(throws: RequestFault.self) { try service.transaction(all) }
        #expect(again?.kind == .conflict)
        #expect(try count("plays") == 12020 && count("tracks") == 9020)
        try check()
    }
}
