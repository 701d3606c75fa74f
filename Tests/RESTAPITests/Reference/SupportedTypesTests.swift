import HoldfastObjectModel
import Testing
import HoldfastTestSupport

/// The samples of the page supported-types, each under its heading, over HTTP.
@Suite("Samples of supported-types")
struct SupportedTypesTests {
    private func open(_ classes: String...) throws -> TestServer {
        let server = try TestServer(schema: Schema())
        APIScenario(
            "PUT", "/v1/schema", #"{"classes":[\#(classes.joined(separator: ","))]}"#, status: 200
        ).check(on: server)
        return server
    }

    @Test(
        "Property Cheat Sheet: every type, required and optional, as it starts and as it is given")
    func cheatSheet() throws {
        let rows: [(type: String, initial: String?, given: String)] = [
            ("bool", "false", "true"), ("int", "0", "-5"), ("int8", "0", "127"),
            ("int16", "0", "32767"), ("int32", "0", "2147483647"),
            ("int64", "0", "9223372036854775807"), ("float", "0.0", "1.5"),
            ("double", "0.0", "2.25"), ("string", "\"\"", "\"Öl\""), ("data", "\"\"", "\"AQID\""),
            ("date", nil, "\"2026-11-20T06:38:58Z\""), ("decimal128", "\"0\"", "\"1.10\""),
            ("uuid", nil, "\"0f8fad5b-d9cb-469f-a165-70867728950e\""),
            ("objectId", nil, "\"507f1f77bcf86cd799439011\""),
        ]
        // The sixteenth row, AnyRealmValue, is never optional.
        #expect(rows.count + 1 == ScalarType.allCases.count)
        let properties = rows.flatMap { row in
            ["\"\(row.type)Name\":\"\(row.type)\"", "\"\(row.type)Opt\":\"\(row.type)?\""]
        }
        let more = [
            #""anyName":"mixed""#, #""listName":"Custom[]""#, #""setName":"string<>""#,
            #""mapName":"string{}""#,
            #""objectName":"Custom?""#, #""embeddedName":"Part?""#,
            #""enumName":{"type":"string","enum":["a","b"]}"#,
            #""enumOpt":{"type":"string?","enum":["a","b"]}"#,
        ]
        let server = try open(
            "{\"name\":\"Sheet\",\"properties\":{\((properties + more).joined(separator: ","))}}",
            #"{"name":"Custom","primaryKey":"id","properties":{"id":"int"}}"#,
            #"{"name":"Part","kind":"embedded","properties":{"n":"int"}}"#)
        let path = "/v1/classes/Sheet/objects"
        var texts = rows.map { "\"\($0.type)Opt\":null" }
        texts += rows.compactMap { row in row.initial.map { "\"\(row.type)Name\":\($0)" } }
        texts += [
            #""anyName":null"#, #""listName":[]"#, #""setName":[]"#, #""mapName":{}"#,
            #""objectName":null"#,
            #""embeddedName":null"#, #""enumName":"a""#, #""enumOpt":null"#,
        ]
        APIScenario("POST", path, "{}", status: 201, contains: texts).check(on: server)
        var members = rows.flatMap { row in
            ["\"\(row.type)Name\":\(row.given)", "\"\(row.type)Opt\":\(row.given)"]
        }
        members += [
            #""anyName":{"$uuid":"0f8fad5b-d9cb-469f-a165-70867728950e"}"#, #""listName":[1,1]"#,
            #""setName":["x","y"]"#, #""mapName":{"k":"v"}"#,
            #""objectName":1"#, #""embeddedName":{"n":3}"#, #""enumName":"b""#, #""enumOpt":"b""#,
        ]
        server.send("PUT", "/v1/classes/Custom/objects/1", "{}")
        APIScenario(
            "POST", path, "{\(members.joined(separator: ","))}", status: 201, contains: members
        ).check(on: server)
        // "N/A" in the column of required properties.
        for row in rows {
            APIScenario(
                "POST", path, "{\"\(row.type)Name\":null}", status: 422,
                contains: ["null-not-allowed"]
            ).check(on: server)
        }
    }

    @Test(
        "Collection Types, AnyRealmCollection: every collection is filtered, sorted and counted in the same way"
    )
    func collections() throws {
        let server = try open(
            #"{"name":"Item","primaryKey":"id","properties":{"id":"int","n":"int","holders":{"type":"linkingObjects","class":"Box","property":"list"}}}"#,
            #"{"name":"Box","primaryKey":"id","properties":{"id":"int","list":"Item[]","set":"Item<>"}}"#
        )
        server.send(
            "POST", "/v1/classes/Item/objects", #"[{"id":1,"n":3},{"id":2,"n":1},{"id":3,"n":2}]"#)
        server.send("PUT", "/v1/classes/Box/objects/1", #"{"list":[1,2,3],"set":[1,2,3]}"#)
        for path in [
            "/v1/classes/Item/objects", "/v1/classes/Box/objects/1/properties/list",
            "/v1/classes/Box/objects/1/properties/set",
        ] {
            APIScenario(
                "GET", path + "?filter=n%3E1&sort=-n&fields=id&count=exact", status: 200,
                contains: [#""objects":[{"id":1},{"id":3}]"#, #""count":2"#]
            ).check(on: server)
        }
        APIScenario(
            "GET", "/v1/classes/Item/objects/2/properties/holders?count=exact", status: 200,
            contains: [#""count":1"#]
        ).check(on: server)
    }

    @Test("Unique Identifiers: uuid and objectId are made, indexed, and keys")
    func uniqueIdentifiers() throws {
        let server = try open(
            #"{"name":"U","primaryKey":"id","properties":{"id":"uuid","tag":{"type":"objectId","indexed":true}}}"#,
            #"{"name":"O","primaryKey":"id","properties":{"id":"objectId","tag":{"type":"uuid","indexed":true}}}"#
        )
        for (name, length) in [("U", 36), ("O", 24)] {
            let path = "/v1/classes/\(name)/objects"
            let first = server.send("POST", path, "{}").text
            let second = server.send("POST", path, "{}").text
            #expect(first != second)
            let id = first.dropFirst(#"{"id":""#.count).prefix { $0 != "\"" }
            #expect(id.count == length)
            APIScenario("GET", path + "/\(id)", status: 200, contains: [String(id)]).check(
                on: server)
        }
    }

    @Test("Mutable Set: the cities that a dog has visited, each once")
    func mutableSet() throws {
        let server = try open(
            #"{"name":"Dog","primaryKey":"name","properties":{"name":"string","currentCity":"string","citiesVisited":"string<>"}}"#
        )
        let dog = "/v1/classes/Dog/objects/Juno"
        APIScenario(
            "PUT", dog, #"{"currentCity":"Ulm","citiesVisited":["Ulm","Bern","Ulm"]}"#, status: 201,
            contains: [#""citiesVisited":["Bern","Ulm"]"#]
        ).check(on: server)
        for (filter, count) in [
            ("ANY%20citiesVisited%3D%3D%22Bern%22", 1), ("citiesVisited.@count%3D%3D2", 1),
            ("ANY%20citiesVisited%3D%3D%22Rome%22", 0),
        ] {
            APIScenario(
                "GET", "/v1/classes/Dog/objects?count=exact&filter=\(filter)", status: 200,
                contains: [#""count":\#(count)"#]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", dog, #"[{"op":"add","path":"/citiesVisited/-","value":"Arles"}]"#,
            headers: [("Content-Type", "application/json-patch+json")], status: 200,
            contains: [#"["Arles","Bern","Ulm"]"#]
        ).check(on: server)
    }

    @Test("Map/Dictionary: the favourite park of each city, and keys that have to be encoded")
    func map() throws {
        let server = try open(
            #"{"name":"Dog","primaryKey":"name","properties":{"name":"string","favoriteParksByCity":"string{}"}}"#
        )
        let dog = "/v1/classes/Dog/objects/Juno"
        APIScenario(
            "PUT", dog, #"{"favoriteParksByCity":{"Ulm":"Au","Bern":"Elfenau"}}"#, status: 201,
            contains: [#"{"Bern":"Elfenau","Ulm":"Au"}"#]
        ).check(on: server)
        APIScenario(
            "PATCH", dog, #"{"favoriteParksByCity":{"Ulm":null,"Arles":"Alyscamps"}}"#, status: 200,
            contains: [#"{"Arles":"Alyscamps","Bern":"Elfenau"}"#]
        ).check(on: server)
        for key in ["New York.Brooklyn", "US$"] {
            APIScenario(
                "PATCH", dog, #"{"favoriteParksByCity":{"\#(key)":"x"}}"#, status: 422,
                contains: ["ercent"]
            ).check(on: server)
        }
        APIScenario(
            "PATCH", dog, #"{"favoriteParksByCity":{"New York%2EBrooklyn":"Prospect"}}"#,
            status: 200, contains: [#""New York%2EBrooklyn":"Prospect""#]
        ).check(on: server)
    }

    @Test("Geospatial Data: a point is an embedded class in GeoJSON's form, longitude first")
    func geospatial() throws {
        let server = try open(
            #"{"name":"CustomGeoPoint","kind":"embedded","properties":{"type":{"type":"string","default":"Point"},"coordinates":"double[]"}}"#,
            #"{"name":"Company","primaryKey":"id","properties":{"id":"int","location":"CustomGeoPoint?"}}"#
        )
        APIScenario(
            "PUT", "/v1/classes/Company/objects/1", #"{"location":{"coordinates":[18.29,57.64]}}"#,
            status: 201,
            contains: [#""location":{"type":"Point","coordinates":[18.29,57.64]}"#]
        ).check(on: server)
    }

    @Test(
        "Map Unsupported Types, Use Type Projection in the Model: what is stored is what the type maps to"
    )
    func typeProjection() throws {
        // A URL is a string, a coordinate an embedded object: over HTTP there is only what is stored.
        let server = try open(
            #"{"name":"Club","primaryKey":"id","properties":{"id":"objectId","name":"string","url":"string?","location":"Location?"}}"#,
            #"{"name":"Location","kind":"embedded","properties":{"latitude":"double","longitude":"double"}}"#
        )
        APIScenario(
            "POST", "/v1/classes/Club/objects",
            #"{"name":"Rowers","url":"https://rowers.example/","location":{"latitude":57.64,"longitude":18.29}}"#,
            status: 201,
            contains: [
                #""url":"https://rowers.example/","location":{"latitude":57.64,"longitude":18.29}"#
            ]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Club/objects", #"{"name":"Divers","location":{}}"#, status: 201,
            contains: [#""url":null,"location":{"latitude":0.0,"longitude":0.0}"#]
        ).check(on: server)
    }
}
