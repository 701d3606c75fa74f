import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastTransfer
import Testing

@Suite("Imports into proposed classes")
struct GuessedImportTests {
    /// Makes the proposed classes, and imports the text that they were proposed for without a fault.
    private static func imported(_ text: String, _ proposal: ClassProposal) throws -> TestService {
        let service = try TestService(classes: proposal.embedded + [proposal.objectClass])
        let outcome = try service.import(proposal.objectClass.name, text) {
            $0 = proposal.reading.applied(to: $0)
        }
        let report = try #require(outcome)
        #expect(report.failedCount == 0, "\(report.faults.map(\.text)) \(text)")
        #expect(report.importedCount == proposal.objectCount, "\(text)")
        return service
    }

    @Test(
        "of CSV have no fault, and the export has the values",
        arguments: [
            (
                "id,name,zip,ratio,paid,at\n1,Ann,01067,1.5,true,2026-01-02T00:00:00Z\n2,Bob,10115,0.25,false,\n",
                nil
            ),
            (
                "Nr;Umsatz €;Am;Bezahlt\n1;9.429,59;31.12.2025;ja\n2;;02.01.2026;nein\n",
                "Nr,Umsatz,Am,Bezahlt\n1,9429.59,2025-12-31T00:00:00Z,true\n2,,2026-01-02T00:00:00Z,false\n"
            ),
            ("key\tv\nb\t1\na\t\n", "key,v\nb,1\na,\n"),
            ("id,a,\n1,x,\n2,y,\n", "id,a\n1,x\n2,y\n"),
            ("id,s\n1,\n2,\"\"\n3,a\n", nil),
            ("sep=;\nid;1st;a.b\n1;x;y\n", "id,_1st,a_b\n1,x,y\n"),
            ("id,w\n1,\"1,234\"\n2,5\n", nil),
            ("id,v,w\n1,1.9,+5\n2,1.10,0\n", nil),
            (
                "id,o\n123e4567-e89b-12d3-a456-426614174000,ObjectId(64b7f0c2a1b2c3d4e5f60718)\n",
                "id,o\n123e4567-e89b-12d3-a456-426614174000,64b7f0c2a1b2c3d4e5f60718\n"
            ),
        ] as [(String, String?)])
    func csv(text: String, expected: String?) throws {
        let proposal = try Guessing.proposal(text)
        let service = try Self.imported(text, proposal)
        let exported = try service.export("Item", isCSV: true).replacing("\r\n", with: "\n")
        #expect(exported == expected ?? text)
        // The export is a text for the same class.
        let again = try Guessing.proposal(exported)
        #expect(Guessing.short(again.objectClass) == Guessing.short(proposal.objectClass))
    }

