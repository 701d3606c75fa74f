import HoldfastObjectModel
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import Testing
import HoldfastTestSupport

/// What the pages of the reference limit, at the limit and one above. Map keys, `mixed` and kinds of
/// classes have their tests beside their own.
@Suite("Limits of the reference")
struct ReferenceLimitTests {
    /// A schema document and the answer to it.
    struct SchemaLimit: Sendable, CustomTestStringConvertible {
        var page: String
        var rule: String
        var body: String
        var status: Int
        var texts: [String] = []

        var testDescription: String { "\(page): \(rule) is \(status)" }
    }

    private static func classNamed(_ name: String) -> String {
        #"{"classes":[{"name":"\#(name)","properties":{"p":"int"}}]}"#
    }

    private static func propertyNamed(_ name: String) -> String {
        #"{"classes":[{"name":"X","properties":{"\#(name)":"int"}}]}"#
    }

    private static func property(_ type: String, _ more: String = "") -> String {
        #"{"classes":[{"name":"X","properties":{"p":\#(type)}\#(more)},{"name":"E","kind":"embedded","properties":{"q":"int"}},{"name":"Y","properties":{"q":"int"}}]}"#
    }

    private static let names: [SchemaLimit] = {
        let object = "define-object-model, Define a New Object Type"
        let declare = "define-object-model, Declare Properties"
        var limits: [SchemaLimit] = []
        // Letters of one, two, three and four bytes, each at the limit and with one byte more.
        for (letter, byteCount) in [("a", 1), ("ü", 2), ("字", 3), ("𐌰", 4)] {
            for (page, max, body) in [
                (object, 57, classNamed), (declare, 63, propertyNamed),
            ] {
                let fitting =
                    String(repeating: letter, count: max / byteCount)
                    + String(repeating: "a", count: max % byteCount)
                limits.append(
                    SchemaLimit(
                        page: page, rule: "a name of \(max) bytes, '\(letter)'",
                        body: body(fitting), status: 200))
                limits.append(
                    SchemaLimit(
                        page: page, rule: "a name of \(max + 1) bytes, '\(letter)'",
                        body: body(fitting + "a"), status: 422,
                        texts: ["has \(max + 1) bytes of UTF-8; \(max) are allowed"]))
            }
        }
        return limits
    }()

