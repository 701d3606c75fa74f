import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// Tasks with people, for change streams.
enum Tasks {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Task", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("title", .string),
                Schemas.property("done", .bool), Schemas.property("rank", .int, indexed: true),
                Schemas.link("owner", "Person"), Schemas.list("parts", of: "Task"),
                Schemas.link("next", "Task"),
                Property(name: "place", type: .single(.object("Place")), isOptional: true),
                Property(
                    name: "partOf", type: .linkingObjects(className: "Task", property: "parts")),
            ]),
        ObjectClass(
            name: "Person", primaryKey: "name",
            properties: [
                Schemas.property("name", .string), Schemas.property("age", .int),
                Schemas.link("boss", "Person"),
                Property(
                    name: "tasks", type: .linkingObjects(className: "Task", property: "owner")),
            ]),
        ObjectClass(
            name: "Place", kind: .embedded,
            properties: [Schemas.property("city", .string), Schemas.link("host", "Person")]),
        ObjectClass(name: "Note", properties: [Schemas.property("text", .string)]),
    ])

    static func server(_ options: RESTOptions = RESTOptions(), engine: EngineCase = .memory) throws
        -> ChangesServer
    {
        ChangesServer(try TestServer(engine, schema: schema, options: options))
    }
}

/// A server whose writes are told one by one: each waits until the streams have heard of it, so that no
/// two of them are told in one event. One thread at a time uses it.
final class ChangesServer {
    let server: TestServer
    private let fence: ChangesClient

    init(_ server: TestServer) {
        self.server = server
        let port = server.server.addresses.first?.port ?? 0
        fence = ChangesClient(port: port, "/v1/changes")
        #expect(fence.next()?.name == "hello")
    }

    var port: UInt16 { server.server.addresses.first?.port ?? 0 }
    var store: Store { server.store }
    var service: RESTService { server.service }

    func events(
        _ path: String, _ parameters: [(String, String)] = [], headers: [(String, String)] = []
    ) -> ChangesClient {
        ChangesClient(
            port: port, parameters.isEmpty ? path : target(path, parameters), headers: headers)
    }

    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil, headers: [(String, String)] = []
    ) -> HTTPClient.Reply {
        let before = store.version
        let reply = server.send(method, target, body, headers: headers)
        let after = store.version
        // A change of the schema need not concern anybody.
        let isTold = !target.hasPrefix("/v1/schema") && !target.hasPrefix("/v1/projections")
        if isTold, after != before { while let event = fence.next(), event.id != "\(after)" {} }
        return reply
    }

    /// Puts a task and returns the store's version.
    @discardableResult
    func task(_ id: Int, _ body: String, _ location: SourceLocation = #_sourceLocation) -> String {
        write("PUT", "/v1/classes/Task/objects/\(id)", body, location)
    }

    @discardableResult
    func person(_ name: String, _ body: String, _ location: SourceLocation = #_sourceLocation)
        -> String
    {
        write("PUT", "/v1/classes/Person/objects/\(name)", body, location)
    }

    func delete(_ path: String, _ location: SourceLocation = #_sourceLocation) -> String {
        write("DELETE", path, nil, location)
    }

    private func write(
        _ method: String, _ path: String, _ body: String?, _ location: SourceLocation
    ) -> String {
        let reply = send(method, path, body)
        #expect(reply.status < 300, "\(reply.text)", sourceLocation: location)
        return reply.headers["holdfast-version"] ?? ""
    }
}
