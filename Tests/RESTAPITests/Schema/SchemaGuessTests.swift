import HoldfastObjectModel
import HoldfastRESTAPI
import HoldfastTestSupport
import Testing

@Suite("guesses in schemas and points")
struct SchemaGuessTests {
    @Test("a type of another language is refused with the type that is meant")
    func types() throws {
        let server = try TestServer(schema: Schema())
        for (type, hint) in [
            ("boolean", "bool"), ("text", "string"), ("String", "string"), ("datetime", "date"),
            ("json", "mixed"), ("integer", "int"), ("decimal", "decimal128"), ("Int", "int"),
            ("ObjectId", "objectId"), ("GUID", "uuid"), ("blob", "data"), ("text[]", "string[]"),
            ("boolean{}", "bool{}"), ("number", "double"), ("text?", "string"), ("item", "Item"),
            ("uuid4", "uuid"), ("varchar(20)", "string"), ("float64", "double"), ("file", "data"),
            ("serial", "int"), ("Items", "Item"), ("string | null", "string?"),
            ("null|int", "int?"), ("Item | null", "Item?"), ("any | null", "mixed"),
        ] {
            APIScenario(
                "PUT", "/v1/schema/classes/Item", #"{"properties":{"a":"\#(type)"}}"#, status: 422,
                contains: [
                    "is neither a type nor a class", "\"hint\":\"\(hint)\"",
                    "did you mean '\(hint)'?",
                ]
            ).check(on: server)
        }
        let unknown = server.send(
            "PUT", "/v1/schema/classes/Item", #"{"properties":{"a":"Wheel"}}"#)
        #expect(unknown.status == 422)
        #expect(unknown.text.contains("'Wheel' is neither a type nor a class of the schema."))
        #expect(!unknown.text.contains("hint"))
    }

    @Test(
        "a type that is none here is refused with what stands for it",
        arguments: [
            ("serial", "$next"), ("array", "'string[]'"), ("record", "'string{}'"),
            ("enum", "\\\"enum\\\""),
            ("relation", "the name of a class"), ("geopoint", "coordinates"),
        ])
    func advice(type: String, text: String) throws {
        APIScenario(
            "PUT", "/v1/schema/classes/Item", #"{"properties":{"a":"\#(type)"}}"#, status: 422,
            contains: ["is neither a type nor a class", text]
        ).check(on: try TestServer(schema: Schema()))
    }

    @Test(
        "a member of other products is refused with ours, or with the form that stands for it",
        arguments: [
            (#"{"type":"int","nullable":true}"#, #""hint":"optional""#),
            (#"{"type":"int","null":true}"#, #""hint":"optional""#),
            (#"{"type":"int","default_value":5}"#, #""hint":"default""#),
            (#"{"type":"list","items":"string"}"#, #""hint":"element""#),
            (#"{"type":"object","target":"Item"}"#, #""hint":"class""#),
            (#"{"type":"string","values":["a"]}"#, #""hint":"enum""#),
            (#"{"type":"date","default":"now()"}"#, #""hint":"$now""#),
            (#"{"type":"uuid","default":"gen_random_uuid()"}"#, #""hint":"$uuid""#),
            (#"{"type":"int","primaryKey":true}"#, "a member of the class"),
            (#"{"type":"int","autoIncrement":true}"#, "$next"),
            (#"{"type":"string","fulltext":true}"#, #"\"indexed\": \"fulltext\""#),
            (#"{"type":"int","indexd":true}"#, #""hint":"indexed""#),
        ])
    func members(property: String, text: String) throws {
        APIScenario(
            "PUT", "/v1/schema/classes/Item", #"{"properties":{"a":\#(property)}}"#, status: 422,
            contains: [text]
        ).check(on: try TestServer(schema: Schema()))
    }

    @Test("a default of other products is no hint for a property of another type")
    func defaults() throws {
        APIScenario(
            "PUT", "/v1/schema/classes/Item",
            #"{"properties":{"a":{"type":"int","default":"now()"}}}"#, status: 422,
            contains: ["invalid-default"], excludes: ["hint"]
        ).check(on: try TestServer(schema: Schema()))
    }

    @Test(
        "a member that other products have in a class leads to ours",
        arguments: [
            (#""fields":{"a":"int"}"#, #""hint":"properties""#),
            (#""properties":{"a":"int"},"embedded":true"#, #"\"kind\": \"embedded\""#),
            (#""properties":{"a":"int"},"required":["a"]"#, #"\"required\": true"#),
        ])
    func classMembers(members: String, text: String) throws {
        APIScenario(
            "PUT", "/v1/schema/classes/Item", "{\(members)}", status: 422, contains: [text]
        ).check(on: try TestServer(schema: Schema()))
    }

    @Test("a point beyond the poles is not taken where it is indexed")
    func points() throws {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "PUT", "/v1/schema",
            #"""
            {"classes":[{"name":"Shop","primaryKey":"id","properties":{
               "id":"int","at":{"type":"object","class":"Point","indexed":"geo"},"was":"Point"}},
              {"name":"Point","kind":"embedded","properties":{
               "type":{"type":"string","default":"Point"},"coordinates":"double[]"}}]}
            """#, status: 200
        ).check(on: server)
        for (coordinates, fault) in [
            ("13.4,90.5", "1"), ("52.5,113.4", "1"), ("0,-91", "1"), ("181,0", "0"),
        ] {
            APIScenario(
                "PUT", "/v1/classes/Shop/objects/1", #"{"at":{"coordinates":[\#(coordinates)]}}"#,
                status: 422,
                contains: [
                    "\"pointer\":\"/at/coordinates/\(fault)\"",
                    "coordinates are [longitude, latitude]",
                ]
            ).check(on: server)
        }
        APIScenario(
            "PUT", "/v1/classes/Shop/objects/1",
            #"{"at":{"coordinates":[180,-90,9000]},"was":{"coordinates":[0,95]}}"#, status: 201
        ).check(on: server)
        APIScenario(
            "PATCH", "/v1/classes/Shop/objects/1", #"{"at":{"coordinates":[0,95]}}"#, status: 422
        ).check(on: server)
    }
}
