import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Asymmetric classes with keys of their own, generated ones, numbers and none.
enum Outboxes {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Reading", kind: .asymmetric, primaryKey: "_id",
            properties: [
                Schemas.property("_id", .int), Schemas.property("celsius", .double),
                Property(name: "place", type: .single(.object("Place")), isOptional: true),
                Schemas.link("sensor", "Sensor"),
                Schemas.list("seen", of: "Sensor"),
            ]),
        ObjectClass(
            name: "Visit", kind: .asymmetric, properties: [Schemas.property("page", .string)]),
        ObjectClass(
            name: "Tick", kind: .asymmetric, primaryKey: "n",
            properties: [Schemas.property("n", .int, default: .next)]),
        ObjectClass(
            name: "Place", kind: .embedded,
            properties: [Schemas.property("city", .string), Schemas.link("near", "Sensor")]),
        ObjectClass(
            name: "Sensor", primaryKey: "name",
            properties: [
                Schemas.property("name", .string), Schemas.property("limit", .int),
                Schemas.link("next", "Sensor"),
                Property(
                    name: "before", type: .linkingObjects(className: "Sensor", property: "next")),
            ]),
    ])

    static func server(_ engine: EngineCase = .memory, _ options: RESTOptions = RESTOptions())
        throws -> TestServer
    {
        try TestServer(engine, schema: schema, options: options)
    }
}

extension TestServer {
    /// Creates readings with these keys in one transaction.
    func submitWrite(_ keys: ClosedRange<Int>, _ location: SourceLocation = #_sourceLocation) {
        let body = "[" + keys.map { "{\"_id\":\($0)}" }.joined(separator: ",") + "]"
        let reply = send("POST", "/v1/classes/Reading/objects", body)
        #expect(reply.status == 201, "\(reply.text)", sourceLocation: location)
    }

    /// The keys that a page of the outbox of readings has, and where it ends.
    func outbox(_ parameters: String = "", _ location: SourceLocation = #_sourceLocation)
        -> (keys: [Int64], through: String)
    {
        let reply = send("GET", "/v1/classes/Reading/outbox" + parameters)
        #expect(reply.status == 200, "\(reply.text)", sourceLocation: location)
        #expect(reply.json.names == ["objects", "through"], sourceLocation: location)
        return (
            (reply.json["objects"]?.elements ?? []).compactMap { $0["_id"]?.int },
            reply.json["through"]?.string ?? ""
        )
    }

    /// Acknowledges what was consumed; the number of objects that went.
    func acknowledge(_ through: String, _ location: SourceLocation = #_sourceLocation) -> Int64? {
        let reply = send(
            "DELETE", target("/v1/classes/Reading/outbox", [("through", through)]))
        #expect(reply.status == 200, "\(reply.text)", sourceLocation: location)
        #expect(reply.json.names == ["affected", "version"], sourceLocation: location)
        return reply.json["affected"]?.int
    }
}