    @Test("of a German spreadsheet have a sensible type for each column")
    func spreadsheet() throws {
        let text = #"""
            sep=;\#r
            Rechnungsnr;Kunde;Straße;Hausnr;PLZ;Ort;Land;Bestellt am;Bezahlt am;Bezahlt;Umsatz €;Rabatt %;Menge;Gewicht (kg);E-Mail;Telefon;Größe;Geändert;Gültig;Bemerkung\#r
            1000001;Björn Weiß;Hauptstraße;19;48998;Würzburg;DE;17.04.2015;03.07.2021;ja;17.464,32;2,7;435;88,675;weiss0@example.org;09294/2087052;M;21.11.2024 01:36;nein;"sagt ""später"""\#r
            1000002;Käthe Müller;Königsallee;75b;01067;Köln;AT;19.05.2023;;nein;764,38;17,1;193;1.558,603;mueller1@example.org;09004/1063424;S;20.04.2022 21:34;ja;\#r
            ;;;;;;;;;;;;;;;;;;;\#r
            1000003;Özlem Groß;Am Mühlbach;3;99998;Görlitz;CH;01.01.2024;02.01.2024;ja;0,50;0,0;1;0,010;gross2@example.org;030/12345;XL;01.01.2024 00:00;ja;nächste Woche\#r

            """#
        let proposal = try Guessing.proposal(text)
        #expect(
            Guessing.short(proposal.objectClass)
                == "Rechnungsnr int key, Kunde string, Straße string, Hausnr string, PLZ string, Ort string, "
                + "Land string, Bestellt am date, Bezahlt am date?, Bezahlt bool, Umsatz double, Rabatt double, Menge int, "
                + "Gewicht kg double, E-Mail string indexed, Telefon string, Größe string, Geändert date, Gültig bool, "
                + "Bemerkung string?")
        let exported = try Self.imported(text, proposal).export("Item")
        let second = [
            #"{"Rechnungsnr":1000002,"Kunde":"Käthe Müller","Straße":"Königsallee","Hausnr":"75b","PLZ":"01067","#,
            #""Ort":"Köln","Land":"AT","Bestellt am":"2023-05-19T00:00:00Z","Bezahlt am":null,"Bezahlt":false,"#,
            #""Umsatz":764.38,"Rabatt":17.1,"Menge":193,"Gewicht kg":1558.603,"E-Mail":"mueller1@example.org","#,
            #""Telefon":"09004/1063424","Größe":"S","Geändert":"2022-04-20T21:34:00Z","Gültig":true,"Bemerkung":null}"#,
        ].joined()
        #expect(exported.split(separator: "\n").dropFirst().first.map(String.init) == second)
    }

    @Test(
        "of JSON have no fault, and the export has the objects",
        arguments: [
            (
                #"""
                {"id":1,"a":1.5,"tags":["x"],"home":{"street":"a","no":5},"at":{"type":"Point","coordinates":[13.4,52.5]}}
                {"id":2,"a":2.0,"tags":[],"home":null,"at":null}

                """#, nil
            ),
            (
                #"[{"id":"a","d":"2026-01-02T03:04:05Z","m":{"2024":1}},{"id":"b","d":"2026-01-03T03:04:05Z","m":{}}]"#,
                #"""
                {"id":"a","d":"2026-01-02T03:04:05Z","m":{"2024":1}}
                {"id":"b","d":"2026-01-03T03:04:05Z","m":{}}

                """#
            ),
            (
                #"{"_id":{"$oid":"64b7f0c2a1b2c3d4e5f60718"},"n":{"$numberInt":"5"},"a b!":{"$date":{"$numberLong":"0"}}}"#,
                #"{"_id":"64b7f0c2a1b2c3d4e5f60718","n":5,"a b":"1970-01-01T00:00:00Z"}"# + "\n"
            ),
            (
                #"""
                {"type":"FeatureCollection","features":[
                {"type":"Feature","id":1,"properties":{"addr:no":5},"geometry":{"type":"Point","coordinates":[1.0,2.0]}},
                {"type":"Feature","id":2,"properties":{"addr:no":6},"geometry":null}],"count":2}
                """#,
                #"""
                {"id":1,"addr_no":5,"geometry":{"type":"Point","coordinates":[1.0,2.0]}}
                {"id":2,"addr_no":6,"geometry":null}

                """#
            ),
            (
                #"{"type":"Feature","id":3,"properties":{"nr":1},"geometry":{"type":"LineString","coordinates":[[1,2]]}}"#,
                #"{"id":3,"nr":1,"geometry":{"type":"LineString","coordinates":[[1,2]]}}"# + "\n"
            ),
            (
                #"{"id":1,"x":1,"y":[1,"a",null,[2]],"z":[{"p":[1,null]},{"p":[]}]}"# + "\n"
                    + #"{"id":2,"x":"b","y":[],"z":[]}"# + "\n", nil
            ),
        ] as [(String, String?)])
    func json(text: String, expected: String?) throws {
        let proposal = try Guessing.proposal(text)
        let service = try Self.imported(text, proposal)
        #expect(try service.export("Item") == expected ?? text)
    }

    @Test("links are imported as links, and exported by key")
    func links() throws {
        let country = ObjectClass(
            name: "Country", primaryKey: "iso", properties: [Schemas.property("iso", .string)])
        let service = try TestService(classes: [country])
        for iso in ["DE", "FR"] { try service.create("Country", #"{"iso":"\#(iso)"}"#) }
        let text = "id,country\n1,DE\n2,\n3,FR\n"
        let proposal = try Guessing.proposal(text, in: service)
        try service.store.setSchema([country, proposal.objectClass])
        let outcome = try service.import("Item", text) {
            $0 = proposal.reading.applied(to: $0)
        }
        let report = try #require(outcome)
        #expect(report.failedCount == 0 && report.importedCount == 3)
        let exported = try service.export("Item", isCSV: true).replacing("\r\n", with: "\n")
        #expect(exported == text)
    }

    // MARK: Random texts

    /// Makes the cells of a column, all of one kind or mixed.
    private static func cells(
        _ count: Int, _ random: inout SeededGenerator
    ) -> [String] {
        let texts = [
            "007", "+49", "-0", "1.9", "1.10", "12E4", "1,5", "1.234", "1,234", " a ", "", "x;y",
            "\"q\"", "a\nb", "ja", "nein", "NO", "31.12.2025", "1.2.2026", "2025-12-31", "é", "5",
            "0.1234567890123456789", "9223372036854775808", "true", "0", "1e5", "1.5e-7", ".5",
        ]
        let kind = Int.random(in: 0..<7, using: &random)
        let decimals = Int.random(in: 1...3, using: &random)
        return (0..<count).map { _ in
            let number = Int.random(in: -2000...2000, using: &random)
            if Int.random(in: 0..<10, using: &random) == 0 { return "" }
            switch kind {
            case 0: return "\(number)"
            case 1:
                let digits = "\(1000 + abs(number))".suffix(decimals)
                return "\(number).\(digits)"
            case 2:
                let digits = "\(1000 + abs(number))".suffix(decimals)
                return "\(number),\(digits)"
            case 3: return number > 0 ? "ja" : "nein"
            case 4:
                return "\(1 + abs(number) % 28).\(1 + abs(number) % 12).\(2000 + abs(number) % 30)"
            case 5: return texts[abs(number) % 4 + 4 * (abs(number) % 6)]
            default: return texts[abs(number) % texts.count]
            }
        }
    }

    private static func quoted(_ cell: String, _ random: inout SeededGenerator) -> String {
        let needsQuotes = cell.utf8.contains { ",;\"\n\r".utf8.contains($0) }
        guard needsQuotes || Int.random(in: 0..<10, using: &random) == 0 else { return cell }
        return "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }

    @Test("random texts are imported without a fault, and strings stay as they are")
    func randomTexts() throws {
        let seed = SeededGenerator.testSeed("guessed classes")
        for round in 0..<SeededGenerator.scaled(200) {
            var random = SeededGenerator(seed: seed &+ UInt64(round))
            let columnCount = Int.random(in: 1...5, using: &random)
            let rowCount = Int.random(in: 1...12, using: &random)
            let delimiter = [",", ";"][Int.random(in: 0..<2, using: &random)]
            // The first column keeps blank records from being passed over.
            var columns = [(1...rowCount).map { "r\($0)" }]
            for _ in 0..<columnCount { columns.append(Self.cells(rowCount, &random)) }
            var text = columns.indices.map { "c\($0)" }.joined(separator: delimiter) + "\n"
            for row in 0..<rowCount {
                var record: [String] = []
                for column in columns { record.append(Self.quoted(column[row], &random)) }
                text += record.joined(separator: delimiter) + "\n"
            }
            let proposal = try Guessing.proposal(text)
            #expect(proposal.faultCount == 0, "round \(round): \(text)")
            let service = try Self.imported(text, proposal)
            let lines = try service.export("Item").split(separator: "\n").map(String.init)
            try #require(lines.count == rowCount, "round \(round): \(text)")
            for (position, property) in proposal.objectClass.properties.enumerated()
            where property.scalar == .string {
                for (row, line) in lines.enumerated() {
                    let found = QueryJSON(line)?[property.name]?.string ?? ""
                    #expect(found == columns[position][row], "round \(round): \(text)")
                }
            }
        }
    }
}
