import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("Tokens of some classes")
struct LimitedTokenTests {
    private let server: RuledServer

    init() throws {
        server = try RuledServer(classes: [])
        for (target, body) in [
            (
                "schema",
                """
                {"classes":[
                  {"name":"Cabinet","primaryKey":"id","properties":{"id":"int","owner":"string?","secret":"string?"}},
                  {"name":"Task","primaryKey":"id","properties":{"id":"int","text":"string?","cabinet":"Cabinet",
                    "next":"Task","any":"mixed"}}
                ]}
                """
            ), ("projections/Far", #"{"class":"Task","properties":{"secret":"cabinet.secret"}}"#),
            ("classes/Cabinet/objects/1", #"{"owner":"ann","secret":"gold"}"#),
            (
                "classes/Task/objects/1",
                #"{"text":"a","cabinet":1,"any":{"$link":{"class":"Cabinet","id":1}}}"#
            ), ("classes/Task/objects/2", #"{"text":"b","next":1}"#),
        ] {
            let put = server.send("PUT", "/v1/" + target, body)
            #expect(put.status < 300, "\(put.text)")
        }
    }

    /// Makes a token of the class of tasks.
    private func token(_ right: String, user: String? = nil) throws
        -> RuledServer.Key
    {
        let made = server.send(
            "POST", "/v1/tokens",
            "{\"name\":\"tasks\(right)\(user ?? "")\",\"right\":\"\(right)\",\"classes\":[\"Task\"]"
                + (user.map { ",\"user\":\(quoted($0))" } ?? "") + "}")
        return .token(try #require(QueryJSON(made.text)?["token"]?.string, "\(made.text)"))
    }

    private func check(
        _ asker: RuledServer.Key, _ rows: [(String, String, String?, Int)]
    ) {
        for (method, target, body, status) in rows {
            let reply = server.send(method, "/v1/" + target, body, as: asker)
            #expect(reply.status == status, "\(method) \(target): \(reply.status) \(reply.text)")
            for word in ["Cabinet", "gold", "secret", "\"cabinet\""] where !target.contains(word) {
                #expect(
                    !reply.text.contains(word) || (body ?? "").contains(word),
                    "\(target): \(reply.text)")
            }
        }
    }

    @Test("see the store as if there were no other classes")
    func read() throws {
        let tasks = try token("read")
        check(
            tasks,
            [
                ("GET", "classes/Task/objects/1", nil, 200),
                ("GET", "classes/Task/objects?filter=next.text%20%3D%3D%20'a'", nil, 200),
                ("GET", "classes/Task/objects?filter=cabinet.owner%20%3D%3D%20'ann'", nil, 400),
                ("GET", "classes/Task/objects?expand=cabinet", nil, 400),
                ("GET", "classes/Task/export", nil, 200),
                ("GET", "classes/Cabinet/objects", nil, 404), ("GET", "classes", nil, 200),
                ("GET", "schema", nil, 200), ("GET", "openapi.json", nil, 200),
                ("GET", "projections/Far/objects", nil, 404), ("GET", "export", nil, 403),
                ("GET", "changes", nil, 403), ("GET", "tokens", nil, 403),
                ("PATCH", "classes/Task/objects/1", #"{"text":"c"}"#, 403),
            ])
        #expect(
            server.get("/v1/classes/Task/objects/1", as: tasks).text
                == #"{"id":1,"text":"a","next":null,"any":null}"#)
    }

    @Test("write what their right lets, and leave what they do not see")
    func write() throws {
        let tasks = try token("write")
        check(
            tasks,
            [
                ("PUT", "classes/Task/objects/1", #"{"text":"c"}"#, 200),
                ("PUT", "classes/Task/objects/3", #"{"text":"d","next":1}"#, 201),
                ("PATCH", "classes/Task/objects/3", #"{"cabinet":1}"#, 422),
                (
                    "PATCH", "classes/Task/objects/3",
                    #"{"any":{"$link":{"class":"Cabinet","id":1}}}"#, 422
                ), ("DELETE", "classes/Task/objects/3", nil, 204),
                ("PUT", "classes/Cabinet/objects/1", #"{"owner":"eve"}"#, 404),
                ("DELETE", "classes/Cabinet/objects/1", nil, 404),
                ("PUT", "schema/classes/New", #"{"properties":{"a":"int"}}"#, 403),
            ])
        let stored = QueryJSON(server.send("GET", "/v1/classes/Task/objects/1").text)
        #expect(stored?["text"]?.string == "c" && stored?["cabinet"]?.int == 1)
        #expect(stored?["any"] != .null)
        let imported = server.send(
            "POST", "/v1/classes/Task/import?mode=merge", #"{"id":1,"text":"e"}"#, as: tasks,
            type: "application/x-ndjson")
        #expect(imported.status == 200, "\(imported.text)")
        let stream = server.follow("/v1/classes/Task/changes", as: tasks)
        #expect(stream.next()?.name == "hello")
        check(tasks, [("PATCH", "classes/Task/objects/2", #"{"text":"f"}"#, 200)])
        #expect(stream.events(to: "change").last?.data.contains("\"f\"") == true)
    }

    @Test("take away of a user's rights what is of other classes")
    func user() throws {
        let put = server.send(
            "PUT", "/v1/access",
            """
            {"roles":{"all":{"classes":{"Cabinet":{"read":"owner == $user.id"},
              "Task":{"read":"cabinet.owner == $user.id OR text == 'b'","update":"cabinet.owner == $user.id"}}}}}
            """)
        #expect(put.status == 200, "\(put.text)")
        let whole = server.user("ann")
        #expect(server.get("/v1/classes/Cabinet/objects/1", as: whole).status == 200)
        let tasks = try token("write", user: "ann")
        check(
            tasks,
            [
                ("GET", "classes/Task/objects/1", nil, 200),
                ("GET", "classes/Cabinet/objects", nil, 404),
                ("PATCH", "classes/Task/objects/1", #"{"text":"c"}"#, 200),
                ("PATCH", "classes/Task/objects/2", #"{"text":"c"}"#, 403),
                ("PUT", "classes/Task/objects/9", #"{"text":"c"}"#, 403),
            ])
        // A cursor is worth only its view.
        let page = server.get("/v1/classes/Task/objects?limit=1", as: whole)
        let next = try #require(QueryJSON(page.text)?["next"]?.string, "\(page.text)")
        #expect(
            server.get("/v1/classes/Task/objects?limit=1&cursor=\(next)", as: tasks).status >= 400)
    }
}
