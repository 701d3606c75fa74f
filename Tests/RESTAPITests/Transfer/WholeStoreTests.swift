import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("A whole store's export and import")
struct WholeStoreTests {
    private static let ndjson = [("Content-Type", "application/x-ndjson")]

    /// A store with every type, objects that link to each other in all directions, and keys of each kind.
    private static func fill(_ server: TestServer) {
        let operations: [(String, String)] = [
            (
                "Thing",
                """
                {"id":1,"flag":true,"count":-9223372036854775808,"ratio":"NaN","name":"a \\u0000\\n\\"é","bytes":"AP8=",
                "at":"2026-11-20T06:38:58.123456789Z","oid":"0123456789abcdef01234567",
                "uuid":"01234567-89ab-cdef-0123-456789abcdef","flags":[true,false],"counts":[3,1,2],
                "ratios":[1.5,"-Infinity"],"names":["x",""],"blobs":["","AQ=="],"dates":["1969-12-31T23:59:59Z"],
                "countsN":[null,1],"namesN":["",null],"countSet":[3,1],"nameSet":["b","a"],"ratioSetN":[null,0.5]}
                """
            ),
            ("Thing", #"{"id":-7,"countN":5,"nameN":"","bytesN":"","atN":"2026-11-20T06:38:58Z"}"#),
            ("Toy", #"{"label":"first"}"#), ("Toy", #"{"label":"gone"}"#),
            ("Toy", #"{"label":"third","next":1}"#), ("Toy", #"{"label":"fourth","next":4}"#),
            ("Dog", #"{"_id":"0123456789abcdef01234567","name":"Rex","toy":4}"#),
            ("Dog", #"{"_id":"0123456789abcdef01234566","name":"Ada","toy":1}"#),
            (
                "Person",
                """
                [{"name":"Zoe","age":3,"best":"Ann","dogs":["0123456789abcdef01234566","0123456789abcdef01234567",
                "0123456789abcdef01234566"],"home":{"city":"X","landlord":"Bob","inner":{"city":"Y","landlord":"Zoe"}},
                "places":[{"city":"P","landlord":"Ann"},{"city":"Q"}]},
                {"name":"Bob","friends":["Zoe","Bob"]},{"name":"Ann","best":"Zoe","friends":["Bob"]}]
                """
            ),
            ("Ticket", #"{"id":"01234567-89ab-cdef-0123-456789abcdef","title":"t"}"#),
            (
                "Loose",
                #"[{"key":null,"other":"b","others":["b",{"$link":{"class":"Loose","id":null}}]},{"key":"b","other":{"$link":{"class":"Loose","id":null}}}]"#
            ),
        ]
        for (name, body) in operations {
            let reply = server.send(
                "POST", "/v1/classes/\(name)/objects", body.replacing("\n", with: ""))
            #expect(reply.status == 201, "\(reply.text)")
        }
        server.send("DELETE", "/v1/classes/Toy/objects/2")
        // The first now links to a later one, and a later one to itself.
        server.send("PATCH", "/v1/classes/Toy/objects/1", #"{"next":4}"#)
    }

    @Test("gives an equal store, and the same export again", arguments: EngineCase.all)
    func roundTrip(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Schemas.everything)
        Self.fill(server)
        let exported = server.send("GET", "/v1/export")
        #expect(exported.status == 200)
        #expect(exported.headers["content-type"] == "application/x-ndjson")
        #expect(exported.headers["holdfast-version"] == server.store.version.description)
        let lines = exported.text.split(separator: "\n").map(String.init)
        #expect(lines[0].hasPrefix(#"{"holdfast":1,"schema":{"revision":1,"classes":["#))
        #expect(lines.count == 1 + 13)
        // `$id`s 1, 3 and 4 become 1, 2 and 3, wherever they stand.
        let renamed = exported.text
            .replacing(#""id":3,"object":{"$id":3"#, with: #""id":2,"object":{"$id":2"#)
            .replacing(#""id":4,"object":{"$id":4"#, with: #""id":3,"object":{"$id":3"#)
            .replacing(#""next":4"#, with: #""next":3"#)
            .replacing(#""toy":4"#, with: #""toy":3"#)
        for chunkLineCount in [1, 2, 100] {
            let other = try TestServer(engine, schema: Schema())
            let report = try Importing.storeReport(exported.text, into: other.store) {
                $0.chunkLineCount = chunkLineCount
                $0.deferredByteCountMax = 200
            }
            #expect(report.codes == [])
            #expect(report.importedCount == lines.count - 1)
            #expect(other.send("GET", "/v1/export").text == renamed)
            try Importing.expectSound(other.store)
        }
    }

    @Test("goes over HTTP, packed too, and what is imported again is told by line")
    func overHTTP() throws {
        let server = try TestServer(schema: Schemas.everything)
        Self.fill(server)
        let exported = server.send("GET", "/v1/export")
        let packed = server.client.send(
            "GET", "/v1/export", headers: [("Accept-Encoding", "gzip")], body: nil)
        #expect(packed.headers["content-encoding"] == "gzip")
        let other = try TestServer(schema: Schema())
        let imported = other.client.send(
            "POST", "/v1/import", headers: Self.ndjson + [("Content-Encoding", "gzip")],
            body: packed.body)
        #expect(
            imported.text.hasPrefix(#"{"imported":13,"failed":0,"errors":[],"version":"#),
            "\(imported.text)")
        #expect(imported.headers["holdfast-version"] == other.store.version.description)
        APIScenario(
            "POST", "/v1/import", exported.text, headers: Self.ndjson, status: 200,
            contains: [#""failed":10,"#, #""line":2,"code":"duplicate-key""#]
        ).check(on: other)
        APIScenario(
            "POST", "/v1/import?mode=replace", exported.text, headers: Self.ndjson, status: 200,
            contains: [#"{"imported":13,"failed":0"#]
        ).check(on: other)
        // Objects without a primary key are new ones each time.
        #expect(
            other.send("GET", "/v1/classes/Toy/objects?count=exact").text.contains(#""count":9"#))
        try Importing.expectSound(other.store)
    }

    private static let header =
        #"{"holdfast":1,"schema":{"classes":[{"name":"N","primaryKey":"id","properties":{"id":"int","next":"N","all":"N[]","a":"string"}},{"name":"O","properties":{"next":"O"}},{"name":"E","kind":"embedded","properties":{}}]}}"#

    @Test(
        "is refused whole when it does not begin as an export does",
        arguments: [
            ("", 422, "not-an-export"), ("\n \n", 422, "not-an-export"),
            (#"{"id":1}"#, 422, "not-an-export"), ("[", 400, "malformed-json"),
            (#"{"holdfast":2,"schema":{"classes":[]}}"#, 422, "unknown-export-form"),
            (#"{"holdfast":1}"#, 422, "missing-member"),
            (#"{"holdfast":1,"schema":{"classes":[]},"projections":{}}"#, 422, "wrong-type"),
            (#"{"holdfast":1,"schema":{"classes":[]},"more":1}"#, 422, "unknown-member"),
            (
                #"{"holdfast":1,"schema":{"classes":[{"name":"A","properties":{"a":"nothing"}}]}}"#,
                422, "invalid-schema"
            ),
        ])
    func noExport(text: String, status: Int, code: String) throws {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "POST", "/v1/import", text, headers: Self.ndjson, status: status,
            contains: ["\"code\":\"\(code)\""]
        ).check(on: server)
        #expect(server.store.version.number == 0)
    }

    @Test("needs a store without a schema or with these classes")
    func schemas() throws {
        let line = "\n" + #"{"class":"N","id":1,"object":{}}"#
        let server = try TestServer(schema: Schema())
        func check(_ header: String, _ status: Int, _ text: String) {
            APIScenario(
                "POST", "/v1/import?mode=merge", header + line, headers: Self.ndjson,
                status: status, contains: [text]
            ).check(on: server)
        }
        check(Self.header, 200, #"{"imported":1,"failed":0"#)
        check(Self.header, 200, #"{"imported":1,"failed":0"#)
        // A store may have further classes.
        server.send("PUT", "/v1/schema/classes/More", #"{"properties":{"a":"int"}}"#)
        check(Self.header, 200, #"{"imported":1,"failed":0"#)
        let projections = #","projections":[{"name":"P","class":"N","properties":{"b":"a"}}]}"#
        let projected = String(Self.header.dropLast()) + projections
        check(projected, 200, #"{"imported":1,"failed":0"#)
        check(projected, 200, #"{"imported":1,"failed":0"#)
        #expect(server.send("GET", "/v1/export").text.contains(projections))
        check(
            projected.replacing(#""b":"a""#, with: #""c":"a""#), 409,
            #""detail":"Projection 'P' is different in the store.","pointer":"/projections/0""#)
        check(projected.replacing(#""class":"N","prop"#, with: #""class":"Q","prop"#), 409, "'P'")
        check(
            Self.header.replacing(#""a":"string""#, with: #""a":"int""#), 409,
            #""code":"schema-conflict","detail":"Class 'N' is different in the store.","pointer":"/schema/classes/0""#
        )
        check(
            Self.header.replacing(#""name":"O""#, with: #""name":"P""#).replacing(
                #":"O""#, with: #":"P""#), 409, "The store has no class 'P'.")
    }

    @Test("keeps good lines and says of each other what is wrong and where")
    func faults() throws {
        let server = try TestServer(schema: Schema())
        let lines = [
            Self.header, #"{"class":"N","id":1,"object":{"a":"x","next":2}}"#, "",
            #"{"class":"N","id":2,"object":{"next":99}}"#, #"{"class":"M","object":{"id":3}}"#,
            #"{"class":"E","object":{}}"#, #"{"class":"N","object":{}}"#, "[]", "{",
            #"{"class":"N"}"#, #"{"class":"N","id":4,"object":{"id":5}}"#,
            #"{"class":"N","id":6,"object":{"b":1}}"#, #"{"class":"N","id":"x","object":{}}"#,
            #"{"class":"N","id":7,"object":{},"more":1}"#, #"{"class":"N","object":{"id":8}}"#,
            #"{"class":"O","id":5,"object":{"next":9}}"#, #"{"class":"O","id":5,"object":{}}"#,
            #"{"class":"O","id":6,"object":{"next":5}}"#, #"{"class":"O","id":6,"object":{}}"#,
            #"{"class":"N","id":8,"object":{}}"#,
        ]
        let report = try Importing.storeReport(lines.joined(separator: "\n"), into: server.store) {
            $0.chunkLineCount = 4
        }
        #expect(
            report.codes == [
                "4 dangling-link", "5 unknown-class", "6 wrong-class", "7 missing-key",
                "8 wrong-type", "9 malformed-json", "10 missing-member", "11 key-mismatch",
                "12 unknown-property", "13 wrong-type", "14 unknown-member", "16 dangling-link",
                "17 duplicate-key", "19 duplicate-key", "20 duplicate-key",
            ])
        #expect(report.faults[0].fault.pointer == "/object/next")
        #expect(report.faults[8].fault.pointer == "/object/b")
        #expect((report.importedCount, report.failedCount) == (3, 15))
        // What was created for a line that could not be taken is gone, and links to it with it.
        APIScenario(
            "GET", "/v1/classes/N/objects", status: 200,
            contains: [#""objects":[{"id":1,"next":null,"all":[],"a":"x"},{"id":8,"#]
        ).check(on: server)
        try Importing.expectSound(server.store)
    }

    @Test("keeps objects in their order and lines of one object too, whatever links forward")
    func order() throws {
        let count = 500
        var random = SeededGenerator(
            seed: SeededGenerator.testSeed("order of a whole store's import"))
        let ids = (0..<count).shuffled(using: &random)
        var lines = [Self.header]
        for id in ids {
            let all = (0..<3).map { _ in String(Int.random(in: 0..<count, using: &random)) }
            lines.append(
                #"{"class":"N","id":\#(id),"object":{"id":\#(id),"next":\#((id + 1) % count),"all":[\#(all.joined(separator: ","))],"a":"a\#(id)"}}"#
            )
        }
        let server = try TestServer(schema: Schema())
        let report = try Importing.storeReport(lines.joined(separator: "\n"), into: server.store) {
            $0.chunkLineCount = 16
        }
        #expect((report.importedCount, report.failedCount) == (count, 0))
        let exported = server.send("GET", "/v1/export").text.split(separator: "\n")
        #expect(exported.dropFirst().elementsEqual(lines.dropFirst().map { $0[...] }))
        // A line of an object that waits has to wait as well.
        let again = [
            Self.header, #"{"class":"N","id":1000,"object":{"a":"first","next":2000}}"#,
            #"{"class":"N","id":1000,"object":{"a":"second"}}"#,
            #"{"class":"N","id":2000,"object":{}}"#,
        ]
        for chunkLineCount in [1, 10] {
            let merged = try Importing.storeReport(
                again.joined(separator: "\n"), into: server.store
            ) {
                $0.chunkLineCount = chunkLineCount
                $0.mode = .merge
            }
            #expect((merged.importedCount, merged.failedCount) == (3, 0))
            APIScenario(
                "GET", "/v1/classes/N/objects/1000", status: 200,
                contains: [#"{"id":1000,"next":2000,"all":[],"a":"second"}"#]
            ).check(on: server)
        }
        try Importing.expectSound(server.store)
    }
}
