import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import Testing

@testable import HoldfastTransfer

@Suite("Proposals of classes")
struct ClassProposalTests {
    @Test(
        "for CSV have the type of each column, and the options of the import",
        arguments: [
            ("nr,name\n1,a\n2,b\n", "nr int key, name string", "--csv"),
            (
                "id;sum\n1;9.429,59\n2;-12,5\n", "id int key, sum double",
                "--csv --delimiter ; --decimal-comma"
            ),
            ("sep=;\nid;a\n1;x\n", "id int key, a string", "--csv --delimiter ;"),
            ("id|a\r\n1|x,y\r\n", "id int key, a string", "--csv --delimiter |"),
            (
                "id\tzip\n1\t10115\n2\t10117\n", "id int key, zip string",
                "--csv --delimiter tab"
            ),
            ("id,no\n1,007\n2,8\n", "id int key, no string indexed", "--csv"),
            ("id,phone\n1,+4930\n2,\n", "id int key, phone string?", "--csv"),
            (
                "id,day\n1,2025-12-31\n2,2026-01-02\n", "id int key, day date",
                "--csv --date-format day=%Y-%m-%d"
            ),
            (
                "id,day\n1,31.12.2025 10:00\n2,1.2.2026 9:30\n", "id int key, day date",
                "--csv --date-format day=%d.%m.%Y %H:%M"
            ),
            (
                "id,day\n1,01/02/2026\n2,13/04/2026\n", "id int key, day date",
                "--csv --date-format day=%d/%m/%Y"
            ),
            ("id,day\n1,01/02/2026\n2,03/04/2026\n", "id int key, day string", "--csv"),
            ("id,day\n1,31.12.25\n2,01.02.26\n", "id int key, day string", "--csv"),
            (
                "id,at\n1,2026-01-02T03:04:05Z\n2,2026-01-02 03:04:05.5+01:00\n",
                "id int key, at date", "--csv"
            ),
            ("id,paid\n1,ja\n2,Nein\n", "id int key, paid bool", "--csv --true ja --false nein"),
            ("id,paid\n1,yes\n2,no\n", "id int key, paid bool", "--csv"),
            (
                "id,a,b\n1,ja,oui\n2,nein,non\n", "id int key, a bool, b string",
                "--csv --true ja --false nein"
            ),
            ("id,land\n1,no\n2,no\n", "id int key, land string", "--csv"),
            ("id,flag\n1,true\n2,TRUE\n", "id int key, flag bool", "--csv"),
            ("id,flag\n1,0\n2,1\n", "id int key, flag int", "--csv"),
            (
                "id,u\n1,123e4567-e89b-12d3-a456-426614174000\n2,123E4567-E89B-12D3-A456-426614174001\n",
                "id int key, u uuid", "--csv"
            ),
            (
                "_id,n\n64b7f0c2a1b2c3d4e5f60718,1\n64b7f0c2a1b2c3d4e5f60719,2\n",
                "_id objectId key, n int", "--csv"
            ),
            ("_id,n\nObjectId(64b7f0c2a1b2c3d4e5f60718),1\n", "_id objectId key, n int", "--csv"),
            ("id,x\n1,0.1234567890123456789\n2,1.5\n", "id int key, x string", "--csv"),
            ("id,x\n1,92233720368547758070\n2,1\n", "id int key, x string", "--csv"),
            ("id,x\n1,12E4\n2,13E4\n", "id int key, x string", "--csv"),
            ("id,x\n1,1.5e-7\n2,.5\n", "id int key, x double", "--csv"),
            ("id,v\n1,1.9\n2,1.10\n", "id int key, v string", "--csv"),
            ("id,p\n1,1.90\n2,10.00\n", "id int key, p double", "--csv"),
            ("id,w\n1,1.234\n2,5\n", "id int key, w double", "--csv"),
            ("id;w\n1;1.234\n2;5\n", "id int key, w string", "--csv --delimiter ;"),
            ("id,w\n1,\"1,234\"\n2,5\n", "id int key, w string", "--csv"),
            ("id;w\n1;100.200\n2;300.400\n", "id int key, w string", "--csv --delimiter ;"),
            ("id,n\n1,5\n2,\n3,\"\"\n", "id int key, n int?", "--csv"),
            ("id,s\n1,\n2,\"\"\n", "id int key, s string?", "--csv"),
            ("id,s\n1,a\n2,\"\"\n", "id int key, s string", "--csv"),
            ("name,age\nann,5\nbob,6\n", "name string, age int", "--csv"),
            ("year,v\n2020,1.5\n2021,2.5\n", "year int key, v double", "--csv"),
            ("id,a\n1,x\n1,y\n", "id int, a string", "--csv"),
            ("itemId,customerId\n1,5\n2,6\n", "itemId int key, customerId int indexed", "--csv"),
            ("id,email\n1,a@x\n2,b@x\n", "id int key, email string indexed", "--csv"),
            (
                "id,Umsatz €,2024,a\n1,1,2,x\n",
                "id int key, Umsatz int, _2024 int, a string",
                "--csv --map 2024=_2024 --map Umsatz €=Umsatz"
            ),
            (
                "id,a!,a?\n1,x,y\n", "id int key, a string, a2 string",
                "--csv --map a!=a --map a?=a2"
            ),
            ("id,a,\n1,x,\n", "id int key, a string", "--csv --skip "),
        ] as [(String, String, String)])
    func csv(text: String, properties: String, options: String) throws {
        let proposal = try Guessing.proposal(text)
        #expect(Guessing.short(proposal.objectClass) == properties)
        #expect(proposal.optionText == options)
        #expect(proposal.embedded.isEmpty && proposal.faultCount == 0 && proposal.isWhole)
    }

