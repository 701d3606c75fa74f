import HoldfastTransfer
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

/// Texts in the form of Realm Studio's "Save data as JSON": `JSON.stringify` of every class's objects,
/// two blanks of indentation, links as nested objects, with `$refId` where there are circles.
@Suite("Realm Studio's JSON")
struct RealmJSONTests {
    private static func convert(
        _ text: String, into store: Store, onlyClass: String? = nil, pieceByteCount: Int = 7
    ) throws -> (report: ImportReport, converter: RealmJSONConverter) {
        var lines: [UInt8] = []
        let converter = RealmJSONConverter(store.catalog, onlyClass: onlyClass) { lines += $0 }
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieceByteCount) {
            try bytes[start..<min(bytes.count, start + pieceByteCount)].withUnsafeBytes {
                try converter.append($0)
            }
        }
        try converter.complete()
        let text = String(decoding: lines, as: UTF8.self)
        return (try Importing.storeReport(text, into: store), converter)
    }

    @Test("of objects without circles is taken, nested ones once")
    func plain() throws {
        let server = try TestServer(schema: Schemas.everything)
        let text = """
            {
              "Person": [
                {
                  "name": "Ann \\"A\\" {[",
                  "age": 31,
                  "role": "admin",
                  "home": { "street": null, "city": "X", "landlord": { "name": "Bob", "age": null } },
                  "places": [],
                  "dogs": [
                    { "_id": "0123456789abcdef01234567", "name": "Rex", "toy": null },
                    { "_id": { "$oid": "0123456789abcdef01234567" }, "name": "Rex", "toy": null }
                  ],
                  "friends": [],
                  "best": null
                },
                { "name": "Bob", "age": null, "friends": [] }
              ],
              "Address": [ { "city": "X" } ],
              "Dog": [ { "_id": "0123456789abcdef01234567", "name": "Rex", "toy": null } ],
              "Thing": [
                { "id": 1, "ratio": 1e3, "bytes": "AP8=", "at": "2020-01-02T03:04:05.678Z", "counts": [3, 1] }
              ],
              "Toy": []
            }
            """
        let (report, converter) = try Self.convert(text, into: server.store)
        #expect(report.codes == [] && converter.faults.isEmpty)
        #expect(report.importedCount == 4)
        APIScenario(
            "GET", "/v1/classes/Person/objects?expand=dogs", status: 200,
            contains: [
                #""name":"Ann \"A\" {[","age":31"#, #""city":"X","landlord":"Bob""#,
                #""name":"Rex""#,
            ]
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Thing/objects/1?fields=at,counts,ratio", status: 200,
            contains: [#"{"at":"2020-01-02T03:04:05.678Z","counts":[3,1],"ratio":1000"#]
        ).check(on: server)
        try Importing.expectSound(server.store)
    }

    @Test("with circles is taken by its references, also of objects without a primary key")
    func circles() throws {
        let server = try TestServer(schema: Schemas.everything)
        let text = """
            {"Person":[
              {"$refId":"Person_Ann","name":"Ann","best":
                {"$refId":"Person_Bob","name":"Bob","best":{"$refId":"Person_Ann"},"friends":[{"$refId":"Person_Bob"}]}},
              {"$refId":"Person_Bob"}],
             "Dog":[{"$refId":"1","_id":"0123456789abcdef01234567","name":"Rex",
               "toy":{"$refId":"Toy#0","label":"a","next":{"$refId":"Toy#1","label":"b","next":{"$refId":"Toy#0"}}}}],
             "Toy":[{"$refId":"Toy#0"},{"$refId":"Toy#1"},{"$refId":"Toy#2","label":"c","next":{"$refId":"Toy#2"}}]}
            """
        let (report, converter) = try Self.convert(text, into: server.store, pieceByteCount: 1)
        #expect(report.codes == [] && converter.faults.isEmpty, "\(converter.faults)")
        #expect(report.importedCount == 6)
        let exported = server.send("GET", "/v1/export").text
        for object in [
            #"{"class":"Person","id":"Ann","object":{"name":"Ann","age":null,"role":"user","home":null,"places":[],"dogs":[],"friends":[],"best":"Bob"}}"#,
            #""friends":["Bob"],"best":"Ann"}}"#, #""label":"c","next":3}}"#,
        ] {
            #expect(exported.contains(object), "\(exported)")
        }
        let toys = server.send("GET", "/v1/classes/Toy/objects").text
        #expect(toys.contains(#""label":"b","next":1"#) && toys.contains(#""label":"a","next":2"#))
        try Importing.expectSound(server.store)
    }

    @Test("may nest linked objects as deep as there are, and values as deep as an import may")
    func chain() throws {
        let server = try TestServer(schema: Schemas.everything)
        let count = 9_000
        let chain = (0..<count).map {
            "{\"$refId\":\"\($0)\",\"label\":\"\($0)\",\"next\":"
        }.joined()
        let end = String(repeating: "}", count: count)
        let (report, converter) = try Self.convert(
            "{\"Toy\":[\(chain){\"$refId\":\"0\"}\(end)]}", into: server.store,
            pieceByteCount: 4096)
        #expect(report.codes == [] && converter.faults.isEmpty, "\(converter.faults)")
        #expect(report.importedCount == count)
        let page = server.send(
            "GET",
            "/v1/classes/Toy/objects?count=exact&limit=1&filter=next.next.label%20%3D%3D%20%270%27")
        #expect(
            page.text.contains("\"label\":\"\(count - 2)\"") && page.text.contains("\"count\":1"))
        let inner = String(repeating: "{\"inner\":", count: 2_000)
        let deep = "\(inner)null\(String(repeating: "}", count: 2_000))"
        let refused = try Self.convert(
            "{\"Person\":[{\"name\":\"Ann\",\"home\":\(deep)},{\"name\":\"Bob\"}]}",
            into: server.store, pieceByteCount: 4096)
        #expect(refused.converter.faults.map(\.location) == ["Person[0]"])
        #expect(refused.converter.faults[0].detail.contains("128"))
        #expect(refused.report.importedCount == 1)
        try Importing.expectSound(server.store)
    }

    @Test("names the objects that can't be taken, and takes the others")
    func faults() throws {
        let server = try TestServer(schema: Schemas.everything)
        let text = """
            {"Person":[{"name":"Ann","best":{"age":1}},{"name":"Bob","age":"x"},{"name":"Cid","hue":1},{"name":"Dan"}],
             "Cat":[{"name":"x"}],
             "Dog":[{"_id":"0123456789abcdef01234567","toy":{"label":"a"}},{"_id":"0123456789abcdef01234568","toy":{"$refId":"9"}},{"_id":}],
             "Toy":[{"$refId":"7"}]}
            """
        let (report, converter) = try Self.convert(text, into: server.store)
        #expect(
            converter.faults.map(\.location) == [
                "Person[0]", "Cat[0]", "Dog[0]", "Dog[1]", "Dog[2]", "Toy[0]",
            ])
        #expect(converter.faults[2].detail.contains("without a primary key"))
        #expect(
            report.faults.map { "\(converter.location(ofLine: $0.line)) \($0.fault.code)" } == [
                "Person[1] wrong-type", "Person[2] unknown-property",
            ])
        #expect(report.importedCount == 1)
        let only = try Self.convert(
            #"{"Person":[{"name":"Eve"}],"Ticket":[{"id":"01234567-89ab-cdef-0123-456789abcdef"}]}"#,
            into: server.store, onlyClass: "Person")
        #expect(only.report.importedCount == 1)
    }

    @Test(
        "of version 13 and later is an array of values that lead to each other",
        arguments: [1, 7, 4096])
    func flattened(pieceByteCount: Int) throws {
        let server = try TestServer(schema: Schemas.everything)
        let values = #"""
            [{"Person":"1","Dog":"2","Toy":"3","Address":"4"}, ["5","6"], ["7"], ["8","9"], ["10"],
            {"name":"11","age":31,"home":"10","dogs":"12","friends":"13","best":"6","role":"14"},
            {"name":"15","best":"5","friends":"13"},
            {"_id":"16","name":"17","toy":"8"},
            {"label":"18","next":"9"},{"label":"19","next":"8"},
            {"city":"20","landlord":"6"},
            "Ann \"A\" {[", ["7"], ["5","6"], "admin", "Bob", "0123456789abcdef01234567", "Rex", "a", "b",
            "X\u00e9"]
            """#
        let (report, converter) = try Self.convert(
            "\u{FEFF} " + values, into: server.store, pieceByteCount: pieceByteCount)
        #expect(report.codes == [] && converter.faults.isEmpty, "\(converter.faults)")
        #expect(report.importedCount == 5)
        let exported = server.send("GET", "/v1/export").text
        for object in [
            #""name":"Ann \"A\" {[","age":31,"role":"admin","home":{"street":null,"city":"Xé","landlord":"Bob","inner":null}"#,
            #""dogs":["0123456789abcdef01234567"],"friends":["Ann \"A\" {[","Bob"],"best":"Bob"}}"#,
            #""label":"a","next":2}"#, #""label":"b","next":1}"#,
            #"{"_id":"0123456789abcdef01234567","name":"Rex","toy":1"#,
        ] {
            #expect(exported.contains(object), "\(exported)")
        }
        try Importing.expectSound(server.store)
    }

    @Test("of version 13 names the objects that can't be taken, and takes the others")
    func flattenedFaults() throws {
        let server = try TestServer(schema: Schemas.everything)
        let text =
            #"[{"Person":"1","Cat":"2"},["3","4","5","6"],["3"],{"name":"7","home":"99"},{"name":"7","home":"4"},{"name":"7","hue":"3"},{"name":"7"},"Ann"]"#
        let (report, converter) = try Self.convert(text, into: server.store)
        #expect(
            converter.faults.map(\.location) == ["Person[0]", "Cat[0]"],
            "\(converter.faults)")
        #expect(
            report.faults.map { "\(converter.location(ofLine: $0.line)) \($0.fault.code)" } == [
                "Person[1] unknown-property", "Person[1] unknown-property",
                "Person[2] unknown-property",
            ])
        #expect(report.importedCount == 1)
        let only = try Self.convert(
            #"[{"Person":"1"},["2"],{"name":"3"},"Eve"]"#, into: server.store, onlyClass: "Dog")
        #expect(only.report.importedCount == 0 && only.converter.faults.isEmpty)
    }

    @Test(
        "that is something else is refused",
        arguments: [
            "", "[]", "[1]", "[{}", "[{},]", "[{}}]", "[{}]x", #"[{"Person":1},[]]"#,
            #"[{"Person":"2"},[]]"#,
            "{", #"{"Person":{}}"#, #"{"Person":[1]}"#, #"{"Person":[{}]"#, "{}{}",
        ])
    func malformed(text: String) throws {
        let server = try TestServer(schema: Schemas.everything)
        #expect(throws: RequestFault.self) { _ = try Self.convert(text, into: server.store) }
    }
}
