import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("CSV")
struct CSVTests {
    private static let csv = [("Content-Type", "text/csv")]
    private static let wantsCSV = [("Accept", "text/csv")]

    /// A class of every single type, one that it links to, and classes that do not fit.
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Row", primaryKey: "id",
            properties: [
                Schemas.property("id", .string), Schemas.property("flag", .bool),
                Schemas.property("small", .int8), Schemas.property("count", .int, optional: true),
                Schemas.property("ratio", .double),
                Schemas.property("half", .float, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("name", .string),
                Schemas.property("nick", .string, optional: true),
                Schemas.property("bytes", .data), Schemas.property("at", .date, optional: true),
                Schemas.property("oid", .objectID, optional: true),
                Schemas.property("uuid", .uuid, optional: true), Schemas.link("next", "Row"),
                Schemas.link("item", "Item"), Schemas.link("loose", "Loose"),
                Property(
                    name: "before", type: .linkingObjects(className: "Row", property: "next")),
            ]),
        ObjectClass(name: "Item", properties: [Schemas.property("a b", .int, optional: true)]),
        ObjectClass(
            name: "Loose", primaryKey: "key",
            properties: [Schemas.property("key", .string, optional: true)]),
        ObjectClass(
            name: "Listed", primaryKey: "id",
            properties: [Schemas.property("id", .int), Schemas.list("tags", .string)]),
        ObjectClass(
            name: "Nested", primaryKey: "id",
            properties: [
                Schemas.property("id", .int),
                Property(name: "home", type: .single(.object("Inner")), isOptional: true),
            ]),
        ObjectClass(name: "Inner", kind: .embedded, properties: []),
    ])

    private static let objects = [
        ("Item", #"[{"a b":7},{"a b":null}]"#),
        ("Loose", #"[{"key":null},{"key":""},{"key":"x"}]"#),
        (
            "Row",
            #"[{"id":"1","flag":true,"small":-128,"count":9007199254740993,"ratio":"NaN","half":1.5,"price":"1.10","name":"a,\"b\"\r\nc","nick":"","bytes":"AP8=","at":"2026-11-20T06:38:58.123Z","oid":"0123456789abcdef01234567","uuid":"01234567-89ab-cdef-0123-456789abcdef","next":"=2","item":2,"loose":{"$link":{"class":"Loose","id":null}}},{"id":"=2","name":" blank ","next":"1","ratio":1e300,"loose":"x"},{"id":"","name":"","nick":"null","loose":""}]"#
        ),
    ]

    private static func fill(_ server: TestServer) {
        for (name, body) in objects {
            let reply = server.send("POST", "/v1/classes/\(name)/objects", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
    }

    @Test("holds what a class of single values and links holds", arguments: EngineCase.all)
    func roundTrip(engine: EngineCase) throws {
        let server = try TestServer(engine, schema: Self.schema)
        Self.fill(server)
        let other = try TestServer(engine, schema: Self.schema)
        for name in ["Item", "Loose", "Row"] {
            let exported = APIScenario(
                "GET", "/v1/classes/\(name)/export", headers: Self.wantsCSV, status: 200,
                fields: ["content-type": "text/csv; charset=utf-8", "holdfast-version": ""]
            ).check(on: server)
            for pieceByteCount in [1, 5, 1000] {
                let report = try Importing.report(
                    exported.text, into: other.store, name, pieceByteCount: pieceByteCount
                ) {
                    $0.format = .csv
                    $0.mode = name == "Item" && pieceByteCount == 1 ? .create : .ignore
                    if name == "Item", pieceByteCount > 1 { $0.mode = .merge }
                }
                #expect(report.codes == [], "\(name)")
            }
            #expect(
                other.send("GET", "/v1/classes/\(name)/export").text
                    == server.send("GET", "/v1/classes/\(name)/export").text)
        }
        let rows = server.send("GET", "/v1/classes/Row/export", headers: Self.wantsCSV).text
        #expect(
            rows.hasPrefix(
                """
                id,flag,small,count,ratio,half,price,name,nick,bytes,at,oid,uuid,next,item,loose\r
                1,true,-128,9007199254740993,NaN,1.5,1.10,"a,""b""\r
                c","",AP8=,2026-11-20T06:38:58.123Z,0123456789abcdef01234567,\
                01234567-89ab-cdef-0123-456789abcdef,=2,2,"{""$link"":{""class"":""Loose"",""id"":null}}"\r

                """))
        #expect(rows.hasSuffix("\"\",false,0,,0.0,,,\"\",null,\"\",,,,,,\"\"\r\n"), "\(rows)")
        APIScenario(
            "GET", "/v1/classes/Row/export?fields=name,id", headers: Self.wantsCSV, status: 200,
            contains: ["name,id\r\n"]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Item/export", headers: Self.wantsCSV, status: 200,
            contains: ["$id,a b\r\n1,7\r\n2,\r\n"]
        ).check(on: server)
        try Importing.expectSound(other.store)
    }

    @Test("is refused for classes that do not fit, by the property's name")
    func notFlat() throws {
        let server = try TestServer(schema: Self.schema)
        for (name, property) in [("Listed", "tags"), ("Nested", "home")] {
            APIScenario(
                "GET", "/v1/classes/\(name)/export", headers: Self.wantsCSV, status: 406,
                contains: ["not-flat", "'\(property)'"]
            ).check(on: server)
            // An import goes by the columns that are there.
            APIScenario(
                "POST", "/v1/classes/\(name)/import", "id,\(property)\n1,x\n", headers: Self.csv,
                status: 422, contains: ["unknown-column", "'\(property)'", #""column":2"#]
            ).check(on: server)
            APIScenario(
                "POST", "/v1/classes/\(name)/import", "id\n1\n", headers: Self.csv, status: 200,
                contains: [#""imported":1"#]
            ).check(on: server)
            APIScenario(
                "GET", "/v1/classes/\(name)/export?fields=id", headers: Self.wantsCSV, status: 200
            ).check(on: server)
        }
        APIScenario(
            "GET", "/v1/classes/Row/export", headers: [("Accept", "text/html")], status: 406,
            contains: ["text/csv"]
        ).check(on: server)
        // Of types that are wanted equally the one that is named first, as for lists.
        for (accept, type) in [
            ("text/csv, application/x-ndjson", "text/csv; charset=utf-8"),
            ("application/x-ndjson, text/csv", "application/x-ndjson"),
            ("text/csv;q=0.5, application/x-ndjson", "application/x-ndjson"),
            ("*/*", "application/x-ndjson"),
        ] {
            APIScenario(
                "GET", "/v1/classes/Row/export", headers: [("Accept", accept)], status: 200,
                fields: ["content-type": type]
            ).check(on: server)
        }
        APIScenario(
            "POST", "/v1/classes/Row/import", "x", headers: [("Content-Type", "text/html")],
            status: 415, contains: ["text/csv"]
        ).check(on: server)
    }

    @Test(
        "with a header that does not fit is refused whole",
        arguments: [
            ("", "begins with a line"), ("\n\r\n", "begins with a line"),
            ("id,nam\n1,x\n", "\"hint\":\"name\""), ("id,id\n1,1\n", "names 'id' again"),
            ("id,nam,x\n1,x\n", "\"column\":2"), ("id,name,id,id\n", "\"column\":3"),
            (String(repeating: ",", count: 300_000), "\"column\":1"),
            ("id,before\n1,1\n", "no property 'before'"), ("id,\"na\"me\n1,1\n", "closing quote"),
        ])
    func header(text: String, words: String) throws {
        let server = try TestServer(schema: Self.schema)
        APIScenario(
            "POST", "/v1/classes/Row/import", text, headers: Self.csv, status: 422,
            contains: ["unknown-column", words]
        ).check(on: server)
        #expect(server.store.version.number == 1)
    }

    @Test("keeps good records and names the line on which a faulty one begins")
    func faults() throws {
        let server = try TestServer(schema: Self.schema)
        let text = """
            \u{FEFF}id,name,count,at
            1,"two
            lines",5,

            2,x,"six",
            3,x,6
            4,a"b,7,
            5,"ab"c,7,
            "6",x,1,yesterday
            "7",x,1,"2026-11-20T06:38:58Z"
            8,"open,1,
            """
        for pieceByteCount in [1, 1000] {
            let report = try Importing.report(
                text, into: server.store, "Row", pieceByteCount: pieceByteCount
            ) {
                $0.format = .csv
                $0.mode = .replace
                $0.chunkLineCount = 3
            }
            #expect(
                report.codes == [
                    "5 wrong-type", "6 malformed-csv", "7 malformed-csv", "8 malformed-csv",
                    "9 invalid-date", "11 malformed-csv",
                ])
            #expect(report.faults[0].fault.pointer == "/count")
            #expect((report.importedCount, report.failedCount) == (2, 6))
        }
        APIScenario(
            "GET", "/v1/classes/Row/objects/1?fields=name,count,at", status: 200,
            contains: [#"{"name":"two\nlines","count":5,"at":null}"#]
        ).check(on: server)
    }

    @Test("tells a null from an empty string, and generates keys that are left empty")
    func emptyCells() throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "K", primaryKey: "id",
                properties: [
                    Schemas.property("id", .objectID), Schemas.property("a", .string),
                    Schemas.property("b", .string, optional: true),
                    Schemas.property("c", .int),
                ])
        ])
        let server = try TestServer(schema: schema)
        APIScenario(
            "POST", "/v1/classes/K/import", "id,a,b\n,\"\",\n,\"\",\"\"\n", headers: Self.csv,
            status: 200, contains: [#"{"imported":2,"failed":0"#]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/K/objects?fields=a,b", status: 200,
            contains: [#"[{"a":"","b":null},{"a":"","b":""}]"#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/K/import", "c\n\n", headers: Self.csv, status: 422,
            contains: [#""failed":1"#, #""line":2,"code":"null-not-allowed""#]
        ).check(on: server)
    }

    @Test("takes object ids as mongoexport writes them, where the type is that of object ids")
    func objectIDs() throws {
        let server = try TestServer(schema: Self.schema)
        let digits = "0123456789abcdef01234567"
        let report = try Importing.report(
            "id,oid,name\na,ObjectId(\(digits)),ObjectId(x)\nb,\"ObjectId(\"\"\(digits)\"\")\",x\nc,ObjectId(,x\nd,ObjectId(),x\n",
            into: server.store, "Row"
        ) { $0.format = .csv }
        #expect(report.importedCount == 2)
        #expect(report.codes == ["4 invalid-object-id", "5 invalid-object-id"])
        APIScenario(
            "GET", "/v1/classes/Row/objects?fields=oid,name&sort=id", status: 200,
            contains: [
                #"[{"oid":"\#(digits)","name":"ObjectId(x)"},{"oid":"\#(digits)","name":"x"}]"#
            ]
        ).check(on: server)
    }

    @Test("of a record takes so many bytes and no more, and goes on behind it")
    func longRecords() throws {
        let server = try TestServer(schema: Self.schema)
        let long = String(repeating: "x", count: 1100)
        let report = try Importing.report(
            "id,name\n1,\(long)\n2,\"\(long)\"\n3,x\n", into: server.store, "Row"
        ) {
            $0.format = .csv
            $0.limits.importLineByteCountMax = 1000
        }
        #expect(report.codes == ["2 line-too-long", "3 line-too-long"])
        #expect(report.importedCount == 1)
    }

    @Test("of a record takes as many cells as the header has, and counts the rest and inner lines")
    func manyCells() throws {
        let server = try TestServer(schema: Self.schema)
        let commas = String(repeating: ",", count: 200_000)
        let lines = String(repeating: "\n", count: 200_000)
        for chunkLineCount in [3, 8192] {
            let report = try Importing.report(
                "id,name,count\nx\(commas)\n1,x,1\n2,\"\(lines)\",1\n\(lines)3,x,1\ny,x,z\n",
                into: server.store,
                "Row", pieceByteCount: 1000
            ) {
                $0.format = .csv
                $0.mode = .replace
                $0.chunkLineCount = chunkLineCount
                $0.limits.importLineByteCountMax = 1_000_000
            }
            #expect(report.codes == ["2 malformed-csv", "400006 wrong-type"])
            #expect(report.faults.first?.fault.detail.contains("200001 cells") ?? false)
            #expect(report.importedCount == 3)
        }
    }

    @Test("reads back whatever texts it wrote")
    func randomTexts() throws {
        let seed = SeededGenerator.testSeed("random texts in CSV")
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("a\",\n\r \u{1F600}{=;'\t").map(String.init)
        let server = try TestServer(schema: Self.schema)
        let other = try TestServer(schema: Self.schema)
        for index in 0..<200 {
            let name = (0..<Int.random(in: 0...8, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? ""
            }.joined()
            let text = name.unicodeScalars.map { scalar in
                scalar.value < 32 || scalar == "\"" || scalar == "\\"
                    ? "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
                    : String(scalar)
            }.joined()
            let reply = server.send(
                "POST", "/v1/classes/Row/objects", #"{"id":"\#(index)\#(text)","nick":"\#(text)"}"#)
            #expect(reply.status == 201)
        }
        let exported = server.send("GET", "/v1/classes/Row/export", headers: Self.wantsCSV).text
        let report = try Importing.report(exported, into: other.store, "Row", pieceByteCount: 3) {
            $0.format = .csv
        }
        #expect(report.codes == [], "seed \(seed)")
        #expect(
            other.send("GET", "/v1/classes/Row/export").text
                == server.send("GET", "/v1/classes/Row/export").text, "seed \(seed)")
    }
}
