import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

// The limits on streams of several queries.
extension QueryStreamTests {
    @Test("has a bounded number of queries, of streams for each token, and of streams")
    func bounds() throws {
        var options = RESTOptions()
        options.limits.streamQueryCountMax = 2
        options.limits.tokenStreamCountMax = 2
        let server = try Tasks.server(options)
        let three = #"{"queries":{"a":{"class":"Task"},"b":{"class":"Task"},"c":{"class":"Task"}}}"#
        let tooMany = ["too-many-queries", "at most 2"]
        APIScenario("POST", "/v1/streams", three, status: 422, contains: tooMany).check(
            on: server.server)
        let client = QueryStreamClient(server, ["open": .tasks("done == false")])
        APIScenario(
            "PATCH", "/v1/streams/\(client.id)",
            #"{"queries":{"a":{"class":"Task"},"b":{"class":"Task"}}}"#, status: 422,
            contains: tooMany
        ).check(on: server.server)
        client.patch(["a": .tasks("rank > 1")])
        client.patch(["a": nil, "b": .tasks("rank > 1")])
        client.open()
        let second = QueryStreamClient(server, [:])
        second.open()
        APIScenario(
            "POST", "/v1/streams", #"{"queries":{}}"#, status: 503, contains: ["too-many-streams"],
            fields: ["retry-after": ""]
        ).check(on: server.server)
        APIScenario("DELETE", "/v1/streams/\(second.id)", status: 204).check(on: server.server)
        _ = QueryStreamClient(server, [:])
    }

    @Test("has queries whose texts have a bounded size, together with those of the other streams")
    func texts() throws {
        var options = RESTOptions()
        let empty = #"{"queries":{}}"#
        let body = #"{"queries":{"a":{"class":"Task","filter":"title != 'some text'"}}}"#
        options.limits.queryStreamByteCountMax = 2 * body.utf8.count
        let server = try Tasks.server(options)
        func post(_ body: String, _ status: Int) -> HTTPClient.Reply {
            APIScenario("POST", "/v1/streams", body, status: status).check(on: server.server)
        }
        // Streams without a follower would end to make room for others.
        var followers: [ChangesClient] = []
        func follow(_ reply: HTTPClient.Reply) -> String {
            let path = reply.headers["location"] ?? ""
            let follower = server.events(path, [("since", "now")])
            #expect(follower.nextEvent().name == "hello")
            followers.append(follower)
            return path
        }
        let first = follow(post(body, 201))
        let second = follow(post(empty, 201))
        func patch(_ path: String, _ body: String, _ status: Int) {
            APIScenario("PATCH", path, body, status: status).check(on: server.server)
        }
        patch(second, body, 200)
        patch(second, body.replacing("some", with: "other"), 503)
        #expect(post(body, 503).text.contains("too-many-streams"))
        // A removed query makes room.
        patch(first, #"{"queries":{"a":null}}"#, 200)
        #expect(post(body, 201).status == 201)
        withExtendedLifetime(followers) {}
    }
}
