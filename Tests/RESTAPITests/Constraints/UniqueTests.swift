import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import Testing
import HoldfastTestSupport

@Suite("Unique values")
struct UniqueTests {
    private static let account =
        #"{"name":"Account","primaryKey":"id","properties":{"id":"int","email":{"type":"string","optional":true,"unique":true},"country":"string?","number":"int?","owner":"Account?"},"unique":[["country","number"],["owner"]]}"#

    private func open(_ engine: EngineCase = .memory) throws -> TestServer {
        let server = try TestServer(engine, schema: Schema())
        APIScenario("PUT", "/v1/schema", #"{"classes":[\#(Self.account)]}"#, status: 200).check(
            on: server)
        return server
    }

    private let objects = "/v1/classes/Account/objects"

    @Test("a value or a group that another object has is 409, which names both")
    func taken() throws {
        let server = try open()
        server.send(
            "PUT", objects + "/1", #"{"email":"a@x","country":"FR","number":7,"owner":1}"#)
        server.send("PUT", objects + "/2", #"{"email":"b@x","country":"FR","number":8,"owner":2}"#)
        let table: [(String, String, String, [String])] = [
            (
                "POST", "", #"{"id":3,"email":"a@x"}"#,
                [#""pointer":"/email""#, "'email' of class 'Account' is unique", "Account 1 has"]
            ),
            ("PUT", "/3", #"{"email":"b@x"}"#, [#""pointer":"/email""#, "Account 2 has"]),
            ("PATCH", "/2", #"{"email":"a@x"}"#, [#""pointer":"/email""#, "Account 1 has"]),
            (
                "PATCH", "/2", #"{"number":7}"#,
                [#""pointer":"""#, "'country', 'number'", "unique together", "Account 1 has"]
            ),
            ("PATCH", "/2", #"{"owner":1}"#, [#""pointer":"/owner""#, "Account 1 has"]),
            (
                "POST", "", #"[{"id":3,"email":"c@x"},{"id":4,"email":"c@x"}]"#,
                [#""pointer":"/1/email""#, "Account 3 has"]
            ),
            (
                "POST", "", #"[{"id":3,"email":"a@x"},{"id":4,"email":"b@x"}]"#,
                [#""pointer":"/0/email""#, #""pointer":"/1/email""#, "(1 more fault, see errors.)"]
            ),
            (
                "POST", "", #"{"id":3,"owner":{"id":4,"email":"a@x"}}"#,
                [#""pointer":"/owner/email""#, "Account 1 has"]
            ),
            (
                "PATCH", "?filter=id%20%3E%200", #"{"email":"z@x"}"#, [#""pointer":"/email""#]
            ),
        ]
        for (method, path, body, texts) in table {
            APIScenario(
                method, objects + path, body, status: 409,
                contains: [#""code":"not-unique""#] + texts
            ).check(on: server)
        }
        APIScenario(
            "PATCH", objects + "/2", #"[{"op":"replace","path":"/email","value":"a@x"}]"#,
            headers: [("Content-Type", "application/json-patch+json")], status: 409,
            contains: [#""pointer":"/0/value""#]
        ).check(on: server)
        APIScenario(
            "GET", objects + "?count=exact", status: 200,
            contains: [#""count":2"#, #""email":"b@x""#, #""number":8"#]
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("nulls are no values: any number of objects has them")
    func nulls() throws {
        let server = try open()
        for id in 1...3 {
            APIScenario("PUT", objects + "/\(id)", #"{"country":"FR"}"#, status: 201).check(
                on: server)
        }
        APIScenario(
            "PATCH", objects + "/1", #"{"number":1}"#, status: 200
        ).check(on: server)
        APIScenario(
            "PATCH", objects + "/2", #"{"number":1}"#, status: 409, contains: ["not-unique"]
        ).check(on: server)
        APIScenario(
            "PATCH", objects + "/2", #"{"number":1,"country":null}"#, status: 200
        ).check(on: server)
        APIScenario("DELETE", objects + "/1", status: 204).check(on: server)
        APIScenario("PATCH", objects + "/3", #"{"number":1}"#, status: 200).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("two objects swap their values in one transaction, and the end of it counts")
    func swap() throws {
        let server = try open(.lmdb)
        server.send("PUT", objects + "/1", #"{"email":"a","country":"X","number":1,"owner":1}"#)
        server.send("PUT", objects + "/2", #"{"email":"b","country":"X","number":2,"owner":2}"#)
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[
              {"op":"patch","class":"Account","id":1,"value":{"email":"b","number":2,"owner":2}},
              {"op":"patch","class":"Account","id":2,"value":{"email":"a","number":1,"owner":1}}]}
            """, status: 200
        ).check(on: server)
        APIScenario(
            "POST", objects + "?mode=merge", #"[{"id":1,"email":"a"},{"id":2,"email":"b"}]"#,
            status: 200
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[
              {"op":"create","class":"Account","value":{"id":3,"email":"a"}},
              {"op":"delete","class":"Account","id":1},
              {"op":"create","class":"Account","value":{"id":4,"email":"c"}},
              {"op":"patch","class":"Account","id":4,"value":[{"op":"add","path":"/email","value":"b"}]}]}
            """, status: 409,
            contains: [
                #""pointer":"/operations/3/value/0/value""#, "Account 2 has this value already",
            ], excludes: ["/operations/0"]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/transactions",
            """
            {"operations":[
              {"op":"create","class":"Account","value":{"id":3,"email":"a"}},
              {"op":"delete","class":"Account","id":1}]}
            """, status: 200
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("queries use the index of a unique property")
    func explain() throws {
        let server = try open()
        for id in 1...9 { server.send("PUT", objects + "/\(id)", #"{"email":"\#(id)"}"#) }
        APIScenario(
            "GET", objects + "?filter=email%20%3D%3D%20%225%22&explain=true", status: 200,
            contains: [#""indexes":["email"]"#, #""id":5"#]
        ).check(on: server)
    }

    @Test("an import tells the line of a taken value and keeps the others; atomic, the end counts")
    func imports() throws {
        let server = try open()
        server.send("PUT", objects + "/1", #"{"email":"a"}"#)
        let lines = [
            #"{"id":2,"email":"b"}"#, #"{"id":3,"email":"a"}"#, #"{"id":4,"email":"b"}"#,
            #"{"id":5,"owner":3}"#, #"{"id":6,"country":"X","number":1}"#,
            #"{"id":7,"country":"X","number":1}"#, #"{"id":8,"email":"c"}"#,
        ].joined(separator: "\n")
        let report = try Importing.report(lines, into: server.store, "Account")
        #expect((report.importedCount, report.failedCount) == (3, 4))
        #expect(
            report.codes.sorted() == [
                "2 not-unique", "3 not-unique", "4 dangling-link", "6 not-unique",
            ])
        let taken = report.faults.filter { $0.fault.code == "not-unique" }
        #expect(taken.map(\.fault.pointer) == ["/email", "/email", ""])

        let swap = #"{"id":1,"email":"b"}"# + "\n" + #"{"id":2,"email":"a"}"#
        let swapped = try Importing.report(swap, into: server.store, "Account") {
            $0.mode = .merge
            $0.isAtomic = true
        }
        #expect((swapped.importedCount, swapped.failedCount) == (2, 0))
        let refused = try Importing.report(
            #"{"id":1,"email":"z"}"# + "\n" + #"{"id":2,"email":"z"}"#, into: server.store,
            "Account"
        ) {
            $0.mode = .merge
            $0.isAtomic = true
        }
        #expect(refused.importedCount == 0)
        #expect(refused.codes == ["2 not-unique"])
        #expect(try server.store.findings() == [])
    }

    @Test("the store's own OpenAPI document says what is unique")
    func document() throws {
        let server = try open()
        APIScenario(
            "GET", "/v1/openapi.json", status: 200,
            contains: [
                "Unique: no two objects have the same value.",
                "Unique together with `number`.", "Unique together with `country`.",
            ]
        ).check(on: server)
    }

    @Test("a whole store comes back with what is unique, and a line that breaks it is told")
    func wholeStore() throws {
        let server = try open()
        server.send(
            "POST", objects,
            #"[{"id":1,"email":"a","owner":2},{"id":2,"email":"b","owner":3,"country":"X","number":1},{"id":3}]"#
        )
        let exported = server.send("GET", "/v1/export").text
        let other = try TestServer(schema: Schema())
        let report = try Importing.storeReport(exported, into: other.store)
        #expect((report.importedCount, report.failedCount) == (3, 0))
        #expect(other.send("GET", "/v1/export").text == exported)
        let header = exported.prefix { $0 != "\n" }
        let lines = [
            #"{"class":"Account","id":4,"object":{"id":4,"email":"a"}}"#,
            #"{"class":"Account","id":5,"object":{"id":5,"email":"c","owner":6}}"#,
            #"{"class":"Account","id":6,"object":{"id":6,"owner":2}}"#,
            #"{"class":"Account","id":7,"object":{"id":7,"email":"c","owner":8}}"#,
        ]
        let refused = try Importing.storeReport(
            header + "\n" + lines.joined(separator: "\n"), into: other.store)
        #expect(
            refused.codes.sorted().prefix(3) == [
                "2 not-unique", "3 dangling-link", "4 not-unique",
            ])
        #expect(refused.importedCount == 0)
        #expect(try other.store.findings() == [])
    }

    @Test("what is shared can't be made unique: 409 with counts and examples, dry run or not")
    func schemaOverData() throws {
        let server = try TestServer(schema: Schema())
        func schema(_ name: String, _ groups: String = "") -> String {
            #"{"properties":{"name":\#(name),"n":"int?"}\#(groups)}"#
        }
        let path = "/v1/schema/classes/Tag"
        let unique = #"{"type":"string","unique":true}"#
        server.send("PUT", path, schema(#""string""#))
        for (name, n) in [("a", "1"), ("b", "1"), ("a", "2"), ("a", "1"), ("c", "null")] {
            server.send("POST", "/v1/classes/Tag/objects", #"{"name":"\#(name)","n":\#(n)}"#)
        }
        for parameter in ["?dryRun=true", ""] {
            APIScenario(
                "PUT", path + parameter, schema(unique, #","unique":[["n","name"],["name"]]"#),
                status: 409,
                contains: [
                    #""code":"shared-values""#, #""pointer":"/properties/name""#,
                    "3 objects share 'name' with another: 'a' of Tag with $id 1 and Tag with $id 3",
                    #""pointer":"/unique/0""#, "2 objects share 'n', 'name'",
                    "1, 'a' of Tag with $id 1 and Tag with $id 4", #""pointer":"/unique/1""#,
                ]
            ).check(on: server)
        }
        APIScenario("GET", path, status: 200, excludes: ["unique"]).check(on: server)
        server.send("DELETE", "/v1/classes/Tag/objects/4")
        let group = schema(#""string""#, #","unique":[["n","name"]]"#)
        APIScenario(
            "PUT", path + "?dryRun=true", group, status: 200,
            contains: [#""op":"addUnique","class":"Tag","property":"n,name","objects":4"#]
        ).check(on: server)
        APIScenario("PUT", path, group, status: 200, contains: [#""unique":[["n","name"]]"#]).check(
            on: server)
        #expect(try server.store.findings() == [])
        APIScenario(
            "POST", "/v1/classes/Tag/objects", #"{"name":"a","n":1}"#, status: 409
        ).check(on: server)
        server.send("DELETE", "/v1/classes/Tag/objects/3")
        APIScenario(
            "PUT", path + "?dryRun=true", schema(unique), status: 200,
            contains: [#""op":"addUnique""#, #""op":"dropUnique""#]
        ).check(on: server)
        APIScenario(
            "PUT", path, schema(unique), status: 200, contains: [#""unique":true"#],
            excludes: ["[["]
        ).check(on: server)
        #expect(try server.store.findings() == [])
        APIScenario(
            "POST", "/v1/classes/Tag/objects", #"{"name":"a","n":5}"#, status: 409
        ).check(on: server)
        APIScenario("PUT", path, schema(#""string""#), status: 200, excludes: ["unique"]).check(
            on: server)
        APIScenario(
            "POST", "/v1/classes/Tag/objects", #"{"name":"a","n":5}"#, status: 201
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("an added unique property has a value for each object, or null")
    func addedProperty() throws {
        let server = try TestServer(schema: Schema())
        let path = "/v1/schema/classes/Tag"
        server.send("PUT", path, #"{"properties":{"n":"int"}}"#)
        for n in 1...3 { server.send("POST", "/v1/classes/Tag/objects", #"{"n":\#(n)}"#) }
        APIScenario(
            "PUT", path, #"{"properties":{"n":"int","k":{"type":"int","unique":true}}}"#,
            status: 409, contains: ["3 objects share 'k'", "0 of Tag with $id 1"]
        ).check(on: server)
        APIScenario(
            "PUT", path,
            #"{"properties":{"n":"int","k":{"type":"int?","unique":true},"u":{"type":"uuid","default":"$uuid","unique":true}},"unique":[["n","u"]]}"#,
            status: 200
        ).check(on: server)
        #expect(try server.store.findings() == [])
    }

    @Test("a schema that can't be kept unique is refused with its place")
    func refusedSchemas() throws {
        let server = try TestServer(schema: Schema())
        let table: [(String, String)] = [
            (#"{"properties":{"p":{"type":"data","unique":true}}}"#, "/properties/p"),
            (#"{"properties":{"p":{"type":"int[]","unique":true}}}"#, "/properties/p"),
            (#"{"properties":{"p":{"type":"X?","unique":true}}}"#, "/properties/p"),
            (#"{"properties":{"p":{"type":"int","unique":1}}}"#, "/properties/p/unique"),
            (
                #"{"kind":"embedded","properties":{"p":{"type":"int","unique":true}}}"#,
                "/properties/p"
            ),
            (#"{"properties":{"p":"int"},"unique":[["q"]]}"#, "/unique/0"),
            (#"{"properties":{"p":"int"},"unique":[["p"],[]]}"#, "/unique/1"),
            (#"{"properties":{"p":"int"},"unique":[["p","p"]]}"#, "/unique/0"),
            (#"{"properties":{"p":"int","q":"int"},"unique":[["p","q"],["q","p"]]}"#, "/unique/1"),
            (#"{"properties":{"p":"data"},"unique":[["p"]]}"#, "/unique/0"),
            (#"{"properties":{"p":"X[]"},"unique":[["p"]]}"#, "/unique/0"),
            (#"{"properties":{"p":"int"},"unique":["p"]}"#, "/unique/0"),
            (#"{"properties":{"p":"int"},"unique":[[1]]}"#, "/unique/0/0"),
            (#"{"properties":{"p":"int"},"unique":true}"#, "/unique"),
            (#"{"kind":"embedded","properties":{"p":"int"},"unique":[["p"]]}"#, ""),
        ]
        for (body, pointer) in table {
            APIScenario(
                "PUT", "/v1/schema/classes/X", body, status: 422,
                contains: [#""pointer":"\#(pointer)""#]
            ).check(on: server)
        }
    }

    @Test("a group has 16 properties and a class 64 groups, and not one more")
    func limits() throws {
        let server = try TestServer(schema: Schema())
        func body(groups: Int, properties: Int) -> String {
            let names = (0..<80).map { "\"p\($0)\":\"int?\"" }.joined(separator: ",")
            let all = (0..<groups).map { first in
                "[" + (0..<properties).map { "\"p\((first + $0) % 80)\"" }.joined(separator: ",")
                    + "]"
            }
            return #"{"properties":{\#(names)},"unique":[\#(all.joined(separator: ","))]}"#
        }
        for (groups, properties, status) in [(64, 16, 201), (65, 1, 422), (1, 17, 422)] {
            APIScenario(
                "PUT", "/v1/schema/classes/G\(groups)x\(properties)",
                body(groups: groups, properties: properties), status: status
            ).check(on: server)
        }
    }

    @Test("every type that can be indexed can be unique, alone and in a group")
    func types() throws {
        let values: [(ScalarType, String, String)] = [
            (.bool, "true", "false"), (.int, "1", "2"), (.int8, "1", "2"), (.int16, "1", "2"),
            (.int32, "1", "2"), (.int64, "1", "2"), (.float, "1.5", "2.5"),
            (.double, "0.0", "1e300"), (.decimal128, #""1.0""#, #""1.01""#),
            (.string, #""\#(String(repeating: "ä", count: 300))""#, #""ä""#),
            (.date, #""2026-11-20T00:00:00Z""#, #""2026-11-20T00:00:00.000000001Z""#),
            (.objectID, #""507f1f77bcf86cd799439011""#, #""507f1f77bcf86cd799439012""#),
            (
                .uuid, #""00000000-0000-0000-0000-000000000001""#,
                #""00000000-0000-0000-0000-000000000002""#
            ),
            (.mixed, #""1""#, "1"),
        ]
        #expect(values.count == ScalarType.allCases.filter(\.canBeIndexed).count)
        for (type, first, second) in values {
            let server = try TestServer(schema: Schema())
            for (name, schema) in [
                ("One", #"{"properties":{"v":{"type":"\#(type.name)","unique":true}}}"#),
                ("Two", #"{"properties":{"v":"\#(type.name)"},"unique":[["v"]]}"#),
            ] {
                APIScenario("PUT", "/v1/schema/classes/\(name)", schema, status: 201).check(
                    on: server)
                for (value, status) in [(first, 201), (second, 201), (first, 409), (second, 409)] {
                    APIScenario(
                        "POST", "/v1/classes/\(name)/objects", #"{"v":\#(value)}"#, status: status
                    ).check(on: server)
                }
            }
            #expect(try server.store.findings() == [])
        }
        let server = try TestServer(schema: Schema())
        server.send(
            "PUT", "/v1/schema/classes/D",
            #"{"properties":{"v":{"type":"decimal128","unique":true},"w":"double?"},"unique":[["w"]]}"#
        )
        for (body, status) in [
            (#"{"v":"1.0","w":0.0}"#, 201), (#"{"v":"1.00"}"#, 409), (#"{"v":"2","w":-0.0}"#, 409),
            (#"{"v":"3","w":"NaN"}"#, 201), (#"{"v":"4","w":"NaN"}"#, 409),
        ] {
            APIScenario("POST", "/v1/classes/D/objects", body, status: status).check(on: server)
        }
    }
}
