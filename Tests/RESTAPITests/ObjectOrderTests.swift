import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastTransfer
import Testing

@Suite("the order of objects")
struct ObjectOrderTests {
    private static let csv = [("Content-Type", "text/csv")]
    private static let ndjson = [("Content-Type", "application/x-ndjson")]

    let server: TestServer

    init() throws { server = try TestServer(schema: Importing.nodes) }

    /// The property of all objects of a class, in the order of the list.
    private func listed(_ property: String, of className: String) -> [String] {
        let reply = server.send(
            "GET", "/v1/classes/\(className)/objects?limit=1000&fields=\(property)")
        return reply.text.texts(between: "{\"\(property)\":", and: "}")
    }

    @Test(
        "is that of the elements of an array, whatever links to them before",
        arguments: [
            ("", #"[{"id":1,"next":3},{"id":2},{"id":3}]"#, ["1", "2", "3"]),
            (
                "", #"[{"id":9,"others":[5,7,6]},{"id":7,"next":6},{"id":5},{"id":6,"next":9}]"#,
                ["9", "7", "5", "6"]
            ),
            // What stands in full in an element is made by it, right after it.
            (
                "", #"[{"id":1,"next":4,"others":[{"id":8,"next":3}]},{"id":3},{"id":4}]"#,
                ["1", "8", "3", "4"]
            ),
            (
                "?mode=merge", #"[{"id":1,"next":2,"others":[{"id":3}]},{"id":2},{"id":3}]"#,
                ["1", "3", "2"]
            ),
            ("?mode=merge", #"[{"id":1,"next":3},{"id":2},{"id":1},{"id":3}]"#, ["1", "2", "3"]),
            ("?mode=replace", #"[{"id":1,"next":3},{"id":2},{"id":3},{"id":2}]"#, ["1", "2", "3"]),
            ("?mode=ignore", #"[{"id":1,"next":3},{"id":2},{"id":2},{"id":3}]"#, ["1", "2", "3"]),
        ])
    func arrays(query: String, body: String, order: [String]) {
        let reply = server.send("POST", "/v1/classes/Node/objects\(query)", body)
        #expect(reply.status == 201, "\(reply.text)")
        #expect(listed("id", of: "Node") == order)
    }

    @Test("stays that of objects that were there before, and new ones come behind them")
    func upserts() {
        server.send("POST", "/v1/classes/Node/objects", #"[{"id":3},{"id":1}]"#)
        server.send(
            "POST", "/v1/classes/Node/objects?mode=merge",
            #"[{"id":1,"next":5},{"id":4},{"id":3,"next":4},{"id":5}]"#)
        #expect(listed("id", of: "Node") == ["3", "1", "4", "5"])
        APIScenario(
            "POST", "/v1/classes/Node/objects", #"[{"id":6,"next":8},{"id":7}]"#, status: 422,
            contains: ["dangling-link"]
        ).check(on: server)
        server.send("POST", "/v1/classes/Node/objects", #"[{"id":7,"next":6},{"id":8},{"id":6}]"#)
        #expect(listed("id", of: "Node") == ["3", "1", "4", "5", "7", "8", "6"])
    }

    @Test(
        "is that of the operations of a transaction",
        arguments: [
            (
                """
                {"op":"create","class":"Node","value":{"id":1,"next":4}},{"op":"delete","class":"Node","id":3},\
                {"op":"create","class":"Node","value":{"id":3}},{"op":"put","class":"Node","id":4,"value":{}}
                """, "id", "Node", ["1", "3", "4"]
            ),
            (
                """
                {"op":"create","class":"Node","ref":"a","value":{"id":1,"next":{"$ref":"b"}}},\
                {"op":"create","class":"Node","value":{"id":2}},\
                {"op":"merge","class":"Node","ref":"b","value":{"id":3}}
                """, "id", "Node", ["1", "2", "3"]
            ),
            (
                """
                {"op":"create","class":"Node","value":{"id":5}},\
                {"op":"create","class":"Loose","ref":"a","value":{"label":"a","node":6}},\
                {"op":"create","class":"Loose","value":{"label":"b"}},\
                {"op":"create","class":"Loose","ref":"c","value":{"label":"c"}},\
                {"op":"create","class":"Node","value":{"id":6}}
                """, "label", "Loose", [#""a""#, #""b""#, #""c""#]
            ),
        ])
    func transactions(operations: String, property: String, className: String, order: [String]) {
        server.send("POST", "/v1/classes/Node/objects", #"{"id":3}"#)
        let isOld = className == "Node" && !operations.contains("delete")
        if isOld { server.send("DELETE", "/v1/classes/Node/objects/3") }
        let reply = server.send("POST", "/v1/transactions", "{\"operations\":[\(operations)]}")
        #expect(reply.status == 200, "\(reply.text)")
        #expect(listed(property, of: className) == order)
    }

    @Test(
        "is that of the lines of an import",
        arguments: [
            ("", ndjson, "{\"id\":1,\"next\":3}\n{\"id\":2}\n{\"id\":3}"),
            ("?atomic=true", ndjson, "{\"id\":1,\"next\":3}\n{\"id\":2}\n{\"id\":3}"),
            ("?mode=replace", ndjson, "{\"id\":1,\"next\":3}\n{\"id\":2}\n{\"id\":3,\"next\":1}"),
        ])
    func imports(query: String, headers: [(String, String)], body: String) {
        let reply = server.send(
            "POST", "/v1/classes/Node/import\(query)", body, headers: headers)
        #expect(reply.text.hasPrefix(#"{"imported":3,"failed":0"#), "\(reply.text)")
        #expect(listed("id", of: "Node") == ["1", "2", "3"])
    }

    @Test("is that of the records of CSV")
    func records() throws {
        let schema = Schema(classes: [
            ObjectClass(
                name: "Node", primaryKey: "id",
                properties: [Schemas.property("id", .int), Schemas.link("next", "Node")])
        ])
        let other = try TestServer(schema: schema)
        let text = "id,next\r\n4,1\r\n2,\r\n3,1\r\n1,3\r\n"
        let reply = other.send("POST", "/v1/classes/Node/import", text, headers: Self.csv)
        #expect(reply.text.hasPrefix(#"{"imported":4,"failed":0"#), "\(reply.text)")
        let exported = other.send(
            "GET", "/v1/classes/Node/export", headers: [("Accept", "text/csv")])
        #expect(exported.text == text)
    }

    @Test("of an export is the same after any number of imports", arguments: [1, 3, 1000])
    func roundTrips(chunkLineCount: Int) throws {
        var lines = (0..<60).map { index in
            let id = index * 37 % 60
            return
                #"{"id":\#(id),"label":"l\#(index)","next":\#(id * 7 % 60),"others":[\#(59 - id)]}"#
        }
        lines.insert(#"{"id":100,"label":"","next":null,"others":[]}"#, at: 30)
        for _ in 0..<3 {
            let store = try Importing.store()
            defer { store.close() }
            let report = try Importing.report(lines.joined(separator: "\n"), into: store) {
                $0.chunkLineCount = chunkLineCount
                $0.deferredByteCountMax = 200
            }
            #expect(report.codes == [])
            let exported = try Importing.export(store)
            #expect(exported == lines)
            lines = exported
            try Importing.expectSound(store)
        }
    }

    @Test("holds for what stands in full in lines that wait", arguments: ImportOptions.modes)
    func nestedLines(mode: WriteMode) throws {
        let store = try Importing.store()
        defer { store.close() }
        let report = try Importing.report(
            """
            {"id":1,"next":3,"others":[{"id":10},{"id":11,"next":4}]}
            {"id":2}
            {"id":3}
            {"id":4,"others":[{"id":12}]}
            """, into: store
        ) {
            $0.mode = mode
            $0.chunkLineCount = 1
        }
        #expect(report.codes == [])
        #expect(
            try Importing.export(store).map { $0.prefix(8) } == [
                #"{"id":1,"#, #"{"id":10"#, #"{"id":11"#, #"{"id":2,"#, #"{"id":3,"#, #"{"id":4,"#,
                #"{"id":12"#,
            ])
        try Importing.expectSound(store)
    }

    @Test("holds for lines without a primary key, and a line that fails leaves no trace")
    func linesWithoutKeys() throws {
        let store = try Importing.store()
        defer { store.close() }
        let report = try Importing.report(
            """
            {"label":"a","node":1}
            {"label":"b"}
            {"label":"c","node":7}
            {"label":"d","node":{"id":1}}
            {"label":"e"}
            """, into: store, "Loose"
        ) { $0.chunkLineCount = 2 }
        #expect(report.codes == ["3 dangling-link"])
        let labels = try Importing.export(store, "Loose").map {
            $0.texts(between: "\"label\":", and: ",")
        }
        #expect(labels.flatMap { $0 } == [#""a""#, #""b""#, #""d""#, #""e""#])
        try Importing.expectSound(store)
    }

    @Test(
        "of an asymmetric class is that in which objects are delivered, so lines that wait come last"
    )
    func asymmetricLines() throws {
        let schema = Schema(classes: [
            ObjectClass(name: "Toy", primaryKey: "id", properties: [Schemas.property("id", .int)]),
            ObjectClass(
                name: "Reading", kind: .asymmetric,
                properties: [Schemas.property("n", .int), Schemas.link("toy", "Toy")]),
        ])
        let other = try TestServer(schema: schema)
        let report = try Importing.report(
            "{\"n\":1,\"toy\":5}\n{\"n\":2}\n{\"n\":3,\"toy\":{\"id\":5}}", into: other.store,
            "Reading"
        ) { $0.chunkLineCount = 1 }
        #expect(report.codes == [])
        let outbox = other.send("GET", "/v1/classes/Reading/outbox")
        #expect(
            outbox.text.texts(between: "\"n\":", and: ",") == ["2", "3", "1"], "\(outbox.text)")
    }
}

extension String {
    /// The texts that stand between one text and the next occurrence of another.
    fileprivate func texts(between start: String, and end: String) -> [String] {
        var result: [String] = []
        var rest = self[...]
        while let first = rest.firstRange(of: start) {
            rest = rest[first.upperBound...]
            guard let last = rest.firstRange(of: end) else { break }
            result.append(String(rest[..<last.lowerBound]))
        }
        return result
    }
}
