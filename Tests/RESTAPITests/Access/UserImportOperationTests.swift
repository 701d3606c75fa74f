import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

@Suite("The import, for users")
struct UserImportOperationTests {
    private static let document = """
        {"users":"Person","roles":{"member":{"classes":{
          "List":{"read":"owner == $user.id","create":"owner == $user.id"},
          "Task":{"read":"list.owner == $user.id","create":"list.owner == $user.id",
            "update":{"before":"done == false","after":"list.owner == $user.id"},
            "properties":{"secret":"none","rank":"read"}}}}}}
        """

    private static func world() throws -> TaskWorld {
        let world = try TaskWorld()
        let put = world.server.send("PUT", "/v1/access", document)
        #expect(put.status == 200, "\(put.text)")
        return world
    }

    /// Imports as ann.
    private static func send(
        _ world: TaskWorld, _ target: String, _ body: String,
        type: String = "application/x-ndjson"
    ) -> HTTPClient.Reply {
        let reply = world.server.send(
            "POST", "/v1/" + target, body, as: world.ann, type: type)
        for word in ["treasure", "gold", "secret"] {
            #expect(!reply.text.contains(word) || body.contains(word), "\(reply.text)")
        }
        return reply
    }

    @Test("says of a line behind a faulty one the same as to who may do everything")
    func behindFaulty() throws {
        let reports = try [true, false].map { isUser in
            let server = try RuledServer(classes: [])
            server.send(
                "PUT", "/v1/schema",
                #"{"classes":[{"name":"N","primaryKey":"id","properties":{"id":"int","next":"N"}}]}"#
            )
            server.send(
                "PUT", "/v1/access",
                #"{"roles":{"m":{"classes":{"N":{"read":true,"create":true,"update":true}}}}}"#)
            let lines = [
                #"{"id":1,"next":2}"#, #"{"id":2,"next":99}"#, #"{"id":3,"next":4}"#,
                #"{"id":4,"next":3}"#, #"{"id":5,"next":6}"#, #"{"id":6,"next":1}"#,
            ]
            let reply = server.send(
                "POST", "/v1/classes/N/import", lines.joined(separator: "\n"),
                as: isUser ? server.user("ann") : .admin, type: "application/x-ndjson")
            return QueryJSON(reply.text)?["errors"]
        }
        #expect(reports[0] == reports[1] && reports[0]?.elements.count == 4, "\(reports)")
        #expect(reports[0]?.text.contains("the line that has it was not imported") == true)
    }

    @Test("takes the lines that the document lets, and says of each other what is wrong")
    func lines() throws {
        let world = try Self.world()
        let reply = Self.send(
            world, "classes/Task/import?mode=merge",
            """
            {"id":9,"list":1,"title":"salt","next":10}
            {"id":10,"list":1,"title":"oil"}
            {"id":11,"list":2,"title":"tea"}
            {"id":12,"title":"tea"}
            {"id":3,"list":1,"title":"mine"}
            {"id":1,"title":"loaf"}
            {"id":2,"rank":7}
            {"id":2,"next":3}
            {"id":2,"secret":"x"}
            """)
        #expect(reply.status == 200, "\(reply.text)")
        let json = QueryJSON(reply.text)
        #expect(json?["imported"]?.int == 3 && json?["failed"]?.int == 6, "\(reply.text)")
        #expect(
            json?["errors"]?.elements.map {
                "\($0["line"]?.int ?? 0) \($0["code"]?.string ?? "")"
            } == [
                "3 dangling-link", "4 not-allowed", "5 duplicate-key", "7 not-allowed",
                "8 dangling-link", "9 unknown-property",
            ])
        let stored = QueryJSON(world.server.send("GET", "/v1/classes/Task/objects/1").text)
        #expect(stored?["title"]?.string == "loaf")
        #expect(stored?["secret"]?.string == "treasure" && stored?["next"]?.int == 3)
        let theirs = QueryJSON(world.server.send("GET", "/v1/classes/Task/objects/3").text)
        #expect(theirs?["title"]?.string == "treasure" && theirs?["list"]?.int == 2)
    }

    @Test("knows neither classes nor columns that are hidden everywhere")
    func unknownNames() throws {
        let world = try Self.world()
        let hidden = Self.send(world, "classes/Record/import", #"{"id":9}"#)
        let missing = Self.send(world, "classes/Recorb/import", #"{"id":9}"#)
        #expect(hidden.status == 404 && missing.status == 404)
        #expect(
            hidden.text.replacing("Record", with: "Recorb").replacing(
                #/"instance":"[^"]*"/#, with: "")
                == missing.text.replacing(#/"instance":"[^"]*"/#, with: ""))
        for column in ["secret", "secre"] {
            let csv = Self.send(
                world, "classes/Task/import?mode=merge", "id,title,\(column)\n1,loaf,x\n",
                type: "text/csv")
            #expect(csv.status == 422 && csv.text.contains("unknown-column"), "\(csv.text)")
        }
        let ignored = Self.send(
            world, "classes/Task/import?mode=merge&unknown=ignore", "id,title,secret\n1,loaf,x\n",
            type: "text/csv")
        #expect(ignored.status == 200, "\(ignored.text)")
        let stored = QueryJSON(world.server.send("GET", "/v1/classes/Task/objects/1").text)
        #expect(stored?["title"]?.string == "loaf" && stored?["secret"]?.string == "treasure")
    }

    @Test("is refused where nothing is taken, and for the whole store")
    func refused() throws {
        let world = try Self.world()
        let nothing = Self.send(world, "classes/List/import", #"{"id":9,"title":"mine"}"#)
        #expect(
            nothing.status == 422 && nothing.text.contains("nothing-imported")
                && nothing.text.contains("You may not create"), "\(nothing.text)")
        let store = Self.send(world, "import", #"{"holdfast":1,"schema":{"classes":[]}}"#)
        #expect(store.status == 403, "\(store.text)")
        let nobody = world.server.send(
            "POST", "/v1/classes/Task/import", #"{"id":9}"#, as: .nobody,
            type: "application/x-ndjson")
        #expect(nobody.status == 401)
    }
}