    @Test(
        "for JSON have the type of each member, and embedded classes",
        arguments: [
            (
                """
                {"id":1,"a":1.5,"b":"x","c":true,"d":null}
                {"id":2,"a":2,"b":"y","c":false,"e":"z"}
                """, "id int key, a double, b string, c bool, d mixed, e string?", "", ""
            ),
            (#"[{"id":"a"},{"id":"b"}]"#, "id string key", "", "--extended-json"),
            ("{\"id\":1,\n\"a\":2}\n", "id int key, a int", "", "--extended-json"),
            (
                #"""
                {"_id":{"$oid":"64b7f0c2a1b2c3d4e5f60718"},"n":{"$numberLong":"5"},\#
                "at":{"$date":"2026-01-02T03:04:05Z"},"p":{"$numberDecimal":"1.10"}}
                """#, "_id objectId key, n int, at date, p decimal128", "", "--extended-json"
            ),
            (
                #"""
                {"id":1,"tags":["a","b"],"home":{"street":"x","zip":"1"}}
                {"id":2,"tags":[],"home":{"street":"y"}}
                """#, "id int key, tags string[], home ItemHome",
                "ItemHome: street string, zip string?", ""
            ),
            (
                #"{"id":1,"lines":[{"sku":"a","at":{"x":1}},{"sku":"b","at":{"x":2}}]}"#,
                "id int key, lines ItemLines[]",
                "ItemLinesAt: x int; ItemLines: sku string, at ItemLinesAt", ""
            ),
            (
                #"{"id":1,"at":{"type":"Point","coordinates":[13.4,52.5]}}"#,
                "id int key, at Point geo", "Point: type string, coordinates double[]", ""
            ),
            (#"{"id":1,"y":{"2024":5,"2025":6}}"#, "id int key, y int{}", "", ""),
            ("{\"id\":1,\"x\":1}\n{\"id\":2,\"x\":\"a\"}\n", "id int key, x mixed", "", ""),
            (
                #"{"id":1,"x":0.12345678901234567890123}"#, "id int key, x decimal128", "", ""
            ),
            (#"{"id":1,"m":[[1,2],[3]]}"#, "id int key, m mixed[]", "", ""),
            (#"{"id":1,"l":[1,null]}"#, "id int key, l int?[]", "", ""),
            ("{\"id\":1,\"l\":[1]}\n{\"id\":2,\"l\":null}\n", "id int key, l mixed", "", ""),
            (#"{"id":1,"s":"007","n":7}"#, "id int key, s string, n int", "", ""),
            (
                #"{"id":1,"a b!":5}"#, "id int key, a b int", "",
                "--extended-json --map a b!=a b"
            ),
            (
                #"""
                {"type":"FeatureCollection","bbox":[1,2,3,4],"features":[
                {"type":"Feature","id":7,"properties":{"name":"x"},"geometry":{"type":"Point","coordinates":[1,2]}}]}
                """#, "id int key, name string, geometry Point geo",
                "Point: type string, coordinates double[]", "--geojson"
            ),
            (
                #"""
                {"type":"Feature","id":"a","properties":{"$id":1,"addr:no":5},"geometry":{"type":"Point","coordinates":[1,2]}}
                {"type":"Feature","id":"b","properties":null,"geometry":null}
                """#, "id string key, addr_no int?, geometry Point geo",
                "Point: type string, coordinates double[]", "--geojson --map addr:no=addr_no"
            ),
            (
                "{\"type\":\"FeatureCollection\",\"features\":[{\"type\":\"Feature\",\"properties\":{\"nr\":1,"
                    + "\"at\":{\"type\":\"Point\",\"coordinates\":[1,2]}},"
                    + "\"geometry\":{\"type\":\"LineString\",\"coordinates\":[[1,2],[3,4]]}}]}",
                "nr int key, at Point geo, geometry ItemGeometry",
                "Point: type string, coordinates double[]; ItemGeometry: type string, coordinates mixed[]",
                "--geojson --map geometry=geometry"
            ),
        ] as [(String, String, String, String)])
    func json(text: String, properties: String, embedded: String, options: String) throws {
        let proposal = try Guessing.proposal(text)
        #expect(Guessing.short(proposal.objectClass) == properties)
        let classes = proposal.embedded.map { "\($0.name): \(Guessing.short($0))" }
        #expect(classes.joined(separator: "; ") == embedded)
        #expect(proposal.optionText == options)
        #expect(proposal.faultCount == 0)
    }

    @Test("have a reason for each property, in a sentence")
    func reasons() throws {
        let text =
            "Nr;Umsatz €;Am;Bezahlt;Code;Tel\n1;9.429,59;31.12.2025;ja;007;5\n2;;2.1.2026;nein;8;6\n"
        let proposal = try Guessing.proposal(text)
        #expect(
            proposal.reasons.map(\.text) == [
                "All 2 values are whole numbers; the values are unique and present in each object, so it is the primary key.",
                "The only value is a number with a decimal comma; 1 of 2 cells is empty, so it is optional.",
                "All 2 values are dates in the format '%d.%m.%Y'.",
                "All 2 values are 'ja' or 'nein'.",
                "A number would lose the zeros in front of '007'; the values are unique and its name is that of a key, "
                    + "so it is indexed.",
                "'tel' in its name stands for codes, whose zeros in front a number would lose.",
            ])
        #expect(proposal.reasons[1].name == "Umsatz €" && proposal.reasons[0].name == nil)
        let ambiguous = try Guessing.proposal("id,day\n1,01/02/2026\n2,03/04/2026\n")
        #expect(ambiguous.reason("day").contains("'%d/%m/%Y' and '%m/%d/%Y'"))
        let mixed = try Guessing.proposal("{\"x\":1}\n{\"x\":\"a\"}\n{\"x\":2}\n")
        #expect(mixed.reason("x") == "The values differ: 2 numbers, 1 texts.")
        let numbers = (1...1000).map { "\($0),\($0 % 3 == 0 ? "" : "5")\n" }.joined()
        let many = try Guessing.proposal("id,n\n" + numbers)
        #expect(
            many.reason("n")
                == "All 667 values are whole numbers; 333 of 1,000 cells are empty, so it is optional."
        )
    }

    @Test("keep stated options, and guess the rest")
    func statedOptions() throws {
        let text = "id;w;day;x\n1;1.234;01/02/2026;ja\n2;5;03/04/2026;x\n"
        let proposal = try Guessing.proposal(text) { options in
            options.csv.hasDecimalComma = true
            _ = options.csv.addDates("day=%d/%m/%Y")
            _ = options.csv.setWord("x", for: false)
            _ = options.csv.setWord("ja", for: true)
            _ = options.names.map("w=weight")
            options.className = "Parcel"
        }
        #expect(
            Guessing.short(proposal.objectClass)
                == "id int key, weight int, day date, x bool")
        #expect(proposal.objectClass.name == "Parcel")
        #expect(
            proposal.optionText
                == "--csv --delimiter ; --decimal-comma --date-format day=%d/%m/%Y --true ja --false x "
                + "--map w=weight")
        let skipped = try Guessing.proposal("id,a,b\n1,2,3\n") { $0.names.skip("a") }
        #expect(Guessing.short(skipped.objectClass) == "id int key, b int")
        #expect(skipped.optionText == "--csv --skip a")
        let commas = try Guessing.proposal("id;a,b\n1;2\n") { options in
            options.csv.delimiter = UInt8(ascii: ";")
            options.hasDelimiter = true
        }
        #expect(Guessing.short(commas.objectClass) == "id int key, a_b int")
    }

    @Test("say that values were not looked up when there are too many of them")
    func manyLookUps() throws {
        let service = try TestService(classes: [
            ObjectClass(
                name: "Country", primaryKey: "iso",
                properties: [Property(name: "iso", type: .single(.scalar(.string)))])
        ])
        for iso in ["DE", "FR"] { try service.create("Country", #"{"iso":"\#(iso)"}"#) }
        for (countMax, reason) in [
            (2, "Each of the 2 different values is a key of Country."),
            (
                1,
                "It is open whether the values are keys of class 'Country', because the sample has too many to look up."
            ),
        ] {
            let found = try service.served.withRead(for: service.caller) {
                read throws(RequestFault) in
                var property = GuessedProperty(
                    name: "country", sourceName: "country", type: .single(.scalar(.string)))
                property.keyTexts = ["DE", "FR"]
                var links = LinkGuess(read, besides: "Item", lookUpCountMax: countMax)
                do throws(StoreError) { try links.find(&property) } catch {
                    throw RequestFault(error)
                }
                return property
            }
            #expect(found.reason == reason)
        }
    }

    @Test("are refused when objects within objects need more classes than a schema has")
    func manyEmbeddedClasses() {
        // Each name is cut to the same one, to which a number is added.
        let long = String(repeating: "n", count: 40)
        let inner = (0..<80).map { #""\#(long)\#($0)":{"a":1}"# }.joined(separator: ",")
        let text =
            "{" + (0..<200).map { #""\#(long)\#($0)":{\#(inner)}"# }.joined(separator: ",") + "}"
        #expect(text.utf8.count < GuessSample.byteCountMax)
        do {
            _ = try Guessing.proposal(text)
            Issue.record("a class is proposed")
        } catch {
            let fault = error as? RequestFault
            #expect(fault?.code == "no-class")
            #expect(
                fault?.detail.contains("Leave out the members") == true, "\(fault?.detail ?? "")")
        }
    }

    @Test(
        "cut the longest names to the length of a property's", arguments: ["n", "ä", "€", "1", "_"])
    func longNames(letter: String) throws {
        let text =
            "id," + String(repeating: letter, count: 1_000_000 / letter.utf8.count) + "\n1,x\n"
        let proposal = try Guessing.proposal(text)
        let name = try #require(proposal.objectClass.properties.last?.name)
        #expect(name.utf8.count <= ModelLimits.propertyNameByteCountMax)
        #expect(PropertyNames.isValid(name))
        let path = String(repeating: letter, count: 100_000)
        #expect(
            GuessOptions.className(ofFile: path).utf8.count <= ModelLimits.classNameByteCountMax)
    }

    @Test("for CSV that is not UTF-8 have its encoding, and say so")
    func encodings() throws {
        func proposal(_ text: [UInt8], encoding: TextEncoding = .utf8) throws -> ClassProposal {
            var reading = ImportOptions()
            reading.csv.encoding = encoding
            let sample = text.withUnsafeBytes { GuessSample($0) }
            return try ClassProposal(of: sample, GuessOptions(reading), nil)
        }
        let head = Array("id;Stra".utf8)
        let (latin, utf8) = (
            head + [0xDF] + Array("e\n1;Gr".utf8) + [0xFC, 0x6E],
            head + Array("ße\n1;Grün".utf8)
        )
        let guessed = try proposal(latin)
        #expect(Guessing.short(guessed.objectClass) == "id int key, Straße string")
        #expect(guessed.optionText == "--csv --delimiter ; --encoding windows-1252")
        #expect(guessed.notes.contains { $0.contains("Windows-1252") })
        let stated = try proposal(latin, encoding: .windows1252)
        #expect(stated.optionText == guessed.optionText && stated.notes.isEmpty)
        let plain = try proposal(utf8)
        #expect(Guessing.short(plain.objectClass) == "id int key, Straße string")
        #expect(plain.optionText == "--csv --delimiter ;" && plain.notes.isEmpty)
        // One wrong byte among right ones is a fault of its record.
        let broken = try proposal(utf8 + Array("\n2;".utf8) + [0xFC])
        #expect(broken.faultCount == 1 && broken.optionText == "--csv --delimiter ;")
    }

    @Test("link to a class of the store if all values are keys there")
    func links() throws {
        let service = try TestService(classes: [
            ObjectClass(
                name: "Country", primaryKey: "iso",
                properties: [Schemas.property("iso", .string), Schemas.property("name", .string)]),
            ObjectClass(
                name: "City", primaryKey: "id", properties: [Schemas.property("id", .int)]),
        ])
        for iso in ["DE", "FR"] { try service.create("Country", #"{"iso":"\#(iso)","name":"x"}"#) }
        for id in 1...3 { try service.create("City", "{\"id\":\(id)}") }
        for (text, expected) in [
            ("id,country,city\n1,DE,1\n2,FR,2\n", "id int key, country Country, city City"),
            ("id,nation\n1,DE\n2,FR\n", "id int key, nation Country"),
            ("id,countryId\n1,DE\n2,\n", "id int key, countryId Country"),
            ("id,country_iso\n1,DE\n2,DE\n", "id int key, country_iso Country"),
            ("id,nation\n1,DE\n2,DE\n", "id int key, nation string"),
            ("id,country\n1,DE\n2,XX\n", "id int key, country string"),
            ("id,rating\n1,1\n2,2\n", "id int key, rating int"),
            ("id,city\n1,1\n2,9\n", "id int key, city int"),
            ("{\"id\":1,\"city\":1}\n{\"id\":2,\"city\":3}\n", "id int key, city City"),
            ("{\"id\":1,\"city\":\"1\"}\n{\"id\":2,\"city\":\"3\"}\n", "id int key, city string"),
        ] {
            let proposal = try Guessing.proposal(text, in: service)
            #expect(Guessing.short(proposal.objectClass) == expected, "\(text)")
        }
        let linked = try Guessing.proposal("id,nation\n1,DE\n2,FR\n", in: service)
        #expect(linked.reason("nation") == "Each of the 2 different values is a key of Country.")
        let unknown = try Guessing.proposal("id,country\n1,DE\n2,XX\n", in: service)
        #expect(unknown.reason("country").contains("not all values are keys of class 'Country'"))
        let present = try Guessing.proposal("id\n1\n", in: service) { $0.className = "City" }
        #expect(present.notes.contains { $0.contains("has a class 'City'") })
    }

    @Test(
        "are refused for texts that have no class",
        arguments: [
            ("", "unknown-column"), ("id,a\n", "empty-sample"), ("[]", "empty-sample"),
            ("{\"a\":", "empty-sample"), ("a,a\n1,2\n", "unknown-column"),
            ("id,\n1,2\n", "unknown-column"), (#"{"Dog":[{"name":"x"}]}"#, "no-class"),
            ("\u{FEFF}{", "empty-sample"),
            ((0...1000).map { "c\($0)" }.joined(separator: ",") + "\n1\n", "empty-sample"),
        ])
    func refusals(text: String, code: String) {
        #expect(Guessing.refusal(text) == code)
    }

    @Test("are refused for names that are not those of a class or of properties")
    func names() {
        #expect(Guessing.refusal("id\n1\n") { $0.className = "1st" } == "invalid-parameter")
        #expect(Guessing.refusal("id\n1\n") { $0.className = "" } == "invalid-parameter")
        #expect(
            Guessing.refusal("id\n1\n") { _ = $0.names.map("id=€") } == "invalid-parameter")
        let header = (0...1000).map { "c\($0)" }.joined(separator: ",")
        let record = Array(repeating: "1", count: 1001).joined(separator: ",")
        #expect(Guessing.refusal("\(header)\n\(record)\n") == "no-class")
    }

    @Test("read at most 10,000 objects, and leave out an object that is cut")
    func bounds() throws {
        let lines = (1...10_001).map { "\($0),a\n" }
        let whole = try Guessing.proposal("id,a\n" + lines.dropLast().joined())
        #expect(whole.objectCount == 10_000 && whole.isWhole)
        let more = try Guessing.proposal("id,a\n" + lines.joined())
        #expect(more.objectCount == 10_000 && !more.isWhole)
        #expect(more.notes.contains { $0.contains("first 10,000 objects") })
        for text in [
            "id,a\n" + (1...1100).map { "\($0),\(String(repeating: "x", count: 1000))\n" }.joined(),
            (1...1100).map { "{\"id\":\($0),\"a\":\"\(String(repeating: "x", count: 1000))\"}\n" }
                .joined(),
        ] {
            let head = text.utf8.prefix(GuessSample.byteCountMax)
            let lineCount = head.count(where: { $0 == UInt8(ascii: "\n") })
            let proposal = try Guessing.proposal(text)
            #expect(proposal.objectCount == lineCount - (text.hasPrefix("{") ? 0 : 1))
            #expect(proposal.faultCount == 0 && !proposal.isWhole)
        }
        let faulty = try Guessing.proposal("id,a\n1,x\n2,y,z\n3,z\n")
        #expect(faulty.objectCount == 2 && faulty.faultCount == 1)
        #expect(faulty.notes.contains { $0.contains("Line 3") })
    }

    @Test("are the same for the same sample")
    func determinism() throws {
        let text = "id;a;b\n1;ja;1,5\n2;nein;2\n"
        let texts = try (0..<3).map { _ in try Guessing.proposal(text).text { $0 } }
        #expect(Set(texts).count == 1)
    }

    @Test(
        "get the name of their class from the file",
        arguments: [
            ("/tmp/sales.csv", "Sales"), ("sales-2024.csv.gz", "Sales-2024"), ("-", "Item"),
            ("2024.csv", "Item"), ("über uns.json", "Über uns"), ("a%b.csv", "A_b"),
        ])
    func className(path: String, name: String) {
        #expect(GuessOptions.className(ofFile: path) == name)
    }
}
