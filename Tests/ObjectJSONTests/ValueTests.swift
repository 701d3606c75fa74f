import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

/// A property of `Thing`, what is sent and what is answered.
struct Accepted: Sendable, CustomTestStringConvertible {
    var property: String
    var sent: String
    var answered: String
    var testDescription: String { "\(property): \(sent.prefix(60))" }

    init(_ property: String, _ sent: String, _ answered: String? = nil) {
        self.property = property
        self.sent = sent
        self.answered = answered ?? sent
    }

    static let table: [Accepted] = [
        Accepted("flag", "true"), Accepted("flag", "false"),
        Accepted("count", "0"), Accepted("count", "-42"), Accepted("count", "42.0", "42"),
        Accepted("count", "4.2e1", "42"), Accepted("count", "\"42\"", "42"),
        Accepted("count", "-0", "0"),
        Accepted("count", "9223372036854775807"), Accepted("count", "-9223372036854775808"),
        Accepted("count", "\"-9223372036854775808\"", "-9223372036854775808"),
        Accepted("ratio", "1.5"), Accepted("ratio", "2", "2.0"), Accepted("ratio", "-0.0"),
        Accepted("ratio", "1e300", "1e+300"), Accepted("ratio", "\"NaN\""),
        Accepted("ratio", "\"Infinity\""), Accepted("ratio", "\"-Infinity\""),
        Accepted("ratio", "18446744073709551616", "1.8446744073709552e+19"),
        Accepted("name", "\"\""), Accepted("name", #""a\"b\\c\n\u0001""#),
        Accepted("name", #""\u00e9\ud83d\ude00""#, "\"é😀\""), Accepted("name", #""a\u0000b""#),
        Accepted("bytes", "\"\""), Accepted("bytes", "\"AAEC/w==\""),
        Accepted("bytes", "\"AAEC_w\"", "\"AAEC/w==\""), Accepted("bytes", "\"-_8=\"", "\"+/8=\""),
        Accepted("at", "\"2026-11-20T06:38:58Z\""),
        Accepted("at", "\"2026-11-20T06:38:58.123456789Z\""),
        Accepted("at", "\"2026-11-20T06:38:58.500Z\"", "\"2026-11-20T06:38:58.5Z\""),
        Accepted("at", "\"2026-11-20t08:08:58+01:30\"", "\"2026-11-20T06:38:58Z\""),
        Accepted("at", "\"1969-12-31T23:59:59.9Z\""), Accepted("at", "\"0000-01-01T00:00:00Z\""),
        Accepted("at", "\"9999-12-31T23:59:59Z\""),
        Accepted("at", "\"2024-02-29T00:00:00-23:59\"", "\"2024-02-29T23:59:00Z\""),
        Accepted("oid", "\"507f1f77bcf86cd799439011\""),
        Accepted("oid", "\"507F1F77BCF86CD799439011\"", "\"507f1f77bcf86cd799439011\""),
        Accepted("uuid", "\"123e4567-e89b-12d3-a456-426614174000\""),
        Accepted(
            "uuid", "\"123E4567-E89B-12D3-A456-426614174000\"",
            "\"123e4567-e89b-12d3-a456-426614174000\""),
        Accepted("flagN", "null"), Accepted("countN", "null"), Accepted("ratioN", "null"),
        Accepted("nameN", "null"), Accepted("bytesN", "null"), Accepted("atN", "null"),
        Accepted("oidN", "null"), Accepted("uuidN", "null"), Accepted("flagN", "true"),
        Accepted("nameN", "\"x\""),
        Accepted("flags", "[true,false]"), Accepted("counts", "[3,1,\"2\",1.0]", "[3,1,2,1]"),
        Accepted("ratios", "[1,\"NaN\",-0.5]", "[1.0,\"NaN\",-0.5]"),
        Accepted("names", "[\"b\",\"\",\"a\",\"b\"]"), Accepted("names", "[]"),
        Accepted("blobs", "[\"AA==\",\"\"]"), Accepted("dates", "[\"2026-11-20T06:38:58Z\"]"),
        Accepted("oids", "[\"507f1f77bcf86cd799439011\"]"),
        Accepted("uuids", "[\"123e4567-e89b-12d3-a456-426614174000\"]"),
        Accepted("countsN", "[1,null,2,null]"), Accepted("namesN", "[null,\"\"]"),
        Accepted("countSet", "[3,1,2,1,3.0]", "[1,2,3]"),
        Accepted("nameSet", "[\"b\",\"a\",\"b\",\"B\"]", "[\"B\",\"a\",\"b\"]"),
        Accepted("ratioSetN", "[2,null,-1,null,\"NaN\"]", "[null,\"NaN\",-1.0,2.0]"),
    ]
}

@Suite("values of every type")
struct ValueTests {
    private let service: TestService
    private let thing = ObjectAddress("Thing", "1")

    init() throws { service = try TestService(classes: Schemas.everything.classes) }

    /// Expects that a write is refused for one fault, which has a code and a place.
    @discardableResult
    private static func expectRefusal(
        _ code: String, _ pointer: String, _ note: String, _ write: () throws -> Void
    ) -> RequestFault? {
        let fault = #expect(throws: RequestFault.self, "\(note)") { try write() }
        #expect(fault?.kind == .invalid, "\(note)")
        #expect(fault?.errors.map(\.code) == [code], "\(note)")
        #expect(fault?.errors.map(\.pointer) == [pointer], "\(note)")
        return fault
    }

    @Test("every accepted form is stored and answered in the one form of its type")
    func accepted() throws {
        for value in Accepted.table {
            let body = "{\"\(value.property)\":\(value.sent)}"
            let expected = "\"\(value.property)\":\(value.answered)"
            let text = try service.put(thing, body).text
            #expect(
                text.contains(expected + ",") || text.contains(expected + "}"), "\(body): \(text)")
            #expect(try service.object(thing) == text)
        }
    }

    /// Values that no property of the type takes, with the code of the fault.
    static let refused: [(properties: [String], values: [String], code: String)] = [
        (["flag", "flagN"], ["0", "1", "\"true\"", "[]", "{}", "1.5"], "wrong-type"),
        (
            ["count", "countN", "id"],
            ["true", "\"x\"", "\"\"", "\"1.0\"", "1.5", "[]", "{}", "\"-\""], "wrong-type"
        ),
        (
            ["count", "countN"],
            [
                "9223372036854775808", "-9223372036854775809", "1e30", "\"9223372036854775808\"",
                "99999999999999999999999",
            ], "out-of-range"
        ),
        (
            ["ratio", "ratioN"], ["true", "\"1.5\"", "\"nan\"", "\"infinity\"", "[]", "{}"],
            "wrong-type"
        ),
        (["ratio", "ratioN"], ["1e400", "-1e400"], "out-of-range"),
        (["name", "nameN"], ["1", "true", "[]", "{}", "1.5"], "wrong-type"),
        (["bytes", "bytesN"], ["1", "true", "[]", "{}"], "wrong-type"),
        (
            ["bytes", "bytesN"], ["\"A\"", "\"AA=\"", "\"+_==\"", "\"A A=\"", "\"é\"", "\"AB==\""],
            "invalid-base64"
        ),
        (["at", "atN"], ["1", "true", "[]", "{}"], "wrong-type"),
        (
            ["at", "atN"],
            [
                "\"\"", "\"2026-11-20\"", "\"2026-02-29T00:00:00Z\"", "\"2026-11-20T24:00:00Z\"",
                "\"2026-11-20T06:38:58\"", "\"2026-11-20T06:38:58.1234567890Z\"",
                "\"2026-13-01T00:00:00Z\"", "\"2026-11-20T06:38:58Zx\"",
                "\"2026-11-20T06:38:58.Z\"",
            ], "invalid-date"
        ),
        (["oid", "oidN"], ["1", "true", "[]", "{}"], "wrong-type"),
        (
            ["oid", "oidN"],
            [
                "\"\"", "\"507f1f77bcf86cd79943901\"", "\"507f1f77bcf86cd7994390111\"",
                "\"507f1f77bcf86cd79943901g\"",
            ],
            "invalid-object-id"
        ),
        (["uuid", "uuidN"], ["1", "true", "[]", "{}"], "wrong-type"),
        (
            ["uuid", "uuidN"],
            [
                "\"\"", "\"123e4567e89b12d3a456426614174000\"",
                "\"123e4567-e89b-12d3-a456-42661417400g\"",
            ],
            "invalid-uuid"
        ),
        (
            [
                "flags", "counts", "ratios", "names", "blobs", "dates", "oids", "uuids", "countsN",
                "namesN", "countSet", "nameSet", "ratioSetN",
            ], ["1", "true", "\"x\"", "{}", "1.5"], "wrong-type"
        ),
        (
            [
                "flags", "counts", "ratios", "names", "blobs", "dates", "oids", "uuids", "countsN",
                "namesN", "countSet", "nameSet", "ratioSetN", "flag", "count", "ratio", "name",
                "bytes", "at", "oid", "uuid", "id",
            ], ["null"], "null-not-allowed"
        ),
    ]

    @Test("a value of the wrong type is refused with its pointer and code, and changes nothing")
    func wrongTypes() throws {
        let before = try service.put(thing, "{\"name\":\"before\"}").text
        let version = service.store.version
        for (properties, values, code) in Self.refused {
            for property in properties {
                for value in values {
                    let body = "{\"\(property)\":\(value)}"
                    Self.expectRefusal(code, "/\(property)", body) {
                        try service.put(thing, body)
                    }
                    Self.expectRefusal(code, "/\(property)", body) {
                        try service.merge(thing, body)
                    }
                }
            }
        }
        #expect(try service.object(thing) == before)
        #expect(service.store.version == version)
    }

    @Test("an element of the wrong type is refused with its position")
    func wrongElements() throws {
        let table: [(String, String, Int, String)] = [
            ("flags", "[true,1]", 1, "wrong-type"), ("counts", "[1,2,\"x\"]", 2, "wrong-type"),
            ("counts", "[9223372036854775808]", 0, "out-of-range"),
            ("counts", "[1,null]", 1, "null-not-allowed"), ("names", "[\"a\",2]", 1, "wrong-type"),
            ("blobs", "[\"?\"]", 0, "invalid-base64"), ("dates", "[\"x\"]", 0, "invalid-date"),
            ("oids", "[\"x\"]", 0, "invalid-object-id"), ("uuids", "[\"x\"]", 0, "invalid-uuid"),
            ("countsN", "[null,true]", 1, "wrong-type"), ("nameSet", "[\"a\",[]]", 1, "wrong-type"),
            ("ratioSetN", "[1e999]", 0, "out-of-range"),
        ]
        for (property, value, position, code) in table {
            let body = "{\"\(property)\":\(value)}"
            Self.expectRefusal(code, "/\(property)/\(position)", body) {
                try service.put(ObjectAddress("Thing", "9"), body)
            }
        }
        let missing = #expect(throws: RequestFault.self) {
            try service.object(ObjectAddress("Thing", "9"))
        }
        #expect(missing?.kind == .notFound)
    }

