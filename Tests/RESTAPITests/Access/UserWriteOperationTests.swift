import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Operations that write, for users")
struct UserWriteOperationTests {
    /// Lets users change their own lists and tasks.
    static let document = """
        {"users":"Person","roles":{"member":{"classes":{
          "Person":{"read":"id == $user.id","create":"id == $user.id"},
          "List":{"read":"owner == $user.id OR ANY members == $user.id","create":"owner == $user.id",
            "update":"owner == $user.id","delete":"owner == $user.id","properties":{"owner":"create"}},
          "Task":{"read":"list.owner == $user.id OR ANY list.members == $user.id","create":"list.owner == $user.id",
            "update":{"before":"done == false","after":"list.owner == $user.id"},"delete":"list.owner == $user.id",
            "properties":{"secret":"none","rank":"read"}},
          "Country":{"create":true}}}}}
        """

    /// A request as ann and its answer: a status, and a text that the reply has.
    private struct Row {
        let method: String
        let target: String
        let body: String?
        let status: Int
        let text: String

        init(
            _ method: String, _ target: String, _ body: String? = nil, _ status: Int,
            _ text: String = ""
        ) {
            (self.method, self.target, self.body) = (method, "/v1/" + target, body)
            (self.status, self.text) = (status, text)
        }
    }

    private static func world() throws -> TaskWorld {
        let world = try TaskWorld()
        let put = world.server.send("PUT", "/v1/access", document)
        #expect(put.status == 200, "\(put.text)")
        return world
    }

