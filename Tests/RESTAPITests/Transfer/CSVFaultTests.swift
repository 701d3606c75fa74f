import HoldfastTransfer
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("The fault of a cell of CSV")
struct CSVFaultTests {
    @Test(
        "says the line, the column and the text of the cell",
        arguments: [
            ("id,ratio,flag", "a,.x5,yes", 2, "Line 3, column 'ratio': '.x5' is not a number."),
            ("ratio,id,count", "1,a,1.5", 3, "Line 3, column 'count': '1.5' is not an int."),
            ("id,flag", "a,maybe", 2, "Line 3, column 'flag': 'maybe' is not true or false."),
            ("id,price", "a,1e", 2, "Line 3, column 'price': '1e' is not a decimal number"),
            ("id,at", "a,soon", 2, "Line 3, column 'at': 'soon' is not a date of RFC 3339"),
            ("id,bytes", "a,?", 2, "Line 3, column 'bytes': '?' is not a string of base64."),
            ("id,oid", "a,ObjectId(1)", 2, "column 'oid': 'ObjectId(1)' is not a string of 24"),
            ("uuid,id", "5,a", 1, "Line 3, column 'uuid': '5' is not a UUID"),
            ("id,item", "a,x", 2, "Line 3, column 'item': 'x' is not a key of class 'Item'."),
            ("id,item", "a,77", 2, "Line 3, column 'item': '77' is refused. There is no object"),
            ("id,small", "a,300", 2, "Line 3, column 'small': '300' is refused. The value of"),
            ("id,small", "a,", 2, "Line 3, column 'small': The cell is empty. 'small' is not opt"),
            ("name,id", "a,", 2, "Line 3, column 'id': The cell is empty. 'id' is the primary"),
            ("name,id", "a,first", 2, "Line 3, column 'id': 'first' is refused. An object of"),
            ("name,nick", "a,b", nil, "Line 3: 'id' is the primary key of class 'Row'"),
            ("id,name,nick", "a,b\"c,d", 2, "column 'name': A cell with a quote in it has to"),
            ("id,name,nick", "a,b\"c,d", 2, "Found 'b\"c'."),
            ("id,name,nick", "a,\"b\"c,d", 2, "Line 3, column 'name': A quoted cell ends with"),
            ("id,name", "a,\"b", 2, "Line 3, column 'name': A cell is quoted and has no closing"),
            ("id,name", "a,b,\"c\"d", 3, "Line 3, column 3: A quoted cell ends with"),
            ("id,name", "a,b,c", nil, "Line 3: The record has 3 cells; the header has 2."),
        ] as [(String, String, Int?, String)])
    func namedCells(header: String, record: String, column: Int?, detail: String) throws {
        let server = try TestServer(schema: CSVTests.schema)
        #expect(server.send("PUT", "/v1/classes/Row/objects/first", "{}").status == 201)
        let report = try Importing.report("\(header)\n\n\(record)\n", into: server.store, "Row") {
            $0.format = .csv
        }
        let fault = try #require(report.faults.first)
        #expect(fault.line == 3 && fault.fault.column == column, "\(fault)")
        #expect(fault.fault.detail.contains(detail), "\(fault.fault.detail)")
        #expect(report.faults.count == 1)
    }

    @Test(
        "says them of columns that are renamed and written otherwise, and of a long text its beginning"
    )
    func namedForms() throws {
        let server = try TestServer(schema: CSVTests.schema)
        let long = String(repeating: "ä", count: 100)
        let report = try Importing.report(
            "Nr;x;Preis;Wann;n\na;;1.5;;0\nb;;;31.4.20;0\nc;;1,x;;0\nd;;;;\(long)\ne;;;;1e999\n",
            into: server.store, "Row"
        ) {
            $0.format = .csv
            $0.csv.delimiter = UInt8(ascii: ";")
            $0.csv.hasDecimalComma = true
            $0.csv.dates = DateFormat("%d.%m.%Y")
            for text in ["Nr=id", "Preis=price", "Wann=at", "n=ratio"] { _ = $0.names.map(text) }
            $0.names.skip("x")
        }
        #expect(
            report.faults.map(\.fault.detail) == [
                "Line 2, column 'Preis': '1.5' is not a number with a decimal comma: points stand only between "
                    + "thousands, as in '9.429,59'.",
                "Line 3, column 'Wann': '31.4.20' is not a date of the form '%d.%m.%Y'.",
                "Line 4, column 'Preis': '1,x' is not a decimal number of at most 34 digits, such as \"1.10\".",
                "Line 5, column 'n': '\(long.prefix(31))…' is not a number.",
                "Line 6, column 'n': '1e999' is refused. The value of 'ratio' is outside the range of a double.",
            ])
        #expect(report.faults.map(\.fault.column) == [3, 4, 3, 5, 5])
    }

    @Test("says them in lines that waited for others, and in an import of all or nothing")
    func namedLater() throws {
        for isAtomic in [false, true] {
            let server = try TestServer(schema: CSVTests.schema)
            let report = try Importing.report(
                "next,id,name\nb,a,\nx,c,\n,b,\n", into: server.store, "Row"
            ) {
                $0.format = .csv
                $0.isAtomic = isAtomic
                $0.chunkLineCount = 1
            }
            #expect(report.codes == ["3 dangling-link"], "\(report.faults)")
            let fault = try #require(report.faults.first?.fault)
            #expect(
                fault.column == 1
                    && fault.detail.hasPrefix("Line 3, column 'next': 'x' is refused."),
                "\(fault)")
        }
    }

    @Test("says them where the text is not UTF-8")
    func encodings() throws {
        let server = try TestServer(schema: CSVTests.schema)
        let result = Importing.run(
            Array("id,name\na,M".utf8) + [0xFC] + Array("ller\nb,Müller\n".utf8),
            into: server.store, "Row"
        ) { $0.format = .csv }
        let report = try #require(result).get()
        #expect(report.codes == ["2 malformed-csv"] && report.importedCount == 1)
        let fault = try #require(report.faults.first?.fault)
        #expect(
            fault.column == 2
                && fault.detail.hasPrefix("Line 2, column 'name': 'M\u{FFFD}ller' is not UTF-8."),
            "\(fault)")
    }
}
