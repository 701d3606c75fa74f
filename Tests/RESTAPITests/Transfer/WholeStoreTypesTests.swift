import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRESTAPI
import Testing
import HoldfastTestSupport

@Suite("A whole store's export with every type in every shape")
struct WholeStoreTypesTests {
    /// The types that stand alone, each with values in the form in which a reply writes them.
    private static let scalars: [(type: String, values: [String])] = [
        ("bool", ["true", "false"]),
        ("int", ["0", "-9223372036854775808", "9223372036854775807"]),
        ("int8", ["-128", "127"]), ("int16", ["-32768", "32767"]),
        ("int32", ["-2147483648", "2147483647"]), ("int64", ["9007199254740993"]),
        ("float", ["1.5", "\"NaN\"", "\"-Infinity\""]),
        ("double", ["0.1", "\"Infinity\"", "5e-324"]),
        ("decimal128", ["\"1.10\"", "\"-0\"", "\"NaN\"", "\"1E+6144\""]),
        (
            "string",
            ["\"\"", "\"a \\u0000\\n\\\"é😀\"", "\"\(String(repeating: "x", count: 3000))\""]
        ),
        ("data", ["\"\"", "\"AP8=\"", "\"\(String(repeating: "QUJD", count: 1000))\""]),
        ("date", ["\"2026-11-20T06:38:58.123456789Z\"", "\"0001-01-01T00:00:00Z\""]),
        ("objectId", ["\"0123456789abcdef01234567\""]),
        ("uuid", ["\"01234567-89ab-cdef-0123-456789abcdef\""]),
    ]

    private static let mixed = [
        "null", "true", "5", "1.5", "\"s\"", #"{"$int":"9007199254740993"}"#, #"{"$float":0.5}"#,
        #"{"$double":"NaN"}"#, #"{"$decimal":"1.10"}"#, #"{"$data":"AP8="}"#,
        #"{"$date":"2026-11-20T06:38:58Z"}"#, #"{"$objectId":"0123456789abcdef01234567"}"#,
        #"{"$uuid":"01234567-89ab-cdef-0123-456789abcdef"}"#,
        #"{"$link":{"class":"All","id":2}}"#, #"{"$link":{"class":"Loose","id":1}}"#,
        #"[1,[{"deep":[{"$link":{"class":"All","id":0}}],"":[]},{}],null]"#,
        "\"\(String(repeating: "y", count: 3000))\"",
    ]

