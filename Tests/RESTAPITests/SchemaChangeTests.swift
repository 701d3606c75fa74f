import Glibc
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastStoreService
import Testing
import HoldfastTestSupport
import HoldfastThreads

@Test("a body that was read before a change of the schema is written under the schema after it")
func schemaChangeBetween() throws {
    let server = try TestServer(schema: Schemas.everything)
    var schema = Schemas.everything
    let ticket = try #require(schema.classes.firstIndex { $0.name == "Ticket" })
    // First in the class, so that positions differ.
    schema.classes[ticket].properties.insert(
        Schemas.property("rank", .int, indexed: true, default: .constant(.int(7))), at: 0)
    schema.classes.insert(
        ObjectClass(name: "Early", properties: [Schemas.property("x", .int)]), at: 0)

    // Holds up the writer until the request and the change of the schema wait behind it.
    let gate = Monitor(false)
    let isHeld = Monitor(false)
    server.store.submit(
        AwaitedWrite { _ in
            isHeld.update { $0 = true }
            gate.wait { $0 ? () : nil }
        })
    isHeld.wait { $0 ? () : nil }
    let store = server.store
    let change = schema
    let changing = try StartedThread { () -> Bool in
        do {
            try TestServer.put(change, in: store)
            return true
        } catch {
            return false
        }
    }
    let id = "123e4567-e89b-12d3-a456-426614174000"
    let port = server.server.addresses.first?.port ?? 0
    let writing = try StartedThread {
        HTTPClient(port: port).send(
            "PUT", "/v1/classes/Ticket/objects/\(id)",
            headers: [("Content-Type", "application/json")],
            body: Array("{\"title\":\"x\"}".utf8))
    }
    // The request was counted when its headers came; in whichever order the two queue up, the reply
    // and what is stored have to agree with the schema of their moment.
    while server.server.metrics.inFlight.load(ordering: .relaxed) == 0 { usleep(100) }
    gate.update { $0 = true }
    #expect(changing.result())
    let reply = writing.result()
    #expect(reply.status == 201, "\(reply.text)")
    APIScenario(
        "GET", "/v1/classes/Ticket/objects/\(id)", status: 200,
        contains: ["{\"rank\":7,\"id\":\"\(id)\",\"title\":\"x\"}"]
    ).check(on: server)
}