    private static let keys: [SchemaLimit] = {
        let page = "define-object-model, Specify a Primary Key"
        func keyed(_ type: String) -> String {
            #"{"classes":[{"name":"X","primaryKey":"p","properties":{"p":"\#(type)"}},{"name":"Y","properties":{"q":"int"}}]}"#
        }
        let allowed = [
            "int", "int8", "int16", "int32", "int64", "string", "objectId", "uuid", "int?",
            "string?",
            "objectId?", "uuid?",
        ]
        let refused = [
            "bool", "float", "double", "decimal128", "data", "date", "Y", "int[]", "string<>",
            "uuid{}",
        ]
        return allowed.map {
            SchemaLimit(page: page, rule: "a key of type \($0)", body: keyed($0), status: 200)
        }
            + refused.map {
                SchemaLimit(
                    page: page, rule: "a key of type \($0)", body: keyed($0), status: 422,
                    texts: [
                        "cannot be made the primary key of 'X' because it is not a 'string', 'int', 'objectId', or 'uuid'"
                    ])
            } + [
                SchemaLimit(
                    page: page, rule: "two primary keys",
                    body:
                        #"{"classes":[{"name":"X","primaryKey":["p","q"],"properties":{"p":"int","q":"int"}}]}"#,
                    status: 422, texts: [#""pointer":"/classes/0/primaryKey""#]),
                SchemaLimit(
                    page: page, rule: "a primary key of an embedded class",
                    body:
                        #"{"classes":[{"name":"X","kind":"embedded","primaryKey":"p","properties":{"p":"int"}}]}"#,
                    status: 422, texts: ["embedded class can't have a primary key"]),
            ]
    }()

    private static let indexes: [SchemaLimit] = {
        let page = "define-object-model, Index a Property"
        func indexed(_ type: String) -> String {
            property(#"{"type":"\#(type)","indexed":true}"#)
        }
        let allowed = [
            "string", "int", "int8", "int16", "int32", "int64", "bool", "date", "uuid", "objectId",
            "string?", "int?", "bool?", "date?", "uuid?", "objectId?",
            // Beyond the page.
            "float", "double", "decimal128",
        ]
        let refused = ["data", "data?", "Y", "E", "int[]", "string<>", "int{}"]
        return allowed.map {
            SchemaLimit(page: page, rule: "an index of type \($0)", body: indexed($0), status: 200)
        }
            + refused.map {
                SchemaLimit(
                    page: page, rule: "an index of type \($0)", body: indexed($0), status: 422,
                    texts: [#""pointer":"/classes/0/properties/p"#])
            }
    }()

    private static let relations: [SchemaLimit] = [
        SchemaLimit(
            page: "object-schema-examples, Define a To-One Relationship Property",
            rule: "a to-one link, optional", body: property(#""Y?""#), status: 200),
        SchemaLimit(
            page: "object-schema-examples, Define a To-One Relationship Property",
            rule: "a required to-one link",
            body: property(#"{"type":"object","class":"Y","optional":false}"#), status: 422,
            texts: ["`X.p` property must be marked as being optional"]),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet", rule: "an embedded object, optional",
            body: property(#""E?""#), status: 200),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet", rule: "a required embedded object",
            body: property(#"{"type":"object","class":"E","optional":false}"#), status: 422,
            texts: ["`X.p` property must be marked as being optional"]),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet", rule: "an optional list",
            body: property(#""int[]?""#), status: 422, texts: ["never null"]),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet", rule: "an optional set",
            body: property(#""int<>?""#), status: 422, texts: ["never null"]),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet", rule: "an optional map",
            body: property(#""int{}?""#), status: 422, texts: ["never null"]),
        SchemaLimit(
            page: "supported-types, Property Cheat Sheet",
            rule: "an optional list, in the long form",
            body: property(#"{"type":"list","element":"int","optional":true}"#), status: 422,
            texts: [#""pointer":"/classes/0/properties/p/optional""#]),
        SchemaLimit(
            page: "supported-types, Mutable Set", rule: "a set of objects",
            body: property(#""Y<>""#), status: 200),
        SchemaLimit(
            page: "supported-types, Mutable Set", rule: "a set of embedded objects",
            body: property(#""E<>""#), status: 422, texts: ["A set can't hold embedded objects"]),
        SchemaLimit(
            page: "supported-types, Collection Types", rule: "a list of lists",
            body: property(#"{"type":"list","element":"int[]"}"#), status: 422),
        SchemaLimit(
            page: "object-schema-examples, Define an Inverse Relationship Property",
            rule: "an inverse of no property",
            body: property(#"{"type":"linkingObjects","class":"Y","property":"none"}"#),
            status: 422,
            texts: ["'Y.none', which does not exist"]),
        SchemaLimit(
            page: "object-schema-examples, Define an Inverse Relationship Property",
            rule: "an inverse of a property that links elsewhere",
            body: property(#"{"type":"linkingObjects","class":"Y","property":"q"}"#), status: 422,
            texts: ["'Y.q' does not link to 'X'"]),
    ]

    @Test("a schema is held against each rule", arguments: names + keys + indexes + relations)
    func schema(limit: SchemaLimit) throws {
        let server = try TestServer(schema: Schema())
        APIScenario("PUT", "/v1/schema", limit.body, status: limit.status, contains: limit.texts)
            .check(on: server)
    }

    @Test("supported-types, Size Limitations: strings and data hold 16,777,216 bytes, not one more")
    func sizes() throws {
        let server = try TestServer(schema: Schema())
        server.send(
            "PUT", "/v1/schema/classes/Big",
            #"{"primaryKey":"id","properties":{"id":"int","text":"string?","bytes":"data?","texts":"string[]"}}"#
        )
        let max = 16_777_216
        // Base64 of `max` bytes of zero, and of one more.
        let bytes = String(repeating: "AAAA", count: max / 3)
        let bodies: [(String, String, Int)] = [
            ("text", "\"" + String(repeating: "x", count: max) + "\"", 201),
            ("text", "\"" + String(repeating: "x", count: max + 1) + "\"", 422),
            ("text", "\"" + String(repeating: "ü", count: max / 2) + "\"", 201),
            ("text", "\"" + String(repeating: "ü", count: max / 2) + "x\"", 422),
            ("texts", "[\"" + String(repeating: "𐌰", count: max / 4) + "\"]", 201),
            ("texts", "[\"" + String(repeating: "𐌰", count: max / 4) + "x\"]", 422),
            ("bytes", "\"" + bytes + "AA==\"", 201), ("bytes", "\"" + bytes + "AAA=\"", 422),
        ]
        for (id, (property, value, status)) in bodies.enumerated() {
            let reply = server.send(
                "PUT", "/v1/classes/Big/objects/\(id)", "{\"\(property)\":\(value)}",
                headers: [("Prefer", "return=minimal")])
            #expect(reply.status == status, "\(property) \(id)")
            if status == 422 {
                #expect(reply.text.contains(#""pointer":"/\#(property)"#), "\(property) \(id)")
            }
        }
        #expect(try server.store.findings() == [])
    }

    @Test("embedded objects nest in an object 100 deep, not one deeper")
    func depth() throws {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "PUT", "/v1/schema",
            #"{"classes":[{"name":"Tree","primaryKey":"id","properties":{"id":"int","root":"Node?"}},{"name":"Node","kind":"embedded","properties":{"n":"int","child":"Node?","leaf":"Tree?"}}]}"#,
            status: 200
        ).check(on: server)
        func body(_ depth: Int) -> String {
            var text = "null"
            for level in stride(from: depth, through: 1, by: -1) {
                let leaf = level == depth ? ",\"leaf\":1" : ""
                text = "{\"n\":\(level),\"child\":\(text)\(leaf)}"
            }
            return "{\"root\":\(text)}"
        }
        APIScenario("PUT", "/v1/classes/Tree/objects/1", body(100), status: 201).check(on: server)
        APIScenario("PUT", "/v1/classes/Tree/objects/2", body(101), status: 422).check(on: server)
        #expect(try server.store.findings() == [])
        let deep = server.send("GET", "/v1/classes/Tree/objects/1").text
        #expect(deep.contains(#""n":100,"child":null,"leaf":1"#))
        // Overwriting the tree deletes all of it, and deleting the object the rest.
        APIScenario(
            "PATCH", "/v1/classes/Tree/objects/1", #"{"root":null}"#, status: 200,
            contains: [#""root":null"#]
        ).check(on: server)
        #expect(try server.store.findings() == [])
        APIScenario("PUT", "/v1/classes/Tree/objects/1", body(100), status: 200).check(on: server)
        APIScenario("DELETE", "/v1/classes/Tree/objects/1", status: 204).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("100 classes that embed each other in a chain hold a tree as deep")
    func classChain() throws {
        let server = try TestServer(schema: Schema())
        let classes = (1...100).map { level in
            let child = level < 100 ? ",\"child\":\"E\(level + 1)?\"" : ""
            return
                "{\"name\":\"E\(level)\",\"kind\":\"embedded\",\"properties\":{\"n\":\"int\"\(child)}}"
        }
        APIScenario(
            "PUT", "/v1/schema",
            "{\"classes\":[{\"name\":\"Top\",\"properties\":{\"first\":\"E1?\"}},\(classes.joined(separator: ","))]}",
            status: 200
        ).check(on: server)
        var text = "{\"n\":100}"
        for level in stride(from: 99, through: 1, by: -1) {
            text = "{\"n\":\(level),\"child\":\(text)}"
        }
        APIScenario(
            "POST", "/v1/classes/Top/objects", "{\"first\":\(text)}", status: 201,
            contains: [#"{"n":99,"child":{"n":100}}"#]
        ).check(on: server)
        APIScenario("DELETE", "/v1/classes/Top/objects/1", status: 204).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("define-object-model, Specify a Primary Key: values are unique and never change")
    func primaryKeys() throws {
        let server = try TestServer(schema: Schema())
        server.send(
            "PUT", "/v1/schema/classes/P",
            #"{"primaryKey":"id","properties":{"id":"string?","n":"int?"}}"#)
        let objects = "/v1/classes/P/objects"
        APIScenario("POST", objects, #"{"id":"a"}"#, status: 201).check(on: server)
        APIScenario("POST", objects, #"{"id":null}"#, status: 201).check(on: server)
        APIScenario("POST", objects, #"{"id":"a"}"#, status: 409, contains: ["duplicate-key"])
            .check(
                on: server)
        APIScenario("POST", objects, #"{"id":null}"#, status: 409, contains: ["duplicate-key"])
            .check(on: server)
        for (method, type) in [
            ("PUT", "application/json"), ("PATCH", "application/merge-patch+json"),
        ] {
            APIScenario(
                method, objects + "/a", #"{"id":"b"}"#, headers: [("Content-Type", type)],
                status: 422, contains: ["key-mismatch"]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", objects + "/a", #"[{"op":"replace","path":"/id","value":"b"}]"#,
            headers: [("Content-Type", "application/json-patch+json")], status: 422,
            contains: ["key-mismatch"]
        ).check(on: server)
    }
}