    @Test("a property that is left out starts with its declared default or the zero of its type")
    func defaults() throws {
        let answer = try service.put(ObjectAddress("Thing", "2"), "{}")
        guard case .json(let text, isCreated: true) = answer else {
            Issue.record("\(answer)")
            return
        }
        for part in [
            "\"id\":2", "\"flag\":false", "\"count\":0", "\"ratio\":0.0", "\"name\":\"\"",
            "\"bytes\":\"\"", "\"nameN\":null", "\"names\":[]", "\"countSet\":[]",
        ] {
            #expect(text.contains(part))
        }
    }

    @Test(
        "strings and data of 16 MiB are taken, one byte more is refused", arguments: EngineCase.all)
    func lengths(engine: EngineCase) throws {
        let service = try TestService(engine, classes: Schemas.everything.classes)
        let limit = ModelLimits.valueByteCountMax
        let text = String(repeating: "x", count: limit)
        try service.put(thing, "{\"name\":\"\(text)\"}")
        #expect(try service.object(thing)?.utf8.count ?? 0 > limit)
        let longer = Self.expectRefusal("too-long", "/name", "a text") {
            try service.put(thing, "{\"name\":\"\(text)x\"}")
        }
        #expect(longer?.detail.contains("16777216") ?? false)
        // 16 MiB leave one byte over in groups of three: "AA==" ends them.
        let digits = String(repeating: "AAAA", count: limit / 3)
        let other = ObjectAddress("Thing", "2")
        try service.put(other, "{\"bytes\":\"\(digits)AA==\"}")
        Self.expectRefusal("too-long", "/bytes", "data") {
            try service.put(other, "{\"bytes\":\"\(digits)AAA=\"}")
        }
    }
}