    private static let schema: String = {
        var properties = [#""id":"int""#]
        for (type, _) in scalars {
            properties.append("\"one \(type)\":\"\(type)\",\"null \(type)\":\"\(type)?\"")
            properties.append("\"list \(type)\":\"\(type)?[]\",\"set \(type)\":\"\(type)<>\"")
            properties.append("\"map \(type)\":\"\(type)?{}\"")
        }
        return """
            {"classes":[{"name":"All","primaryKey":"id","unique":[["id","null int"]],"properties":{
            \(properties.joined(separator: ",")),
            "mixed":"mixed","mixeds":"mixed[]","mixedSet":"mixed<>","mixedMap":"mixed{}",
            "inner":"Inner","inners":"Inner[]","innerMap":"Inner{}",
            "to":{"type":"object","class":"All","onDelete":"cascade"},"all":"All[]","allSet":"All<>","allMap":"All{}",
            "loose":"Loose","looses":"Loose[]",
            "level":{"type":"string","enum":["low","high"]},
            "levels":{"type":"list","element":{"type":"int"},"enum":[1,2]},
            "renamed":{"type":"string","mapTo":"other_name"},
            "only":{"type":"string","optional":true,"unique":true},
            "from":{"type":"linkingObjects","class":"All","property":"all"}}},
            {"name":"Inner","kind":"embedded","properties":
            {"n":"int","to":"All","loose":"Loose","any":"mixed","text":"string?","inner":"Inner","names":"string{}"}},
            {"name":"Loose","properties":{"n":"int","next":"Loose","all":"All","any":"mixed"}},
            {"name":"Texts","primaryKey":"key","properties":{"key":"string?","to":"Texts"}},
            {"name":"Numbers","primaryKey":"key","properties":
            {"key":{"type":"int","default":"$next"},"to":"Numbers"}},
            {"name":"Sent","kind":"asymmetric","properties":{"n":"int","to":"All"}}]}
            """
    }()

    private static let objectCount = 12

    /// An object with random values, whose links lead to any other.
    private static func object(_ id: Int, _ random: inout SeededGenerator) -> String {
        func pick(_ values: [String]) -> String {
            values[Int.random(in: values.indices, using: &random)]
        }
        func some(_ count: Int, _ make: () -> String) -> [String] {
            (0..<Int.random(in: 0...count, using: &random)).map { _ in make() }
        }
        func list(_ values: [String]) -> String { "[\(values.joined(separator: ","))]" }
        func map(_ values: [String]) -> String {
            let keys = ["a", "", "é", "x y"]
            let entries = zip(keys, values).map { "\"\($0)\":\($1)" }
            return "{\(entries.joined(separator: ","))}"
        }
        func link() -> String { "\(Int.random(in: 0..<objectCount, using: &random))" }
        func loose() -> String { "\(Int.random(in: 1...3, using: &random))" }
        func inner(_ depth: Int = 0) -> String {
            let next = depth < 3 && Bool.random(using: &random) ? inner(depth + 1) : "null"
            return
                "{\"n\":\(id),\"to\":\(link()),\"loose\":\(loose()),\"any\":\(pick(mixed)),"
                + "\"text\":\(pick(scalars[9].values)),\"inner\":\(next),\"names\":{\"k\":\"v\"}}"
        }
        var members: [String] = []
        for (type, values) in scalars {
            members.append("\"one \(type)\":\(pick(values))")
            members.append("\"null \(type)\":\(pick(values + ["null"]))")
            members.append("\"list \(type)\":\(list(some(4) { pick(values + ["null"]) }))")
            members.append("\"set \(type)\":\(list(some(4) { pick(values) }))")
            members.append("\"map \(type)\":\(map(some(4) { pick(values + ["null"]) }))")
        }
        members.append("\"mixed\":\(pick(mixed)),\"mixeds\":\(list(some(6) { pick(mixed) }))")
        members.append("\"mixedSet\":\(list(some(6) { pick(mixed) }))")
        members.append("\"mixedMap\":\(map(some(4) { pick(mixed) }))")
        members.append("\"inner\":\(pick([inner(), "null"]))")
        members.append("\"inners\":\(list(some(3) { inner() }))")
        members.append("\"innerMap\":\(map(some(3) { pick([inner(), "null"]) }))")
        members.append("\"to\":\(link()),\"all\":\(list(some(6) { link() }))")
        members.append("\"allSet\":\(list(some(6) { link() }))")
        members.append("\"allMap\":\(map(some(4) { pick([link(), "null"]) }))")
        members.append("\"loose\":\(loose()),\"looses\":\(list(some(5) { loose() }))")
        members.append("\"level\":\(pick(["\"low\"", "\"high\""])),\"levels\":[2,1,2]")
        members.append("\"renamed\":\"r\(id)\",\"only\":\(pick(["\"o\(id)\"", "null"]))")
        return "{\(members.joined(separator: ","))}"
    }

    private static func fill(_ server: TestServer, _ random: inout SeededGenerator) {
        func send(_ method: String, _ path: String, _ body: String, _ status: UInt16) {
            let reply = server.send(method, path, body.replacing("\n", with: ""))
            #expect(reply.status == status, "\(path): \(reply.text)")
        }
        send("PUT", "/v1/schema", schema, 200)
        send(
            "PUT", "/v1/projections/Card",
            #"{"class":"All","properties":{"n":"id","to":"to.level"}}"#, 201)
        let all = (0..<objectCount).map { "{\"id\":\($0)}" }.joined(separator: ",")
        send("POST", "/v1/classes/All/objects", "[\(all)]", 201)
        send(
            "POST", "/v1/transactions",
            """
            {"operations":[
            {"op":"create","class":"Loose","ref":"a","value":{"n":1,"next":{"$ref":"c"},"all":3}},
            {"op":"create","class":"Loose","ref":"b","value":{"n":2,"next":{"$ref":"a"},"any":[{"$ref":"c"}]}},
            {"op":"create","class":"Loose","ref":"c","value":{"n":3,"next":{"$ref":"b"},"all":0}},
            {"op":"create","class":"Texts","value":{"key":null,"to":"a/b"}},
            {"op":"create","class":"Texts","value":{"key":"","to":null}},
            {"op":"create","class":"Texts","value":{"key":"a/b","to":""}},
            {"op":"create","class":"Numbers","ref":"d","value":{"to":{"$ref":"e"}}},
            {"op":"create","class":"Numbers","ref":"e","value":{"to":{"$ref":"d"}}},
            {"op":"create","class":"Sent","value":{"n":1,"to":2}}]}
            """, 200)
        for id in 0..<objectCount {
            send("PUT", "/v1/classes/All/objects/\(id)", object(id, &random), 200)
        }
        // Large enough to be out of line whatever the limits are.
        let elements = (0..<9000).map { "\($0)" }
        let entries = elements.map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let long = String(repeating: "z", count: 300_000)
        send(
            "PATCH", "/v1/classes/All/objects/3",
            """
            {"one string":"\(long)","mixed":"\(long)","list int":[\(elements.joined(separator: ","))],
            "map double":{\(entries)},
            "all":[\(elements.map { "\((Int($0) ?? 0) % objectCount)" }.joined(separator: ","))]}
            """, 200)
    }

    @Test(
        "gives an equal store, the same export again, and a store in which all agrees",
        arguments: [false, true])
    func roundTrip(leavesRows: Bool) throws {
        var random = SeededGenerator(
            seed: SeededGenerator.testSeed("every type, out of line: \(leavesRows)"))
        var options = StoreOptions()
        if leavesRows { options.overflowLimits = .tiny }
        func make() throws -> TestServer {
            try TestServer(
                EngineCase.lmdb.open(valueByteCountMax: 64 << 20), schema: Schema(classes: []),
                storeOptions: options)
        }
        let server = try make()
        Self.fill(server, &random)
        let exported = server.send("GET", "/v1/export").text
        let lines = exported.split(separator: "\n")
        #expect(lines.count == 1 + Self.objectCount + 3 + 3 + 2)
        #expect(!exported.contains("$omitted"))
        for chunkLineCount in [1, 4, 1000] {
            let other = try make()
            let report = try Importing.storeReport(exported, into: other.store) {
                $0.chunkLineCount = chunkLineCount
                $0.deferredByteCountMax = 10_000
            }
            #expect(report.codes == [])
            #expect(report.importedCount == lines.count - 1)
            let again = other.send("GET", "/v1/export").text.split(separator: "\n")
            #expect(again.count == lines.count)
            for (line, expected) in zip(again, lines).dropFirst() where line != expected {
                Issue.record("\(expected.prefix(300)) became \(line.prefix(300))")
            }
            #expect(
                other.send("GET", "/v1/projections").text
                    == server.send("GET", "/v1/projections").text)
            // What is said of links the other way is made of the same links.
            for target in [
                "/v1/classes/All/objects?fields=id,from&limit=100",
                "/v1/projections/Card/objects",
            ] {
                #expect(other.send("GET", target).text == server.send("GET", target).text)
            }
            try Importing.expectSound(other.store)
        }
        try Importing.expectSound(server.store)
    }
}
