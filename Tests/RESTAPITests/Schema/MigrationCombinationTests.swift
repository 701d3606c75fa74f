import HoldfastObjectModel
import HoldfastObjectStore
import Testing
import HoldfastTestSupport

/// Changes of the schema that meet what else a schema says: what is unique, values of any kind, numbered
/// keys, kinds of classes.
@Suite("Migrations and other features")
struct MigrationCombinationTests {
    /// A server that makes changes in one commit, or in slices of two objects.
    private func open(_ isStaged: Bool, _ schema: String) throws -> TestServer {
        var options = StoreOptions()
        if isStaged {
            options.migrationObjectCountMax = 0
            options.migrationSliceCount = 2
        }
        let server = try TestServer(
            try EngineCase.memory.open(), schema: Schema(), storeOptions: options)
        APIScenario("PUT", "/v1/schema", schema, status: 200).check(on: server)
        return server
    }

    private func put(_ server: TestServer, _ objects: [(String, String)]) {
        for (path, body) in objects {
            APIScenario("PUT", "/v1/classes/\(path)", body, status: 201).check(on: server)
        }
    }

    private func check(_ server: TestServer) throws {
        #expect(try StoreCheck.run(server.store).findings == [])
        for _ in 0..<10_000 where server.store.migrationProgress != nil {
            server.send("GET", "/v1")
        }
        #expect(try StoreCheck.run(server.store).findings == [])
    }

