import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite(
    "Streams beside changes of the schema that drop properties, or give them another type or name")
struct ShapeResetTests {
    /// A query of the table, by its name.
    struct Query: Sendable {
        var path = "/v1/classes/Item"
        var parameters: [(String, String)] = []
        var eventOptions: [(String, String)] = []
    }

    /// A change of the schema, and the queries that it resets.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var renames: [(String, String)] = []
        /// The queries that are reset.
        var reset: Set<String>
        /// The queries that are not valid any more.
        var ended: Set<String> = []
        var change: @Sendable (inout Schema) -> Void
    }

    static let schema = Schema(classes: [
        ObjectClass(
            name: "Item", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string),
                Schemas.property("n", .int), Schemas.property("tag", .string),
                Schemas.property("note", .string), Schemas.list("marks", .int),
                Schemas.link("owner", "Person"), Schemas.link("friend", "Person"),
                Property(name: "addr", type: .single(.object("Addr")), isOptional: true),
                Property(name: "any", type: .single(.scalar(.mixed))),
            ]),
        ObjectClass(
            name: "Person", primaryKey: "id",
            properties: [
                Schemas.property("id", .string), Schemas.property("name", .string),
                Schemas.property("age", .int), Schemas.property("extra", .string),
                Property(
                    name: "items", type: .linkingObjects(className: "Item", property: "owner")),
            ]),
        ObjectClass(
            name: "Addr", kind: .embedded,
            properties: [
                Schemas.property("street", .string), Schemas.property("zip", .string),
                Schemas.property("floor", .int),
            ]),
        ObjectClass(
            name: "Spare", primaryKey: "id", properties: [Schemas.property("id", .int)]),
    ])

    static let queries: [String: Query] = [
        "all": Query(),
        "name": Query(parameters: [("fields", "id,name")]),
        "n": Query(parameters: [("fields", "id,n")]),
        "tag": Query(parameters: [("fields", "id,tag")]),
        "note": Query(parameters: [("fields", "id,note")]),
        "filter": Query(parameters: [("fields", "id,name"), ("filter", "n > 1")]),
        "noted": Query(parameters: [("fields", "id,name"), ("filter", "note == 'x'")]),
        "keyPaths": Query(parameters: [("fields", "id,n")], eventOptions: [("keyPaths", "n")]),
        "ownerName": Query(parameters: [("fields", "id,owner.name")]),
        "ownerAge": Query(parameters: [("fields", "id,name"), ("filter", "owner.age > 20")]),
        "expand": Query(parameters: [("fields", "id,owner"), ("expand", "owner")]),
        "street": Query(parameters: [("fields", "id,addr.street")]),
        "addr": Query(parameters: [("fields", "id,addr")]),
        "floor": Query(parameters: [("fields", "id"), ("filter", "addr.floor > 0")]),
        "card": Query(path: "/v1/projections/Card"),
        "one": Query(parameters: [("fields", "id,name"), ("filter", "id == 1")]),
        "person": Query(path: "/v1/classes/Person", parameters: [("fields", "id,name")]),
        "linked": Query(
            path: "/v1/classes/Person",
            parameters: [("fields", "id"), ("filter", "@links.@count > 1")]),
        "itemsOf": Query(
            path: "/v1/classes/Person",
            parameters: [("fields", "id"), ("filter", "ANY items.n > 1")]
        ),
        "store": Query(path: "/v1"),
    ]

    private static func edit(
        _ name: String, of className: String, _ body: (inout Property) -> Void,
        in schema: inout Schema
    ) {
        for index in schema.classes.indices where schema.classes[index].name == className {
            for member in schema.classes[index].properties.indices
            where schema.classes[index].properties[member].name == name {
                body(&schema.classes[index].properties[member])
            }
        }
    }

    private static func drop(_ names: String..., of className: String, in schema: inout Schema) {
        for index in schema.classes.indices where schema.classes[index].name == className {
            schema.classes[index].properties.removeAll { names.contains($0.name) }
        }
    }

    static let cases = [
        Case(
            testDescription: "a dropped property resets what shows everything of its class",
            reset: ["all", "store"], ended: ["tag"]
        ) { drop("tag", of: "Item", in: &$0) },
        Case(
            testDescription:
                "a dropped property of a class behind a link resets what shows everything of it",
            reset: ["expand", "store"]
        ) { drop("extra", of: "Person", in: &$0) },
        Case(
            testDescription:
                "a dropped property of an embedded class, whose owners are written again",
            reset: ["all", "addr", "store"]
        ) { drop("zip", of: "Addr", in: &$0) },
        Case(
            testDescription: "a dropped link resets what counts all links",
            reset: ["all", "linked", "store"]
        ) { drop("friend", of: "Item", in: &$0) },
        Case(
            testDescription: "another type",
            reset: ["all", "n", "filter", "keyPaths", "itemsOf", "store"]
        ) { edit("n", of: "Item", { $0.type = .single(.scalar(.double)) }, in: &$0) },
        Case(
            testDescription: "another type of what is shown alone", reset: ["all", "tag", "store"]
        ) { edit("tag", of: "Item", { $0.type = .list(.scalar(.string)) }, in: &$0) },
        Case(
            testDescription: "another type behind a link",
            reset: ["ownerAge", "expand", "card", "store"]
        ) { edit("age", of: "Person", { $0.type = .single(.scalar(.double)) }, in: &$0) },
        Case(
            testDescription: "another type in an embedded class",
            reset: ["all", "addr", "floor", "store"]
        ) { edit("floor", of: "Addr", { $0.type = .single(.scalar(.double)) }, in: &$0) },
        Case(
            testDescription: "optional", reset: ["all", "note", "noted", "store"]
        ) { edit("note", of: "Item", { $0.isOptional = true }, in: &$0) },
        Case(
            testDescription: "an enum", reset: ["all", "note", "noted", "store"]
        ) { edit("note", of: "Item", { $0.cases = [.string("x"), .string("")] }, in: &$0) },
        Case(
            testDescription: "another name", renames: [("Item.tag", "Item.label")],
            reset: ["all", "store"], ended: ["tag"]
        ) { edit("tag", of: "Item", { $0.name = "label" }, in: &$0) },
        Case(
            testDescription: "another name, and a new property with the former one",
            renames: [("Item.n", "Item.m")],
            reset: ["all", "n", "filter", "keyPaths", "itemsOf", "store"]
        ) { schema in
            edit("n", of: "Item", { $0.name = "m" }, in: &schema)
            schema.classes[0].properties.append(Schemas.property("n", .int))
        },
        Case(
            testDescription: "the name of a dropped property", renames: [("Item.tag", "Item.note")],
            reset: ["all", "note", "noted", "store"], ended: ["tag"]
        ) { schema in
            drop("note", of: "Item", in: &schema)
            edit("tag", of: "Item", { $0.name = "note" }, in: &schema)
        },
        Case(
            testDescription: "names that change places",
            renames: [("Item.tag", "Item.note"), ("Item.note", "Item.tag")],
            reset: ["all", "tag", "note", "noted", "store"]
        ) { schema in
            edit("tag", of: "Item", { $0.name = "-" }, in: &schema)
            edit("note", of: "Item", { $0.name = "tag" }, in: &schema)
            edit("-", of: "Item", { $0.name = "note" }, in: &schema)
        },
        Case(testDescription: "a second name", reset: []) {
            edit("note", of: "Item", { $0.mapTo = "remark" }, in: &$0)
        },
        Case(
            testDescription: "a dropped class resets what may have linked to it",
            reset: ["all", "linked", "store"]
        ) { schema in schema.classes.removeAll { $0.name == "Spare" } },
    ]

    private static func makeServer() throws -> ChangesServer {
        var options = RESTOptions()
        options.heartbeatSeconds = 1
        let server = ChangesServer(try TestServer(.memory, schema: schema, options: options))
        server.send(
            "PUT", "/v1/projections/Card",
            #"{"class":"Item","properties":{"id":"id","called":"name","years":"owner.age"}}"#)
        for (name, age) in [("ann", 30), ("bob", 10), ("cem", 25)] {
            put(server, "Person/objects/\(name)", "{\"name\":\"\(name)\",\"age\":\(age)}")
        }
        for id in 0..<8 {
            put(
                server, "Item/objects/\(id)",
                """
                {"name":"i\(id)","n":\(id % 4),"tag":"t\(id)","note":"\(id % 2 == 0 ? "x" : "")","owner":"\(["ann", "bob"][id % 2])",\
                "friend":"\(["ann", "cem"][id % 2])","addr":{"street":"s\(id)","zip":"z\(id)","floor":\(id % 3)},"marks":[\(id)]}
                """)
        }
        return server
    }

    @discardableResult
    private static func put(
        _ server: ChangesServer, _ target: String, _ body: String, _ method: String = "PUT"
    ) -> String {
        let reply = server.send(method, "/v1/classes/" + target, body)
        #expect(reply.status < 300, "\(reply.text)")
        return reply.headers["holdfast-version"] ?? ""
    }

    /// Changes objects in each way that some query tells of, with properties that no change of the schema takes.
    @discardableResult
    private static func write(_ server: ChangesServer, _ round: Int) -> String {
        put(server, "Item/objects/1", "{\"name\":\"r\(round)\"}", "PATCH")
        put(server, "Item/objects/2", "{\"owner\":\"bob\"}", "PATCH")
        put(server, "Item/objects/3", "{\"owner\":\"ann\",\"marks\":[\(round)]}", "PATCH")
        put(server, "Person/objects/bob", "{\"name\":\"bob\(round)\"}", "PATCH")
        let deleted = server.send("DELETE", "/v1/classes/Item/objects/\(3 + round)")
        #expect(deleted.status < 300, "\(deleted.text)")
        return put(
            server, "Item/objects/\(20 + round)", "{\"name\":\"new\",\"owner\":\"ann\"}")
    }

    @Test(
        "a change of the schema resets what shows or reads a property that has changed, and nothing else",
        arguments: cases)
    func resets(schemaCase: Case) throws {
        let server = try Self.makeServer()
        let names = Self.queries.keys.filter { !schemaCase.ended.contains($0) }.sorted()
        func clients() -> [TableClient] {
            names.map {
                let query = Self.queries[$0] ?? Query()
                return TableClient(
                    server, query.path, query.parameters, eventOptions: query.eventOptions)
            }
        }
        let (live, away, pages, polls) = (clients(), clients(), clients(), clients())
        for client in live + away { client.connect() }
        for client in pages + polls { client.catchUp(.pages) }
        Self.write(server, 1)
        // What changes goes with the change.
        Self.put(
            server, "Item/objects/1",
            #"{"n":3,"tag":"u","note":"x","friend":"bob","addr":{"street":"s","zip":"y","floor":2}}"#,
            "PATCH")
        Self.put(server, "Person/objects/bob", #"{"age":40,"extra":"e"}"#, "PATCH")
        for client in polls { client.catchUp(.pages) }
        var schema = Self.schema
        schemaCase.change(&schema)
        try server.store.setSchema(
            schema.classes,
            renames: SchemaRenames(
                schemaCase.renames.map {
                    SchemaRenames.Entry(old: .init($0.0), new: .init($0.1))
                }), allowsDataLoss: true)
        let written = Self.write(server, 2)
        for (index, name) in names.enumerated() {
            let note = "\(schemaCase.testDescription): \(name)"
            let isReset = schemaCase.reset.contains(name)
            live[index].follow(to: number(written))
            away[index].connect()
            for client in [live[index], away[index]] {
                #expect(
                    client.resets == (isReset ? ["start", "schema-changed"] : ["start"]), "\(note)")
                if name != "store" { client.expectResult(note) }
            }
            for client in [pages[index], polls[index]] {
                client.catchUp(.pages)
                #expect(client.goneCount == (isReset ? 1 : 0), "\(note)")
                if name != "store" { client.expectResult(note) }
            }
        }
        #expect(try server.store.findings() == [])
    }

    @Test(
        "properties, live lists and the queries of one stream are reset one by one, and resumed alike"
    )
    func otherStreams() throws {
        let server = try Self.makeServer()
        let item = "/v1/classes/Item"
        let targets = [
            item + "/objects/1/properties/marks/changes?since=now",
            item + "/objects/1/properties/n/changes?since=now",
            target(item + "/changes", [("sort", "name"), ("fields", "id,name"), ("limit", "3")]),
            target(item + "/changes", [("sort", "-n"), ("fields", "id,name"), ("limit", "3")]),
            item + "/objects/1/changes?since=now&fields=id,name",
            item + "/objects/1/changes?since=now&fields=id,n",
        ]
        let isReset = [false, true, false, true, false, true]
        let live = targets.map { server.events($0) }
        let away = targets.map { server.events($0) }
        func begin(_ stream: ChangesClient, _ index: Int) -> String {
            let isList = (2...3).contains(index)
            return stream.events(to: isList ? "upToDate" : "hello").last?.id ?? ""
        }
        for (index, stream) in live.enumerated() { _ = begin(stream, index) }
        let ids = away.enumerated().map { begin($1, $0) }
        let made = server.send(
            "POST", "/v1/streams",
            """
            {"queries":{"name":{"class":"Item","fields":"id,name"},"n":{"class":"Item","fields":"id,n"},\
            "top":{"class":"Item","sort":"name","limit":2,"fields":"id,name"}}}
            """)
        let id = made.json["id"]?.string ?? ""
        let group = server.events("/v1/streams/\(id)?since=now")
        #expect(group.nextEvent().name == "hello")
        var schema = Self.schema
        Self.edit("n", of: "Item", { $0.type = .single(.scalar(.double)) }, in: &schema)
        Self.drop("tag", of: "Item", in: &schema)
        try server.store.setSchema(schema.classes, allowsDataLoss: true)
        let written = Self.put(
            server, "Item/objects/1", #"{"name":"a","n":9,"marks":[7]}"#, "PATCH")
        for (index, target) in targets.enumerated() {
            let back = server.events(target, headers: [("Last-Event-ID", ids[index])])
            for stream in [live[index], back] {
                var events: [ChangesClient.Event] = []
                while number(events.last?.id) < number(written), let event = stream.next() {
                    events.append(event)
                }
                let reasons = events.filter { $0.name == "reset" }.map {
                    $0.json["reason"]?.string ?? ""
                }
                // A list begins again at another version.
                let isList = (2...3).contains(index)
                if !isList || stream === live[index] {
                    #expect(
                        reasons == (isReset[index] ? ["schema-changed"] : []),
                        "\(target): \(events)")
                }
            }
        }
        var resets: [String] = []
        var event = ChangesClient.Event()
        while number(event.id) < number(written), let next = group.next() {
            event = next
            if event.name == "reset" { resets.append(event.json["query"]?.string ?? "") }
        }
        // The stream begins its list with a reset, too.
        #expect(resets.filter { $0 == "name" }.isEmpty && resets.contains("n"), "\(resets)")
        #expect(resets.filter { $0 == "top" }.count == 1, "\(resets)")
    }

    @Test(
        "a property that is dropped and added again resets what shows it or reads it, and nothing else"
    )
    func addedAgain() throws {
        let server = try Self.makeServer()
        let names = ["all", "name", "note", "noted", "one", "card"]
        let clients = names.map {
            let query = Self.queries[$0] ?? Query()
            return TableClient(server, query.path, query.parameters)
        }
        for client in clients { client.catchUp(.pages) }
        var schema = Self.schema
        Self.drop("note", of: "Item", in: &schema)
        try server.store.setSchema(schema.classes, allowsDataLoss: true)
        Self.write(server, 1)
        try server.store.setSchema(Self.schema.classes, allowsDataLoss: true)
        Self.write(server, 2)
        for (name, client) in zip(names, clients) {
            client.catchUp(.pages)
            let isReset = ["all", "note", "noted"].contains(name)
            #expect(client.goneCount == (isReset ? 1 : 0), "\(name)")
            client.expectResult(name)
        }
    }

    @Test("names that are taken in two steps are those of other properties and classes")
    func takenNames() throws {
        let server = try Self.makeServer()
        let queries = [
            Query(parameters: [("fields", "id,name"), ("filter", "tag == 't1'")]),
            Query(parameters: [("fields", "id,name"), ("filter", "n > 1")]),
            Query(path: "/v1/classes/Spare"),
        ]
        let clients = queries.map { TableClient(server, $0.path, $0.parameters) }
        Self.put(server, "Spare/objects/1", "{}")
        for client in clients { client.catchUp(.pages) }
        func set(_ renames: [(String, String)], _ change: (inout Schema) -> Void) throws {
            var schema = Schema(classes: server.store.catalog.schema.classes)
            change(&schema)
            try server.store.setSchema(
                schema.classes,
                renames: SchemaRenames(
                    renames.map { SchemaRenames.Entry(old: .init($0.0), new: .init($0.1)) }),
                allowsDataLoss: true)
        }
        try set([]) { schema in
            Self.drop("tag", of: "Item", in: &schema)
            schema.classes.removeAll { $0.name == "Spare" }
        }
        try set([("Item.note", "Item.tag")]) { schema in
            Self.edit("note", of: "Item", { $0.name = "tag" }, in: &schema)
            schema.classes.append(
                ObjectClass(
                    name: "Spare", primaryKey: "id", properties: [Schemas.property("id", .int)]))
        }
        for (index, client) in clients.enumerated() {
            client.catchUp(.pages)
            #expect(client.goneCount == (index == 1 ? 0 : 1), "\(queries[index])")
            client.expectResult("\(queries[index])")
        }
    }
}

/// The number of a version.
private func number(_ version: String?) -> Int {
    version?.split(separator: "-").last.flatMap { Int($0) } ?? -1
}
