import HoldfastTransfer
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing
import HoldfastTestSupport

@testable import HoldfastObjectJSON
@testable import HoldfastRESTAPI

@Suite("MongoDB's extended JSON")
struct ExtendedJSONTests {
    private static let schema = Schema(classes: [
        ObjectClass(
            name: "Doc", primaryKey: "_id",
            properties: [
                Schemas.property("_id", .objectID), Schemas.property("count", .int, optional: true),
                Schemas.property("big", .int, optional: true),
                Schemas.property("ratio", .double, optional: true),
                Schemas.property("price", .decimal128, optional: true),
                Schemas.property("at", .date, optional: true),
                Schemas.property("bytes", .data, optional: true),
                Schemas.property("uuid", .uuid, optional: true),
                Property(name: "any", type: .single(.scalar(.mixed))),
                Schemas.list("dates", .date), Schemas.link("next", "Doc"),
            ])
    ])
    private static let id = "0123456789abcdef01234567"
    private static let other = "0123456789abcdef01234568"

    private static func send(
        _ text: String, _ parameters: String = "", to server: TestServer
    ) -> HTTPClient.Reply {
        server.client.send(
            "POST", "/v1/classes/Doc/import\(parameters)",
            headers: [("Content-Type", "application/x-ndjson; profile=\"extended-json\"")],
            body: Array(text.utf8))
    }

    private static func object(_ server: TestServer, _ fields: String) -> String {
        server.send("GET", "/v1/classes/Doc/objects/\(id)?fields=\(fields)").text
    }