    private static func check(_ world: TaskWorld, _ rows: [Row]) {
        for row in rows {
            let reply = world.server.send(row.method, row.target, row.body, as: world.ann)
            #expect(
                reply.status == row.status && reply.text.contains(row.text),
                "\(row.method) \(row.target) \(row.body ?? ""): \(reply.status) \(reply.text)")
            for word in ["treasure", "gold", "secret"] {
                #expect(
                    !reply.text.contains(word) || (row.target + (row.body ?? "")).contains(word),
                    "\(row.target): \(reply.text)")
            }
        }
    }

    @Test("create what the document lets, and see what they may read of it")
    func create() throws {
        Self.check(
            try Self.world(),
            [
                Row(
                    "POST", "classes/Task/objects", #"{"id":9,"list":1,"title":"salt"}"#, 201,
                    #""title":"salt""#),
                Row("PUT", "classes/Task/objects/10", #"{"list":1,"title":"oil"}"#, 201, "oil"),
                Row(
                    "PATCH", "classes/Task/objects/11?upsert=true", #"{"list":1,"title":"tea"}"#,
                    201, "tea"),
                Row("POST", "classes/List/objects", #"{"id":9,"owner":"bob"}"#, 422, "dangling"),
                Row("POST", "classes/List/objects", #"{"id":9}"#, 403, "not-allowed"),
                Row("POST", "classes/Country/objects", #"{"id":"de","name":"Germany"}"#, 201),
                Row(
                    "POST", "classes/Record/objects", #"{"id":9,"code":"x"}"#, 404, "unknown-class"),
                Row("POST", "classes/Task/objects", #"{"id":12,"list":2,"title":"x"}"#, 422),
                Row(
                    "POST", "classes/Task/objects", #"{"id":12,"list":1,"rank":3}"#, 403,
                    "not-allowed"),
                Row(
                    "POST", "transactions",
                    #"{"operations":[{"op":"create","class":"Task","value":{"id":13,"list":1}},{"op":"delete","class":"Task","id":13}]}"#,
                    200),
            ])
    }

    @Test("are answered for what they do not see as if it were not there, but for its key")
    func hidden() throws {
        Self.check(
            try Self.world(),
            [
                Row("PATCH", "classes/Task/objects/3", #"{"title":"x"}"#, 404, "object-not-found"),
                Row("DELETE", "classes/Task/objects/3", nil, 404, "object-not-found"),
                Row("POST", "classes/Task/objects", #"{"id":3,"list":1}"#, 409),
                Row("PUT", "classes/Task/objects/3", #"{"list":1}"#, 409),
                Row("PATCH", "classes/Task/objects/3?upsert=true", #"{"list":1}"#, 409),
                Row("PATCH", "classes/Task/objects/1", #"{"next":3}"#, 422),
                Row("PATCH", "classes/Task/objects/1", #"{"next":4711}"#, 422),
                Row("PATCH", "classes/Task/objects/1", #"{"secret":"x"}"#, 422, "unknown-property"),
                Row(
                    "PUT", "classes/Task/objects/1", #"{"list":1,"secret":null}"#, 422,
                    "unknown-property"),
            ])
    }

    @Test("are told the place of what they create where they may read it")
    func places() throws {
        let world = try Self.world()
        func create(_ target: String, _ body: String) -> HTTPClient.Reply {
            let reply = world.server.send(
                "POST", "/v1/" + target, body, as: world.ann,
                headers: [("Idempotency-Key", "1")])
            #expect(reply.status == 201, "\(reply.text)")
            return reply
        }
        let task = #"{"id":9,"list":1}"#
        let made = create("classes/Task/objects", task)
        #expect(made.headers["location"] == "/v1/classes/Task/objects/9")
        // What she may read when it is repeated is another matter.
        let again = create("classes/Task/objects", task)
        #expect(again.headers["idempotency-replayed"] == "true")
        #expect(again.headers["location"] == made.headers["location"])
        #expect(again.headers["etag"] == made.headers["etag"] && again.text == made.text)
        world.server.send("PATCH", "/v1/classes/Task/objects/9", #"{"list":2}"#)
        let gone = create("classes/Task/objects", task)
        #expect(gone.headers["location"] == nil && gone.headers["etag"] == nil)
        #expect(gone.text.isEmpty)
        for _ in 0..<2 {
            let hidden = create("classes/Country/objects", #"{"id":"de","name":"Germany"}"#)
            #expect(hidden.headers["location"] == nil && hidden.headers["etag"] == nil)
        }
        let operations =
            #"{"operations":[{"op":"create","class":"Task","value":{"id":10,"list":1}}]}"#
        let replies = (0..<2).map { _ in
            world.server.send(
                "POST", "/v1/transactions", operations, as: world.ann,
                headers: [("Idempotency-Key", "2")])
        }
        #expect(replies[0].text.contains(#""etag""#), "\(replies[0].text)")
        #expect(replies[1].text.hasSuffix(#""results":[]}"#), "\(replies[1].text)")
    }

    @Test("leave what they do not see as it is")
    func difference() throws {
        let world = try Self.world()
        let read = world.get("/v1/classes/Task/objects/1")
        let written = world.server.send(
            "PUT", "/v1/classes/Task/objects/1", read.text, as: world.ann)
        #expect(written.status == 200, "\(written.text)")
        let stored = QueryJSON(world.server.send("GET", "/v1/classes/Task/objects/1").text)
        #expect(stored?["secret"]?.string == "treasure")
        #expect(stored?["next"]?.int == 3)
        #expect(stored?["others"]?.elements.compactMap(\.int) == [3, 2])
    }

    @Test(
        "are refused what their roles do not let, and told nothing of a failed condition but what they see"
    )
    func refused() throws {
        let world = try Self.world()
        Self.check(
            world,
            [
                Row("PATCH", "classes/Task/objects/1", #"{"done":true}"#, 200),
                Row("PATCH", "classes/Task/objects/1", #"{"title":"x"}"#, 403, "not-allowed"),
                Row("PATCH", "classes/List/objects/1", #"{"title":"mine"}"#, 200, "mine"),
                Row("PATCH", "classes/Person/objects/ann", #"{"name":"x"}"#, 403, "not-allowed"),
                Row("DELETE", "classes/Person/objects/ann", nil, 403, "not-allowed"),
                Row("DELETE", "classes/Task/objects/2", nil, 204),
            ])
        let failed = world.server.send(
            "PATCH", "/v1/classes/List/objects/1", #"{"title":"y"}"#, as: world.ann,
            headers: [("If-Match", #""1-1""#)])
        #expect(failed.status == 412, "\(failed.text)")
        #expect(!failed.text.contains("treasure"))
    }

    @Test("change and delete by a filter what they see")
    func bulk() throws {
        let world = try Self.world()
        Self.check(
            world,
            [
                Row(
                    "PATCH", "classes/Task/objects?filter=rank%20%3E%3D%200", #"{"title":"x"}"#,
                    200, #""affected":2"#),
                Row(
                    "PATCH", "classes/Task/objects?filter=secret%20!%3D%20nil", #"{"title":"x"}"#,
                    400, "unknown-property"),
                Row(
                    "PATCH", "classes/Task/objects?filter=rank%20%3E%3D%200", #"{"rank":3}"#, 403,
                    "not-allowed"),
                Row(
                    "PATCH", "classes/Record/objects?all=true", #"{"code":"x"}"#, 404,
                    "unknown-class"),
                Row(
                    "DELETE", "classes/Task/objects?filter=rank%20%3C%201", nil, 200,
                    #""affected":0"#),
                Row("DELETE", "classes/Task/objects?all=true", nil, 200, #""affected":2"#),
                Row("DELETE", "classes/Person/objects?all=true", nil, 403, "not-allowed"),
            ])
        let left = QueryJSON(world.server.send("GET", "/v1/classes/Task/objects").text)
        #expect(left?["objects"]?.elements.compactMap { $0["id"]?.int } == [3])
    }

    @Test("change elements of collections by the places that they see")
    func elements() throws {
        let world = try Self.world()
        let others = "classes/Task/objects/1/properties/others/elements"
        func stored() -> [Int64]? {
            QueryJSON(world.server.send("GET", "/v1/classes/Task/objects/1").text)?["others"]?
                .elements.compactMap(\.int)
        }
        Self.check(world, [Row("POST", others, "1", 201)])
        #expect(stored() == [3, 2, 1])
        Self.check(world, [Row("PUT", others + "/0", "1", 200)])
        #expect(stored() == [3, 1, 1])
        Self.check(
            world,
            [
                Row("DELETE", others + "/1", nil, 200), Row("DELETE", others + "/1", nil, 404),
                Row("POST", others, "3", 422), Row("POST", others, "4711", 422),
                Row("POST", "classes/Task/objects/3/properties/others/elements", "1", 404),
            ])
        #expect(stored() == [3, 1])
    }

    @Test("are shown no name in a reply that they do not know")
    func names() throws {
        let world = try Self.world()
        let task = "/v1/classes/Task/objects/1"
        let stale = [("If-Match", #""1-1""#)]
        let replies = [
            world.server.send("PATCH", task, #"{"title":"a"}"#, as: world.ann, headers: stale),
            world.server.send("PUT", task, #"{"list":1}"#, as: world.ann, headers: stale),
            world.server.send("DELETE", task, as: world.ann, headers: stale),
            world.server.send(
                "PUT", task + "/properties/others/elements/0", "2", as: world.ann, headers: stale),
            world.server.send("POST", task + "/properties/others/elements", "2", as: world.ann),
            world.server.send("PUT", task + "/properties/others/elements/0", "2", as: world.ann),
            world.server.send("DELETE", task + "/properties/others/elements/0", as: world.ann),
            world.server.send(
                "POST", "/v1/transactions",
                #"{"operations":[{"op":"merge","class":"Task","id":1,"value":{"title":"b"}}]}"#,
                as: world.ann),
        ]
        #expect(
            replies.map(\.status) == [412, 412, 412, 412, 201, 200, 200, 200],
            "\(replies.map(\.text))")
        for reply in replies {
            #expect(reply.text.contains("title") && !reply.text.contains("secret"), "\(reply.text)")
        }
    }
}
