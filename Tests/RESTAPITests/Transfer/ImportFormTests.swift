import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("Forms of imports")
struct ImportFormTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Row", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string, optional: true),
                Schemas.property("flag", .bool, optional: true),
                Schemas.property("ratio", .double, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("at", .date, optional: true),
                Schemas.property("bytes", .data, optional: true), Schemas.list("tags", .string),
            ])
    ])

    private static func csv(
        _ text: String, _ parameters: String, to server: TestServer
    ) -> HTTPClient.Reply {
        server.client.send(
            "POST", "/v1/classes/Row/import\(parameters)", headers: [("Content-Type", "text/csv")],
            body: Array(text.utf8))
    }

    @Test(
        "of CSV are what spreadsheets and databases write",
        arguments: [
            ("id;name\n1;a\n", "?delimiter=%3B", #""name":"a""#),
            ("id\tname\n1\ta;b\n", "?delimiter=tab", #""name":"a;b""#),
            (
                "id|ratio|price\n1|1,5|-2,50\n", "?delimiter=%7C&decimalComma=true",
                #""ratio":1.5,"price":"-2.50""#
            ),
            ("id,flag\n1,TRUE\n", "", #""flag":true"#), ("id,flag\n1,yes\n", "", #""flag":true"#),
            ("id,flag\n1,No\n", "", #""flag":false"#), ("id,flag\n1,0\n", "", #""flag":false"#),
            (
                "id,flag,ratio,at\n1,\"\",\"\",\"\"\n", "",
                #""flag":null,"ratio":null,"price":null,"at":null"#
            ),
            (
                "id,at\n1,31.12.2020\n", "?dateFormat=%25d.%25m.%25Y",
                #""at":"2020-12-31T00:00:00Z""#
            ),
            (
                "id,at\n1,2020-12-31 01:00:00.25\n", "?dateFormat=%25Y-%25m-%25d+%25H:%25M:%25S",
                #""at":"2020-12-31T01:00:00.25Z""#
            ),
            (
                "id,at\n1,31/12/2020 01:00 +0100\n", "?dateFormat=%25d/%25m/%25Y+%25H:%25M+%25z",
                #""at":"2020-12-31T00:00:00Z""#
            ),
            ("id,at\n1,4/15/91\n", "?dateFormat=%25m/%25d/%25y", #""at":"1991-04-15T00:00:00Z""#),
            ("id,at\n1,20210415\n", "?dateFormat=%25Y%25m%25d", #""at":"2021-04-15T00:00:00Z""#),
            ("id,at\n1,0091-04-15\n", "?dateFormat=%25F", #""at":"0091-04-15T00:00:00Z""#),
            ("id,at\n1,100% 2021\n", "?dateFormat=100%25%25+%25Y", #""at":"2021-01-01T00:00:00Z""#),
            ("Nr,E-Mail,x\n1,a,b\n", "?map=Nr=id&map=E-Mail=name&skip=x", #""name":"a""#),
            ("id,name,x,y\n1,a,b,\n", "?unknown=ignore", #""name":"a""#),
        ])
    func forms(text: String, parameters: String, expected: String) throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.csv(text, parameters, to: server)
        #expect(
            reply.status == 200 && reply.text.contains(#""imported":1,"failed":0"#), "\(reply.text)"
        )
        let object = server.send("GET", "/v1/classes/Row/objects/1").text
        #expect(object.contains(expected), "\(object)")
    }

    @Test(
        "of numbers in CSV are those of other programs, in columns of any type",
        arguments: [
            (".5", 0.5), ("-.25", -0.25), ("5.", 5), ("+5", 5), ("004", 4), ("0815", 815),
            ("-007.50", -7.5), ("+.5e+1", 5), ("000", 0), ("1E5", 100_000),
        ] as [(String, Double)])
    func numbers(text: String, value: Double) throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "Row", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int), Schemas.property("count", .int),
                    Schemas.property("ratio", .double), Schemas.property("half", .float),
                    Schemas.property("price", .decimal128), Schemas.link("next", "Row"),
                ])
        ])
        let isWhole = value == value.rounded() && value > 0
        for hasComma in [false, true] {
            let server = try TestServer(schema: schema)
            let cell = hasComma ? text.replacing(".", with: ",") : text
            let header = "ratio|half|price" + (isWhole ? "|count|id|next" : "|id")
            let cells = Array(repeating: cell, count: isWhole ? 6 : 3) + (isWhole ? [] : ["1"])
            let reply = Self.csv(
                "\(header)\n\(cells.joined(separator: "|"))\n",
                "?delimiter=%7C&decimalComma=\(hasComma)", to: server)
            #expect(reply.text.contains(#""imported":1,"failed":0"#), "\(cell): \(reply.text)")
            let page = server.send("GET", "/v1/classes/Row/objects").text
            let object = try #require(QueryJSON(page)?["objects"]?.elements.first, "\(page)")
            for name in ["ratio", "half"] + (isWhole ? ["count", "id", "next"] : []) {
                let found = try #require(object[name])
                #expect(
                    found == .double(value) || found == .int(Int64(value)),
                    "\(name) \(cell): \(page)")
            }
        }
    }

    @Test(
        "that are no numbers are no numbers in any column",
        arguments: [".", "+", "-", "4%", "0x10", "--4", "+-4", "1.2.3", "1e", "e5", "1 000", "x5"])
    func noNumbers(text: String) throws {
        let server = try TestServer(schema: Self.schema)
        for name in ["id", "ratio", "price"] {
            let reply = Self.csv("name,\(name)\na,\(text)\n", "", to: server)
            #expect(reply.status == 422, "\(name) \(text): \(reply.text)")
        }
    }

    @Test(
        "that are not the text's are told with a way out",
        arguments: [
            ("id;name\n1;a\n", "", "semicolons"), ("id\tname\n1\ta\n", "", "delimiter=tab"),
            ("id,name\n1,a\n", "?delimiter=%3B", "commas"),
            ("id,ratio\n1,1.5\n", "?decimalComma=true", "points stand only between"),
            ("id,price\n1,1.5\n", "?decimalComma=true", "points stand only between"),
            ("id,at\n1,31.4.x\n", "?dateFormat=%25d.%25m.%25Y", "not a date of the form"),
            ("id,at\n1,31.04.2020\n", "?dateFormat=%25d.%25m.%25Y", "not a date of the form"),
            ("id,at\n1,26.06.26\n", "?dateFormat=%25d.%25m.%25Y", "not a date of the form"),
            ("id,at\n1,26.06. 26\n", "?dateFormat=%25d.%25m.+%25EY", "not a date of the form"),
            ("id,at\n1,126-06-26\n", "?dateFormat=%25F", "not a date of the form"),
            ("id,at\n1,Fri Jun 26 10:00:00 26\n", "?dateFormat=%25c", "not a date of the form"),
            ("id,nam\n1,a\n", "", #""hint":"name""#), ("id,nam\n1,a\n", "", "unknown=ignore"),
            ("id,tags\n1,a\n", "?unknown=ignore", "is a collection"),
            ("id,a\n1,a\n", "?map=a=id", "names 'id' again"),
        ])
    func faults(text: String, parameters: String, expected: String) throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.csv(text, parameters, to: server)
        #expect(reply.status == 422 && reply.text.contains(expected), "\(reply.text)")
    }

    @Test(
        "of CSV with a wrong quote lose the line that has it, and no other",
        arguments: [1, 7, 1000])
    func wrongQuotes(pieceByteCount: Int) throws {
        let store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(Self.schema, in: store)
        let text =
            "id,name\n1,\"a\n2,b\n3,\"c\"\n4,\"d\ne\"\n5,f\"g\n6,h\n7,\"i\n8,\"j\"\"\"\n9,k\n10,\"l\n11,m\n12,n"
        let report = try Importing.report(text, into: store, "Row", pieceByteCount: pieceByteCount)
        {
            $0.format = .csv
        }
        #expect(report.importedCount == 8, "\(report.faults)")
        #expect(
            report.codes == [2, 7, 9, 12].map { "\($0) malformed-csv" }, "\(report.faults)")
    }

    @Test("of CSV that are wrong in every line cost no more than their length")
    func manyWrongQuotes() throws {
        let store = try Store(engine: try EngineCase.memory.open())
        try TestServer.put(Self.schema, in: store)
        let text = "id,name\n" + String(repeating: "1,\"\"\"a\n", count: 100_000)
        let report = try Importing.report(text, into: store, "Row") { $0.format = .csv }
        #expect(report.importedCount == 0 && report.failedCount > 0)
    }

    @Test("that parameters can't mean are 400")
    func parameters() throws {
        let server = try TestServer(schema: Self.schema)
        let ndjson = [("Content-Type", "application/x-ndjson")]
        for parameters in [
            "delimiter=ab", "delimiter=a", "delimiter=%22", "dateFormat=Y", "map=id",
            "map=a=b&map=a=c",
            "map==b", "map=a=name&skip=a", "unknown=x", "decimalComma=1", "trueWord=",
            "trueWord=ja&falseWord=JA", "dateFormat=%25Y&dateFormat=%25y", "dateFormat=a=b",
            "dateFormat=a=%25Y&dateFormat=a=%25y", "dateFormat=%25", "dateFormat=%25d.%25m",
            "dateFormat=%25Y%25Y",
        ] {
            #expect(
                Self.csv("id\n1\n", "?\(parameters)", to: server).status == 400, "\(parameters)")
        }
        for parameters in [
            "delimiter=%3B", "decimalComma=true", "dateFormat=%25Y", "dateFormat=a=%25Y",
            "trueWord=ja", "falseWord=nein", "map=a=b", "skip=a",
        ] {
            APIScenario(
                "POST", "/v1/classes/Row/import?\(parameters)", "", headers: ndjson, status: 400,
                contains: ["CSV"]
            ).check(on: server)
        }
    }

    @Test(
        "are UTF-8, and the fault of another encoding names the option or the program that reads it"
    )
    func encodings() throws {
        let server = try TestServer(schema: Self.schema)
        func send(_ type: String, _ body: [UInt8]) -> HTTPClient.Reply {
            server.client.send(
                "POST", "/v1/classes/Row/import", headers: [("Content-Type", type)], body: body)
        }
        let utf16 = "id,name\n1,a\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        for type in ["text/csv", "application/x-ndjson"] {
            let reply = send(type, [0xFF, 0xFE] + utf16)
            #expect(reply.status == 400 && reply.text.contains("iconv"), "\(reply.text)")
        }
        let latin = send("text/csv", Array("id,name\n1,".utf8) + [0xFC, 0x0A])
        #expect(latin.status == 422 && latin.text.contains("encoding=windows-1252"))
        let header = send("text/csv", Array("id,n".utf8) + [0xFC, 0x0A])
        #expect(header.status == 422 && header.text.contains("encoding=windows-1252"))
        let json = send("application/x-ndjson", Array("{\"n".utf8) + [0xFC, 0x0A])
        #expect(json.status == 422 && json.text.contains("WINDOWS-1252"))
        #expect(send("text/csv", [0xEF, 0xBB, 0xBF] + Array("id\n1\n".utf8)).status == 200)
    }

    @Test("hold base64 with broken lines")
    func brokenBase64() throws {
        let server = try TestServer(schema: Self.schema)
        let digits = String(repeating: "A", count: 76)
        let value = #"\#(digits)\r\n\#(digits)\nAP8=\n"#
        APIScenario(
            "POST", "/v1/classes/Row/objects", #"{"id":1,"bytes":"\#(value)"}"#, status: 201
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Row/objects/1", status: 200, contains: ["\(digits)\(digits)AP8="]
        ).check(on: server)
    }

    @Test("of which no line is taken are 422 with the report, and 200 when one is")
    func nothingTaken() throws {
        let server = try TestServer(schema: Self.schema)
        let ndjson = [("Content-Type", "application/x-ndjson")]
        func scenario(_ body: String, _ status: Int, _ contains: [String], _ query: String = "") {
            APIScenario(
                "POST", "/v1/classes/Row/import\(query)", body, headers: ndjson, status: status,
                contains: contains
            ).check(on: server)
        }
        scenario(
            "{\"id\":\"x\"}\n{", 422,
            [
                #""status":422,"code":"nothing-imported""#, "No line was taken: 2 are faulty",
                "Content-Type: text/csv",
                #""imported":0,"failed":2,"errors":[{"line":1,"code":"wrong-type""#,
                #""version":""#,
            ])
        scenario("", 200, [#""imported":0,"failed":0"#])
        scenario("{\"id\":1}\n{", 200, [#""imported":1,"failed":1"#])
        scenario("{\"id\":1}\n{", 200, [#""imported":0,"failed":1,"ignored":1"#], "?mode=ignore")
        scenario("{\"id\":2}\n{", 422, [#""imported":0,"failed":1"#], "?atomic=true")
    }

    @Test("that are compressed become as much as they may, and not by one byte more")
    func inflation() throws {
        let ratio = 2
        var options = RESTOptions()
        options.inflationRatioMax = ratio
        let server = try TestServer(schema: Self.schema, options: options)
        let packedCount = 9000
        let limit = (1 << 20) + ratio * packedCount
        for (count, status) in [(limit, 200), (limit + 1, 413)] {
            // A name in gzip's header (RFC 1952, section 2.3) makes it as long as is wanted.
            var packed = Gzip.pack([UInt8](repeating: 0x0A, count: count))
            let nameCount = packedCount - packed.count - 1
            #expect(nameCount > 0)
            packed[3] |= 8
            packed.insert(
                contentsOf: [UInt8](repeating: 97, count: max(0, nameCount)) + [0], at: 10)
            let reply = server.client.send(
                "POST", "/v1/classes/Row/import",
                headers: [("Content-Type", "application/x-ndjson"), ("Content-Encoding", "gzip")],
                body: packed)
            #expect(reply.status == status, "\(count): \(reply.text)")
            #expect(reply.text.contains("inflation-too-large") == (status == 413))
        }
    }

    @Test("take back a line that an export made of the largest values", arguments: EngineCase.all)
    func longLines(engine: EngineCase) throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "Node", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int), Schemas.property("a", .string),
                    Schemas.property("b", .string),
                ])
        ])
        func store() throws -> Store {
            let store = try Store(engine: try engine.open(valueByteCountMax: 64 << 20))
            try TestServer.put(schema, in: store)
            return store
        }
        let value = String(repeating: "x", count: ModelLimits.valueByteCountMax)
        let first = try store()
        let lines = #"{"id":1,"a":"\#(value)","b":"\#(value)"}"#
        #expect(lines.utf8.count > 32 << 20)
        #expect(try Importing.report(lines, into: first).importedCount == 1)
        let exported = try Importing.export(first).joined(separator: "\n")
        let second = try store()
        #expect(try Importing.report(exported + "\n{\"id\":2}\n", into: second).importedCount == 2)
    }
}
