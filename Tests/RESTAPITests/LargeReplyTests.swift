import Glibc
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// Replies that would hold up the thread of a connection.
@Suite("Large replies")
struct LargeReplyTests {
    @Test("a reply of megabytes is made by a worker, whatever is asked for")
    func largeReplies() throws {
        var options = RESTOptions()
        options.limits.scheduling.runningLongCountMax = 1
        let server = try TestServer(schema: Schemas.everything, options: options)
        let things = "/v1/classes/Thing"
        let text = String(repeating: "x", count: 600_000)
        for id in 1...3 {
            #expect(
                server.send("PUT", things + "/objects/\(id)", #"{"name":"\#(text)"}"#).status == 201
            )
        }
        let long = text + text
        #expect(
            server.send("PUT", things + "/objects/4", #"{"name":"\#(long)"}"#).status == 201)
        let scheduler = server.service.served.scheduler
        for target in ["/objects", "/objects/4", "/objects/4/properties/name"] {
            let workers = HeldWorkers(of: server.service.served)
            // What is short goes past them.
            #expect(server.send("GET", things + "/objects/1").status == 200)
            let client = HTTPClient(port: server.server.addresses.first?.port ?? 0)
            client.begin("GET", things + target)
            for _ in 0..<30_000 where scheduler.counts.waiting == 0 { usleep(1000) }
            #expect(scheduler.counts.waiting == 1, "\(target)")
            workers.release()
            let reply = client.finish()
            #expect(reply.status == 200 && reply.text.utf8.count > 1_000_000, "\(target)")
        }
    }
}