    @Test(
        "becomes values of the property's type, in canonical, relaxed and older forms",
        arguments: [
            ("count", #"{"$numberInt":"7"}"#, "7"), ("count", "7", "7"),
            ("big", #"{"$numberLong":"9007199254740993"}"#, "9007199254740993"),
            ("ratio", #"{"$numberDouble":"1.5"}"#, "1.5"), ("ratio", "1.5", "1.5"),
            ("ratio", #"{"$numberDouble":"NaN"}"#, #""NaN""#),
            ("ratio", #"{"$numberInt":"2"}"#, "2.0"),
            ("price", #"{"$numberDecimal":"1.10"}"#, #""1.10""#),
            ("at", #"{"$date":"2020-01-02T03:04:05.678Z"}"#, #""2020-01-02T03:04:05.678Z""#),
            ("at", #"{"$date":"2020-01-02T03:04:05.678+0100"}"#, #""2020-01-02T02:04:05.678Z""#),
            ("at", #"{"$date":{"$numberLong":"-1"}}"#, #""1969-12-31T23:59:59.999Z""#),
            ("at", #"{"$date":1577934245678}"#, #""2020-01-02T03:04:05.678Z""#),
            ("bytes", #"{"$binary":{"base64":"AP8=","subType":"00"}}"#, #""AP8=""#),
            ("bytes", #"{"$binary":"AP8=","$type":"00"}"#, #""AP8=""#),
            (
                "uuid", #"{"$binary":{"base64":"ASNFZ4mrze8BI0VniavN7w==","subType":"04"}}"#,
                #""01234567-89ab-cdef-0123-456789abcdef""#
            ),
            (
                "uuid", #"{"$uuid":"01234567-89ab-cdef-0123-456789abcdef"}"#,
                #""01234567-89ab-cdef-0123-456789abcdef""#
            ),
            ("any", #"{"$numberLong":"7"}"#, "7"),
            ("any", #"{"$numberDouble":"5.5"}"#, "5.5"), ("any", #"{"$numberDouble":"5"}"#, "5.0"),
            ("any", #"{"$numberDouble":"-1.5E+18"}"#, "-1.5e+18"),
            ("any", #"{"$numberDouble":5.5}"#, "5.5"),
            ("any", #"{"$numberDouble":"NaN"}"#, #"{"$double":"NaN"}"#),
            (
                "any", #"{"a":[{"$numberDouble":"0.25"},{"$numberDouble":"-Infinity"}]}"#,
                #"{"a":[0.25,{"$double":"-Infinity"}]}"#
            ),
            ("any", #"{"$date":1000}"#, #"{"$date":"1970-01-01T00:00:01Z"}"#),
            (
                "any", #"[{"$oid":"0123456789abcdef01234567"},{"a":{"$numberDecimal":"1"}}]"#,
                #"[{"$objectId":"0123456789abcdef01234567"},{"a":{"$decimal":"1"}}]"#
            ),
            (
                "any", #"{"$binary":{"base64":"ASNFZ4mrze8BI0VniavN7w==","subType":"4"}}"#,
                #"{"$uuid":"01234567-89ab-cdef-0123-456789abcdef"}"#
            ),
            ("dates", #"[{"$date":0}]"#, #"["1970-01-01T00:00:00Z"]"#),
            ("next", #"{"$oid":"0123456789abcdef01234567"}"#, #""0123456789abcdef01234567""#),
            (
                "next", #"{"$ref":"Doc","$id":{"$oid":"0123456789abcdef01234567"}}"#,
                #""0123456789abcdef01234567""#
            ),
        ])
    func values(property: String, value: String, expected: String) throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.send(
            #"{"_id":{"$oid":"\#(Self.id)"},"\#(property)":\#(value)}"#, to: server)
        #expect(reply.status == 200, "\(reply.text)")
        #expect(Self.object(server, property) == #"{"\#(property)":\#(expected)}"#)
    }

    @Test(
        "is one object a line, over several lines, or an array, and one that is broken takes no other along",
        arguments: [1, 3, 1000])
    func forms(pieceByteCount: Int) throws {
        func ids(_ text: String) throws -> (report: ImportReport, count: Int) {
            let store = try Store(engine: try EngineCase.memory.open())
            try TestServer.put(Self.schema, in: store)
            let report = try Importing.report(
                text, into: store, "Doc", pieceByteCount: pieceByteCount
            ) { $0.format = .extendedJSON }
            return (report, try Importing.export(store, "Doc").count)
        }
        let first = #"{"_id":{"$oid":"\#(Self.id)"}}"#
        let second = "{\"_id\" :\n  {\"$oid\":\"\(Self.other)\"}\n}"
        for text in [
            "\(first)\n\(second)\n", "[\(first),\(second)]", " [\n\(first),\n\(second)\n]\n",
            "\u{FEFF}\(first)\(second)",
        ] {
            let (report, count) = try ids(text)
            #expect(report.codes == [] && count == 2, "\(text)")
        }
        let (broken, count) = try ids("\(first)\n{\"_id\":\n\(second)\n{\"a\nx\n5\n")
        #expect(count == 2)
        #expect(
            broken.codes == [
                "2 malformed-json", "6 malformed-json", "7 malformed-json", "8 malformed-json",
            ])
        let (cut, cutCount) = try ids("[\(first),\n")
        #expect(cutCount == 1 && cut.codes == ["2 malformed-json"])
        let (empty, _) = try ids("[]")
        #expect(empty.importedCount == 0 && empty.codes == [])
    }

    @Test("of a form that no property takes is a fault of its line")
    func faults() throws {
        let server = try TestServer(schema: Self.schema)
        let reply = Self.send(
            """
            {"_id":{"$oid":"\(Self.id)"},"at":{"$date":"soon"}}
            {"_id":{"$oid":"\(Self.id)"},"count":{"$numberInt":"x"}}
            {"_id":{"$oid":5}}
            {"_id":{"$oid":"\(Self.id)"},"uuid":{"$binary":{"base64":"AP8=","subType":"04"}}}
            {"_id":{"$oid":"\(Self.id)"},"ratio":{"$timestamp":{"t":1,"i":1}}}
            """, to: server)
        #expect(reply.status == 422)
        #expect(reply.text.contains(#""code":"nothing-imported""#))
        #expect(reply.text.contains(#""imported":0,"failed":5"#))
    }

    @Test("has members renamed, left out and ignored")
    func names() throws {
        let server = try TestServer(schema: Self.schema)
        let line =
            #"{"id":{"$oid":"\#(Self.id)"},"n":{"$numberInt":"1"},"x":{"id":1},"y":1,"next":{"_id":"\#(Self.id)","z":1}}"#
        #expect(Self.send(line, "?map=id=_id&map=n=count&skip=x", to: server).status == 422)
        let reply = Self.send(line, "?map=id=_id&map=n=count&skip=x&unknown=ignore", to: server)
        #expect(
            reply.text.contains(#"{"imported":1,"failed":0,"unknownMembers":2,"errors":[]"#),
            "\(reply.text)")
        #expect(Self.object(server, "count") == #"{"count":1}"#)
    }
}