    @Test("values that a conversion makes equal can't be unique", arguments: [false, true])
    func uniqueConversion(isStaged: Bool) throws {
        let server = try open(
            isStaged,
            #"{"classes":[{"name":"A","primaryKey":"id","properties":{"id":"int","code":"string","b":"int"}}]}"#
        )
        put(
            server,
            [
                ("A/objects/1", #"{"code":"1","b":1}"#), ("A/objects/2", #"{"code":"01","b":1}"#),
                ("A/objects/3", #"{"code":"3","b":1}"#),
            ])
        let unique =
            #"{"primaryKey":"id","properties":{"id":"int","code":{"type":"int","unique":true},"b":"int"}}"#
        let group =
            #"{"primaryKey":"id","properties":{"id":"int","code":"int","b":"int"},"unique":[["code","b"]]}"#
        for body in [unique, group] {
            for query in ["?dryRun=true", "", "?allowDataLoss=true"] {
                APIScenario(
                    "PUT", "/v1/schema/classes/A\(query)", body, status: 409,
                    contains: ["shared-values", "2 objects share", "A 1 and A 2"]
                ).check(on: server)
            }
        }
        APIScenario("GET", "/v1/classes/A/objects/2", status: 200, contains: [#""code":"01""#])
            .check(on: server)
        try check(server)
        APIScenario("PATCH", "/v1/classes/A/objects/2", #"{"code":"02"}"#, status: 200).check(
            on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/A?dryRun=true", group, status: 200,
            contains: [#""op":"addUnique","class":"A","property":"code,b""#]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema/classes/A", group, status: 200).check(on: server)
        APIScenario(
            "PUT", "/v1/classes/A/objects/4", #"{"code":2,"b":1}"#, status: 409,
            contains: ["not-unique"]
        ).check(on: server)
        try check(server)
        // A group follows its properties, and goes with one of them.
        APIScenario(
            "PUT", "/v1/schema/classes/A",
            #"{"renames":{"A.code":"A.c"},"primaryKey":"id","properties":{"id":"int","c":"int","b":"int"},"unique":[["c","b"]]}"#,
            status: 200
        ).check(on: server)
        APIScenario(
            "PUT", "/v1/classes/A/objects/4", #"{"c":2,"b":1}"#, status: 409,
            contains: ["not-unique"]
        ).check(on: server)
        try check(server)
        APIScenario(
            "PUT", "/v1/schema/classes/A?allowDataLoss=true",
            #"{"primaryKey":"id","properties":{"id":"int","c":"int"}}"#, status: 200
        ).check(on: server)
        APIScenario("PUT", "/v1/classes/A/objects/4", #"{"c":2}"#, status: 201).check(on: server)
        try check(server)
    }

    @Test("a class takes the links to it in mixed values along", arguments: [false, true])
    func mixedLinks(isStaged: Bool) throws {
        let box =
            #"{"name":"Box","primaryKey":"id","properties":{"id":"int","any":"mixed","list":"mixed[]","map":"mixed{}","part":"Part"}}"#
        let part = #"{"name":"Part","kind":"embedded","properties":{"any":"mixed"}}"#
        let cat =
            #"{"name":"Cat","primaryKey":"name","properties":{"name":"string"}}"#
        let server = try open(
            isStaged,
            #"{"classes":[\#(box),\#(part),\#(cat),{"name":"Dog","primaryKey":"name","properties":{"name":"string"}}]}"#
        )
        put(server, [("Dog/objects/rex", "{}"), ("Cat/objects/tom", "{}")])
        let rex = MixedServer.dog("rex")
        let tom = #"{"$link":{"class":"Cat","id":"tom"}}"#
        put(
            server,
            [
                ("Box/objects/1", #"{"any":\#(rex),"part":{"any":\#(tom)}}"#),
                (
                    "Box/objects/2",
                    #"{"list":[\#(rex),[\#(tom),\#(rex)],1],"map":{"a":\#(rex),"b":\#(tom)}}"#
                ),
                ("Box/objects/3", #"{"any":\#(tom),"part":{"any":[\#(rex)]}}"#),
                ("Box/objects/4", #"{"any":"x"}"#),
            ])
        let schema = #"{"classes":[\#(box),\#(part),\#(cat)]}"#
        APIScenario(
            "PUT", "/v1/schema", schema, status: 409,
            contains: ["data-loss", "The property links to removed classes in 1 object"]
        ).check(on: server)
        APIScenario(
            "DELETE", "/v1/schema/classes/Dog?dryRun=true", status: 200,
            contains: [
                #"{"op":"dropLinks","class":"Box","property":"any","objects":1,"lossy":true}"#,
                #"{"op":"dropClass","class":"Dog","objects":1,"lossy":true}"#,
            ]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema?allowDataLoss=true", schema, status: 200).check(on: server)
        for (id, expected) in [
            ("1", [#""any":null"#, #""part":{"any":\#(tom)}"#]),
            ("2", [#""list":[null,[\#(tom),null],1]"#, #""map":{"a":null,"b":\#(tom)}"#]),
            ("3", [#""any":\#(tom)"#, #""part":{"any":[null]}"#]),
        ] {
            APIScenario("GET", "/v1/classes/Box/objects/\(id)", status: 200, contains: expected)
                .check(on: server)
        }
        try check(server)
        // The links that stayed are still known to their target.
        APIScenario("DELETE", "/v1/classes/Cat/objects/tom", status: 204).check(on: server)
        APIScenario("GET", "/v1/classes/Box/objects/3", status: 200, contains: [#""any":null"#])
            .check(on: server)
        try check(server)
        // Nothing links to a cat by now, so that only the class goes.
        APIScenario(
            "DELETE", "/v1/schema/classes/Cat?dryRun=true", status: 200,
            contains: [#"{"changes":[{"op":"dropClass","class":"Cat","objects":0,"lossy":false}]}"#]
        ).check(on: server)
        APIScenario("DELETE", "/v1/schema/classes/Cat", status: 204).check(on: server)
        try check(server)
    }

    @Test("anything becomes mixed, and what it was again", arguments: [false, true])
    func mixedValues(isStaged: Bool) throws {
        let names = [
            "bool", "int", "int8", "double", "float", "decimal128", "string", "data", "date",
            "objectId", "uuid",
        ]
        func schema(_ type: (String) -> String, _ link: String, _ links: String) -> String {
            let properties = names.flatMap { name in
                [
                    #""\#(name)1":"\#(type(name))""#,
                    #""\#(name)2":"\#(type(name))[]""#, #""\#(name)3":"\#(type(name)){}""#,
                ]
            }.joined(separator: ",")
            return
                #"{"classes":[{"name":"A","primaryKey":"id","properties":{"id":"int",\#(properties),"link":"\#(link)","links":"\#(links)"}}]}"#
        }
        let values = [
            "bool": "true", "int": "9007199254740993", "int8": "-8", "double": "1.5",
            "float": "2.5", "decimal128": #""1.10""#, "string": #""x""#, "data": #""AAE=""#,
            "date": #""2026-11-20T06:38:58.123456789Z""#,
            "objectId": #""0123456789abcdef01234567""#,
            "uuid": #""01234567-89ab-cdef-0123-456789abcdef""#,
        ]
        let typed = schema({ "\($0)?" }, "A", "A{}")
        let server = try open(isStaged, typed)
        let stated = names.map { name in
            let value = values[name] ?? ""
            return
                #""\#(name)1":\#(value),"\#(name)2":[\#(value),null],"\#(name)3":{"k":\#(value),"n":null}"#
        }.joined(separator: ",")
        let whole = #"{\#(stated),"link":1,"links":{"k":1,"n":null}}"#
        put(server, [("A/objects/1", "{}"), ("A/objects/2", whole), ("A/objects/3", "{}")])
        let before = (1...3).map { server.send("GET", "/v1/classes/A/objects/\($0)").text }
        APIScenario(
            "PUT", "/v1/schema", schema({ _ in "mixed" }, "mixed", "mixed{}"), status: 200
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/A/objects/2", status: 200,
            contains: [
                #""decimal1281":{"$decimal":"1.10"}"#, #""string2":["x",null]"#,
                #""float3":{"k":{"$float":2.5},"n":null}"#,
                #""link":{"$link":{"class":"A","id":1}}"#,
                #""links":{"k":{"$link":{"class":"A","id":1}},"n":null}"#,
            ]
        ).check(on: server)
        try check(server)
        APIScenario(
            "PUT", "/v1/schema", schema({ "\($0)?" }, "mixed", "mixed{}"), status: 200
        ).check(on: server)
        for (id, text) in zip(1...3, before) {
            let now = server.send("GET", "/v1/classes/A/objects/\(id)").text
            #expect(
                now.components(before: #""link""#) == text.components(before: #""link""#))
        }
        try check(server)
        // The links in mixed values are known to their target.
        APIScenario("DELETE", "/v1/classes/A/objects/1", status: 204).check(on: server)
        APIScenario(
            "GET", "/v1/classes/A/objects/2", status: 200,
            contains: [#""link":null,"links":{"k":null,"n":null}"#]
        ).check(on: server)
        try check(server)
    }

    @Test(
        "a new key that the store numbers gives each object its number", arguments: [false, true])
    func numbers(isStaged: Bool) throws {
        let server = try open(
            isStaged, #"{"classes":[{"name":"A","properties":{"text":"string"}}]}"#)
        for text in ["a", "b", "c", "d", "e"] {
            APIScenario(
                "POST", "/v1/classes/A/objects", #"{"text":"\#(text)"}"#, status: 201
            ).check(on: server)
        }
        APIScenario("DELETE", "/v1/classes/A/objects?filter=text%20==%20'b'", status: 200).check(
            on: server)
        let numbered =
            #"{"primaryKey":"no","properties":{"no":{"type":"int","default":"$next"},"text":"string"}}"#
        APIScenario("PUT", "/v1/schema/classes/A?dryRun=true", numbered, status: 200).check(
            on: server)
        APIScenario("PUT", "/v1/schema/classes/A", numbered, status: 200).check(on: server)
        for (number, text) in [(1, "a"), (3, "c"), (4, "d"), (5, "e")] {
            APIScenario(
                "GET", "/v1/classes/A/objects/\(number)", status: 200,
                contains: [#"{"no":\#(number),"text":"\#(text)"}"#]
            ).check(on: server)
        }
        APIScenario(
            "POST", "/v1/classes/A/objects", #"{"text":"f"}"#, status: 201, contains: [#""no":6"#]
        ).check(on: server)
        try check(server)
        // Another numbered key whose numbers are higher goes on above them.
        APIScenario(
            "PUT", "/v1/schema/classes/A",
            #"{"primaryKey":"no","properties":{"no":{"type":"int","default":"$next"},"text":"string","id":"int"}}"#,
            status: 200
        ).check(on: server)
        for number in [1, 3, 4, 5, 6] {
            APIScenario(
                "PATCH", "/v1/classes/A/objects/\(number)", #"{"id":\#(100 + number)}"#, status: 200
            ).check(on: server)
        }
        APIScenario(
            "PUT", "/v1/schema/classes/A",
            #"{"primaryKey":"id","properties":{"no":"int","text":"string","id":{"type":"int","default":"$next"}}}"#,
            status: 200
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/A/objects", #"{"text":"g"}"#, status: 201, contains: [#""id":107"#]
        ).check(on: server)
        try check(server)
    }

    @Test("more objects than a narrow key has numbers for are refused", arguments: [false, true])
    func narrowNumbers(isStaged: Bool) throws {
        let server = try open(
            isStaged, #"{"classes":[{"name":"A","properties":{"text":"string"}}]}"#)
        let bodies = Array(repeating: "{}", count: 128).joined(separator: ",")
        APIScenario("POST", "/v1/classes/A/objects", "[\(bodies)]", status: 201).check(on: server)
        let numbered =
            #"{"primaryKey":"no","properties":{"no":{"type":"int8","default":"$next"},"text":"string"}}"#
        APIScenario(
            "PUT", "/v1/schema/classes/A", numbered, status: 409, contains: ["numbers-exhausted"]
        ).check(on: server)
        try check(server)
        APIScenario("DELETE", "/v1/classes/A/objects/128", status: 204).check(on: server)
        APIScenario("PUT", "/v1/schema/classes/A", numbered, status: 200).check(on: server)
        APIScenario("GET", "/v1/classes/A/objects/127", status: 200).check(on: server)
        try check(server)
    }

    @Test("an added decimal is a plain zero")
    func decimal() throws {
        let server = try open(false, #"{"classes":[{"name":"A","properties":{"text":"string"}}]}"#)
        APIScenario("POST", "/v1/classes/A/objects", "{}", status: 201).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/A", #"{"properties":{"text":"string","d":"decimal128"}}"#,
            status: 200
        ).check(on: server)
        APIScenario("GET", "/v1/classes/A/objects/1", status: 200, contains: [#""d":"0""#]).check(
            on: server)
    }

    @Test("links go with a class though their owner loses another part", arguments: [false, true])
    func mixedLinksOfLostOwners(isStaged: Bool) throws {
        let part = #"{"name":"Part","kind":"embedded","properties":{"any":"mixed"}}"#
        let dog = #"{"name":"Dog","primaryKey":"name","properties":{"name":"string"}}"#
        func box(_ parts: String) -> String {
            #"{"name":"Box","primaryKey":"id","properties":{"id":"int",\#(parts)}}"#
        }
        let server = try open(
            isStaged, #"{"classes":[\#(box(#""a":"Part","b":"Part[]""#)),\#(part),\#(dog)]}"#)
        let rex = MixedServer.dog("rex")
        put(
            server,
            [
                ("Dog/objects/rex", "{}"),
                ("Box/objects/1", #"{"a":{"any":\#(rex)},"b":[{"any":[\#(rex)]}]}"#),
            ])
        APIScenario(
            "PUT", "/v1/schema?allowDataLoss=true",
            #"{"classes":[\#(box(#""b":"Part[]""#)),\#(part)]}"#, status: 200
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/Box/objects/1", status: 200, contains: [#""b":[{"any":[null]}]"#]
        ).check(on: server)
        try check(server)
    }

    @Test("a class becomes asymmetric, and back, only while it has no objects")
    func kinds() throws {
        let server = try open(
            false,
            #"{"classes":[{"name":"A","primaryKey":"id","properties":{"id":"int"}}]}"#)
        put(server, [("A/objects/1", "{}")])
        let asymmetric =
            #"{"kind":"asymmetric","primaryKey":"id","properties":{"id":"int"}}"#
        let plain = #"{"primaryKey":"id","properties":{"id":"int"}}"#
        for query in ["?dryRun=true", "", "?allowDataLoss=true"] {
            APIScenario(
                "PUT", "/v1/schema/classes/A\(query)", asymmetric, status: 409,
                contains: ["unsupported-migration", "only while it has no objects"]
            ).check(on: server)
        }
        APIScenario("DELETE", "/v1/classes/A/objects/1", status: 204).check(on: server)
        APIScenario(
            "PUT", "/v1/schema/classes/A?dryRun=true", asymmetric, status: 200,
            contains: [#"{"op":"changeKind","class":"A","objects":0,"lossy":false}"#]
        ).check(on: server)
        APIScenario("PUT", "/v1/schema/classes/A", asymmetric, status: 200).check(on: server)
        APIScenario("POST", "/v1/classes/A/objects", #"{"id":1}"#, status: 201).check(on: server)
        APIScenario("PUT", "/v1/schema/classes/A", plain, status: 409).check(on: server)
        // What waits in the outbox is converted with the rest.
        APIScenario(
            "PUT", "/v1/schema/classes/A",
            #"{"kind":"asymmetric","primaryKey":"id","properties":{"id":"string","n":{"type":"int","default":3}}}"#,
            status: 200
        ).check(on: server)
        APIScenario(
            "GET", "/v1/classes/A/outbox", status: 200, contains: [#"{"id":"1","n":3}"#]
        ).check(on: server)
        try check(server)
    }
}

extension String {
    /// What stands before the first occurrence of a text.
    fileprivate func components(before text: String) -> Substring {
        var end = startIndex
        while end < endIndex, !self[end...].hasPrefix(text) { end = index(after: end) }
        return self[..<end]
    }
}
