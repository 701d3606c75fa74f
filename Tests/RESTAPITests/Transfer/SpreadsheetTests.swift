import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastTransfer
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("CSV as spreadsheets write it")
struct SpreadsheetTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Sale", primaryKey: "nr",
            properties: [
                Schemas.property("nr", .int), Schemas.property("name", .string, optional: true),
                Schemas.property("sum", .double, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("isPaid", .bool, optional: true),
                Schemas.property("day", .date, optional: true),
                Schemas.property("month", .date, optional: true),
            ]),
        ObjectClass(
            name: "Made", primaryKey: "id",
            properties: [
                Schemas.property("id", .objectID), Schemas.property("a", .string, optional: true),
                Schemas.property("b", .string, optional: true),
            ]),
        ObjectClass(
            name: "Named", primaryKey: "key",
            properties: [
                Schemas.property("key", .string, optional: true),
                Schemas.property("a", .string, optional: true),
                Schemas.property("A", .string, optional: true),
            ]),
    ])

    private static func send(
        _ text: String, _ parameters: String, to server: TestServer, _ name: String = "Sale"
    ) -> HTTPClient.Reply {
        server.client.send(
            "POST", "/v1/classes/\(name)/import\(parameters)",
            headers: [("Content-Type", "text/csv")], body: Array(text.utf8))
    }

    @Test(
        "is read as it is",
        arguments: [
            (
                "nr;sum;price\n1;9.429,59;-1.234.567,5\n", "?delimiter=%3B&decimalComma=true",
                #""sum":9429.59,"price":"-1234567.5""#
            ),
            (
                "nr;sum;price\n1.000;1.234;+1.012,5\n", "?delimiter=%3B&decimalComma=true",
                #""nr":1000,"name":null,"sum":1234.0,"price":"1012.5""#
            ),
            (
                "nr;day;month\n1;31.12.2020;03/2021\n",
                "?delimiter=%3B&dateFormat=%25d.%25m.%25Y&dateFormat=month=%25m/%25Y",
                #""day":"2020-12-31T00:00:00Z","month":"2021-03-01T00:00:00Z""#
            ),
            (
                "nr;Am;month\n1;31.12.2020;2021-03-01T00:00:00Z\n",
                "?delimiter=%3B&map=Am=day&dateFormat=Am=%25d.%25m.%25Y",
                #""day":"2020-12-31T00:00:00Z","month":"2021-03-01T00:00:00Z""#
            ),
            ("nr,isPaid\n1,Ja\n", "?trueWord=ja&falseWord=nein", #""isPaid":true"#),
            ("nr,isPaid\n1,nein\n", "?trueWord=ja&falseWord=nein", #""isPaid":false"#),
            ("nr,isPaid\n1,yes\n", "?trueWord=ja", #""isPaid":true"#),
            ("nr,isPaid\n1,0\n", "?trueWord=0&falseWord=1", #""isPaid":true"#),
            ("nr,name\r1,a\r", "", #""nr":1,"name":"a""#),
            ("\r\rnr,name\r1,\"a\rb\"", "", #""nr":1,"name":"a\nb""#),
            ("nr,name\r\n1,a\r\n", "", #""nr":1,"name":"a""#),
            ("sep=;\nnr;name\n1;a,b\n", "", #""nr":1,"name":"a,b""#),
            ("sep=;\r\nnr;name\r\n1;a\r\n", "?delimiter=%3B", #""nr":1,"name":"a""#),
            ("\u{FEFF}sep=\t\rnr\tname\r1\ta\r", "", #""nr":1,"name":"a""#),
            ("nr,name,sum\n\n,,\n , ,\t\n1,a,5\n,,\n,,,,\n", "", #""nr":1,"name":"a","sum":5.0"#),
            (
                " nr , sum ,isPaid,day\n 1 , 5. , yes , 2020-12-31T00:00:00Z \n", "",
                #""sum":5.0,"price":null,"isPaid":true,"day":"2020-12-31T00:00:00Z""#
            ),
            ("nr,name,sum\n1, \"a, b\" , \"+.5\"\t\n", "", #""name":"a, b","sum":0.5"#),
            ("nr,name\n1, a \n", "", #""name":" a ""#), ("nr,sum\n007,007\n", "", #""sum":7.0"#),
            ("NR,Name,ispaid\n1,a,1\n", "", #""name":"a","sum":null,"price":null,"isPaid":true"#),
        ])
    func read(text: String, parameters: String, expected: String) throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.send(text, parameters, to: server)
        #expect(reply.text.contains(#""imported":1,"failed":0"#), "\(text): \(reply.text)")
        let objects = server.send("GET", "/v1/classes/Sale/objects").text
        #expect(objects.contains(expected), "\(text): \(objects)")
    }

    @Test("comes in pieces of any size")
    func pieces() throws {
        let text = "sep=;\rnr;name\r;\r1;\"a\r\"\"\" \r2;b"
        for pieceByteCount in 1...text.utf8.count {
            let server = try TestServer(schema: Self.schema)
            let report = try Importing.report(
                text, into: server.store, "Sale", pieceByteCount: pieceByteCount
            ) { $0.format = .csv }
            #expect(report.importedCount == 2 && report.faults.isEmpty, "\(report.faults)")
        }
    }

    @Test(
        "is refused with the line, the column, the cell and a way out",
        arguments: [
            ("nr,sum\n1,\"9.429,59\"\n", "", "'9.429,59' is not a number. Decimal commas are"),
            (
                "nr;sum\n1;94.29,59\n", "?delimiter=%3B&decimalComma=true",
                "Line 2, column 'sum': '94.29,59' is not a number with a decimal comma"
            ),
            ("nr;price\n1;1,5.0\n", "?delimiter=%3B&decimalComma=true", "'1,5.0' is not"),
            ("nr;sum\n1;x.123\n", "?delimiter=%3B&decimalComma=true", "'x.123' is not"),
            ("nr,isPaid\n1,ja\n", "", "'ja' is not true or false. Other words are options"),
            ("nr,day\n1,31.12.2020\n", "", "--date-format"),
            ("nr,day\n1,x\n", "?dateFormat=day=%25Y", "'x' is not a date of the form '%Y'"),
            ("nr,day\n1,x\n", "?dateFormat=Day=%25Y", "It has no column 'Day'"),
            ("nr,name\n1,x\n", "?dateFormat=name=%25Y", "is not a date"),
            ("nr,name\n1,\"a\" \"b\"\n", "", "ends with its closing quote"),
            ("sep=x\nnrxname\n1xa\n", "", "no property 'sep=x'"),
            (
                "nr,nam,xylophone,yesterday\n1,,,\n", "",
                "columns 2 ('nam', did you mean 'name'?), 3 ('xylophone'), 4 ('yesterday'). Rename them"
            ),
        ])
    func refused(text: String, parameters: String, expected: String) throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.send(text, parameters, to: server)
        #expect(reply.status == 422 && reply.text.contains(expected), "\(text): \(reply.text)")
    }

    @Test("is Windows-1252 if an option says so, in pieces of any size")
    func encodings() throws {
        let server = try TestServer(schema: Self.schema)
        let text = Array("nr;Stra".utf8) + [0xDF] + Array("e\n1;".utf8) + [0x80, 0xFC, 0x81, 0x0A]
        let path = "/v1/classes/Sale/import"
        let options = "?delimiter=%3B&encoding=windows-1252&map=Stra%C3%9Fe=name"
        let reply = server.client.send(
            "POST", path + options, headers: [("Content-Type", "text/csv")], body: text)
        #expect(reply.text.contains(#""imported":1,"failed":0"#), "\(reply.text)")
        let name = server.send("GET", "/v1/classes/Sale/objects/1?fields=name").text
        #expect(name == "{\"name\":\"€ü\u{81}\"}")
        for pieceByteCount in [1, 3] {
            let result = Importing.run(
                text, into: server.store, "Sale", pieceByteCount: pieceByteCount
            ) { options in
                options.format = .csv
                options.mode = .merge
                options.csv.delimiter = UInt8(ascii: ";")
                options.csv.encoding = .windows1252
                let isTaken = options.names.map("Straße=name")
                #expect(isTaken)
            }
            #expect(try #require(result).get().importedCount == 1)
        }
        for (type, options, message) in [
            ("text/csv", "?encoding=latin", "'encoding' is utf-8 or windows-1252"),
            ("application/x-ndjson", "?encoding=windows-1252", "'encoding' is for CSV"),
        ] {
            let refused = server.client.send(
                "POST", path + options, headers: [("Content-Type", type)], body: text)
            #expect(refused.status == 400 && refused.text.contains(message), "\(refused.text)")
        }
    }

    @Test("has equal faults together over HTTP, also of lines that the reply does not list")
    func groupsOverHTTP() throws {
        let server = try TestServer(schema: Self.schema)
        let rows = (1...1842).map { "\($0);9.429,\($0)" }.joined(separator: "\n")
        let reply = Self.send(
            "nr;sum\n0;1\n" + rows + "\nx;1\n", "?delimiter=%3B", to: server)
        let report = try #require(QueryJSON(reply.text))
        #expect(report["errors"]?.elements.count == 1000)
        let groups = try #require(report["groups"]?.elements)
        #expect(groups.compactMap { $0["lines"]?.text } == ["1842", "1"])
        #expect(groups.compactMap { $0["line"]?.text } == ["3", "1845"])
        #expect(groups.compactMap { $0["column"]?.text } == ["2", "1"])
        let detail = groups.first?["detail"]?.string ?? ""
        #expect(
            detail.hasPrefix("Line 3, column 'sum': '9.429,1' is not a number."), "\(detail)")
        let fine = Self.send("nr\n5000\n", "", to: server).text
        #expect(fine.contains(#""errors":[],"version""#), "\(fine)")
    }

    @Test("has blank records that are no objects, unless a null key or the only column says so")
    func blankRecords() throws {
        let server = try TestServer(schema: Self.schema)
        for (name, text, count) in [
            ("Made", "id,a,b\n,,\n,x,\n,\"\",\n", 2), ("Made", "a,b\n,\nx\n", 0),
            ("Made", "a\n\nx\n", 2), ("Named", "key,a\n,\n", 1),
        ] {
            let reply = Self.send(text, "", to: server, name)
            #expect(reply.text.contains(#""imported":\#(count),"#), "\(text): \(reply.text)")
        }
    }

    @Test("has names that stand for a property of another case only if that is the only one")
    func cases() throws {
        let server = try TestServer(schema: Self.schema)
        #expect(Self.send("KEY,a,A\nx,b,c\n", "", to: server, "Named").status == 200)
        APIScenario(
            "GET", "/v1/classes/Named/objects", status: 200,
            contains: [#""key":"x","a":"b","A":"c""#]
        ).check(on: server)
        let twice = Self.send("nr,NR\n1,2\n", "", to: server)
        #expect(twice.status == 422 && twice.text.contains("no property 'NR'"), "\(twice.text)")
        let skipped = Self.send("nr,NAME\n1,a\n", "?skip=NAME", to: server)
        #expect(skipped.status == 200, "\(skipped.text)")
    }

    @Test("has equal faults, which are counted together beyond the listed ones")
    func groups() throws {
        let server = try TestServer(schema: Self.schema)
        let rows = (1...2000).map {
            "\($0),\($0 % 2 == 0 ? "9.4 \($0)" : "1"),\($0 == 7 ? "x" : "")"
        }
        let report = try Importing.report(
            "nr,sum,day\n\(rows.joined(separator: "\n"))\n1,2\n3\n", into: server.store, "Sale"
        ) {
            $0.format = .csv
            $0.groupsFaults = true
            $0.faultCountMax = 10
        }
        #expect(report.failedCount == 1003 && report.faults.count == 10)
        #expect(
            report.groups?.list.map(\.text) == [
                "1,000 lines, column 'sum', first line 3: '9.4 2' is not a number. (wrong-type)",
                "Line 8, column 'day': 'x' is not a date of RFC 3339, such as \"2026-11-20T06:38:58Z\". "
                    + "Another form is an option: --date-format '%d.%m.%Y' (over HTTP dateFormat). "
                    + "(invalid-date)",
                "2 lines, first line 2002: The record has 2 cells; the header has 3. (malformed-csv)",
            ])
    }

    @Test("is told from extended JSON, which names its option")
    func extendedJSON() throws {
        let server = try TestServer(schema: Self.schema)
        let line = #"{"nr":{"$numberInt":"x"},"_id":{"$oid":"0123456789abcdef01234567"}}"#
        for (text, isNamed) in [(line, true), (#"{"nr":"$oid"}"#, false)] {
            let report = try Importing.report(
                "{\"nr\":1}\n\(text)\n\(text)\n", into: server.store, "Sale"
            ) { $0.mode = .merge }
            let named = report.faults.filter { $0.fault.detail.contains("--extended-json") }
            #expect(Set(named.map(\.line)) == (isNamed ? [2] : []), "\(report.faults)")
        }
    }
}
