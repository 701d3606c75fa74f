import HoldfastObjectModel
import HoldfastTestSupport
import Testing

/// The samples of AnyRealmValue, each under its heading.
extension SupportedTypesTests {
    @Test(
        "AnyRealmValue: a companion is whatever it is, and what it is decides what is asked of it")
    func anyRealmValue() throws {
        let server = try TestServer(schema: Schema())
        func tell(
            _ method: String, _ path: String, _ body: String?, _ status: Int, _ texts: [String]
        ) {
            APIScenario(
                method, "/v1/" + path, body, status: status, contains: texts
            ).check(on: server)
        }
        tell(
            "PUT", "schema",
            #"""
            {"classes":[{"name":"Person","primaryKey":"_id","properties":{"_id":"objectId","companion":"mixed"}},
              {"name":"Dog","primaryKey":"name","properties":{"name":"string"}},
              {"name":"Part","kind":"embedded","properties":{"n":"int"}}]}
            """#, 200, [])
        tell("PUT", "classes/Dog/objects/Fido", "{}", 201, [])
        // Every supported kind of the page's list.
        for (number, companion) in [
            "null", "1", #"{"$float":1.5}"#, "2.25", #"{"$decimal":"1.10"}"#,
            #"{"$objectId":"65a0b1c2d3e4f50617280001"}"#,
            #"{"$uuid":"0f8fad5b-d9cb-469f-a165-70867728950e"}"#, "true",
            #"{"$date":"2026-11-20T06:38:58Z"}"#, #"{"$data":"AQID"}"#, #""Fido""#,
            "[1,\"Fido\"]", #"{"name":"Fido"}"#, #"{"$link":{"class":"Dog","id":"Fido"}}"#,
        ].enumerated() {
            let id = "65a0b1c2d3e4f506172800" + (number < 10 ? "1" : "2") + "\(number % 10)"
            let text = "\"companion\":\(companion)"
            tell("PUT", "classes/Person/objects/" + id, "{\(text)}", 201, [text])
        }
        // It holds no set and no embedded object, and is not declared optional.
        let person = "classes/Person/objects/65a0b1c2d3e4f50617280099"
        tell("PUT", person, #"{"companion":{"$set":[1]}}"#, 422, ["invalid-mixed"])
        tell(
            "PUT", person, #"{"companion":{"$link":{"class":"Part","id":1}}}"#, 422, ["wrong-class"]
        )
        tell(
            "PUT", "schema/classes/Other", #"{"properties":{"companion":"mixed?"}}"#, 422,
            ["never optional"])
        tell(
            "GET", "classes/Person/objects?count=exact&filter=companion%20==%20obj('Dog','Fido')",
            nil,
            200, [#""count":1"#])
    }

    @Test("Collections as Mixed: lists and maps nest, are queried, and single elements are changed")
    func collectionsAsMixed() throws {
        let server = try TestServer(schema: Schema())
        func tell(
            _ method: String, _ path: String, _ body: String?, _ status: Int, _ texts: [String]
        ) {
            APIScenario(
                method, "/v1/" + path, body, status: status, contains: texts
            ).check(on: server)
        }
        tell(
            "PUT", "schema/classes/Record",
            #"{"primaryKey":"id","properties":{"id":"int","data":"mixed"}}"#, 201, [])
        // Data that varies, and no schema is known of.
        tell(
            "PUT", "classes/Record/objects/1",
            #"{"data":{"name":"Fido","ages":[1,[2,{"deep":true}]],"owner":null}}"#, 201, [])
        tell("PUT", "classes/Record/objects/2", #"{"data":["Rex",3]}"#, 201, [])
        let data = "classes/Record/objects/1/properties/data"
        tell("GET", data + "/elements/ages/1/1/deep", nil, 200, [#"{"value":true}"#])
        tell("PUT", data + "/elements/ages/1/0", "5", 200, [#""ages":[1,[5,{"deep":true}]]"#])
        tell("PUT", data + "/elements/owner", #""Ann""#, 200, [#""owner":"Ann""#])
        tell("POST", data + "/elements/ages?at=0", "0", 201, [#""ages":[0,1,["#])
        tell(
            "DELETE", data + "/elements/name", nil, 200,
            [#"{"ages":[0,1,[5,{"deep":true}]],"owner""#])
        for levels in [100, 101] {
            let nested =
                String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            tell(
                "PUT", "classes/Record/objects/3", #"{"data":\#(nested)}"#,
                levels == 100 ? 201 : 422, levels == 100 ? [] : ["too-deep"])
        }
        // No sets in there, and no embedded objects: the forms do not exist.
        tell("PUT", "classes/Record/objects/4", #"{"data":[{"$set":[]}]}"#, 422, ["/data/0/$set"])
    }
}
