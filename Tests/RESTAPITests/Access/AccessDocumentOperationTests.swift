import HoldfastAccess
import Glibc
import HoldfastHTTPServer
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// The access document over HTTP, what it says of users, and that they may do nothing that is not made for them.
@Suite("Operations on the access document")
struct AccessDocumentOperationTests {
    private static let document =
        #"{"users":"Person","roles":{"member":{"classes":{"Note":{"read":"owner == $user.id","#
        + #""create":"owner == $user.id","update":{"before":"done == false","after":"owner == $user.id"},"#
        + #""properties":{"secret":"none"}}}},"#
        + #""editor":{"when":"'editor' IN $user.groups","classes":{"Note":{"read":true,"delete":"done == true"}}}}}"#

    private static func server(logger: Logger = Logger(level: .error)) throws -> GuardedServer {
        let note = ObjectClass(
            name: "Note", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.link("owner", "Person"),
                Schemas.property("done", .bool),
                Schemas.property("secret", .string, optional: true),
            ])
        let person = ObjectClass(
            name: "Person", primaryKey: "id", properties: [Schemas.property("id", .string)])
        let server = try GuardedServer(
            withTokens: true, schema: Schema(classes: [person, note]), logger: logger)
        for (target, body) in [
            ("Person/objects/ann", "{}"), ("Person/objects/bob", "{}"),
            ("Note/objects/1", #"{"owner":"ann","done":false}"#),
            ("Note/objects/2", #"{"owner":"bob","done":true}"#),
        ] {
            #expect(send(server, "PUT", "/v1/classes/\(target)", body).status == 201)
        }
        return server
    }

    @discardableResult
    private static func send(
        _ server: GuardedServer, _ method: String, _ target: String, _ body: String? = nil,
        _ headers: [(String, String)] = [], token: String? = nil
    ) -> HTTPClient.Reply {
        server.send(
            method, target,
            [token.map { ("Authorization", "Bearer \($0)") } ?? server.authorization(.admin)]
                + (body == nil ? [] : [("Content-Type", "application/json")]) + headers, body: body)
    }

    private static func userToken(_ server: GuardedServer, right: String = "admin") throws -> String
    {
        let made = send(
            server, "POST", "/v1/tokens",
            #"{"name":"ann-\#(right)","right":"\#(right)","user":"ann"}"#)
        return try #require(QueryJSON(made.text)?["token"]?.string)
    }

    @Test("a document is tried, set from its revision and read")
    func life() throws {
        let server = try Self.server()
        #expect(Self.send(server, "GET", "/v1/access").status == 404)
        #expect(
            Self.send(server, "GET", "/v1/access").text.contains("no-access-document"))
        let tried = Self.send(server, "PUT", "/v1/access?dryRun=true", Self.document)
        #expect(tried.status == 200 && tried.text.contains(#"{"revision":1,"#), "\(tried.text)")
        #expect(tried.text.contains(#""warnings":[]"#), "inverse links serve one's own notes")
        let slow = #"{"roles":{"a":{"classes":{"Note":{"read":"secret == $user.id"}}}}}"#
        let warned = Self.send(server, "PUT", "/v1/access?dryRun=true", slow)
        #expect(
            warned.text.contains(#""code":"no-index""#) && warned.text.contains("'Note.secret'"))
        #expect(Self.send(server, "GET", "/v1/access").status == 404)
        let absent = [("If-None-Match", "*")]
        let made = Self.send(server, "PUT", "/v1/access", Self.document, absent)
        #expect(made.status == 200, "\(made.text)")
        #expect(Self.send(server, "PUT", "/v1/access", Self.document, absent).status == 412)
        let tag = try #require(made.headers["etag"])
        #expect(tag.hasSuffix("-1-access\""))
        let read = Self.send(server, "GET", "/v1/access")
        #expect(read.text == made.text && read.headers["etag"] == tag)
        #expect(Self.send(server, "GET", "/v1/access", nil, [("If-None-Match", tag)]).status == 304)
        // What is read may be sent back, warnings and all.
        #expect(
            Self.send(server, "PUT", "/v1/access", read.text, [("If-Match", tag)]).status == 200)
        let other = #"{"revision":1,"roles":{}}"#
        let second = Self.send(server, "PUT", "/v1/access", other, [("If-Match", tag)])
        #expect(second.status == 200 && second.text == #"{"revision":2,"roles":{},"warnings":[]}"#)
        #expect(
            Self.send(server, "PUT", "/v1/access", Self.document, [("If-Match", tag)]).status == 412
        )
        let stale = Self.send(server, "PUT", "/v1/access", other)
        #expect(stale.status == 409 && stale.text.contains("access-revision"))
    }

    @Test(
        "a document with faults is refused, each with its place",
        arguments: [
            ("{", 400, "malformed-json"), (#"{"roles":{},"x":1}"#, 422, "/x"),
            (#"{"roles":{"a":{},"a":{}}}"#, 400, "duplicate-name"),
            (
                #"{"roles":{"a":{"classes":{"Note":{"read":"ownr == $user.id"}}}}}"#, 422,
                #""pointer":"/roles/a/classes/Note/read""#
            ),
        ])
    func refused(body: String, status: Int, contains: String) throws {
        let server = try Self.server()
        let reply = Self.send(server, "PUT", "/v1/access", body)
        #expect(reply.status == status && reply.text.contains(contains), "\(reply.text)")
        #expect(Self.send(server, "GET", "/v1/access").status == 404)
    }

    @Test("a rule that gives nothing to accounts is warned of when it is tried, set and read")
    func warned() throws {
        let server = try Self.server()
        let document =
            #"{"roles":{"a":{"classes":{"Note":{"read":"owner == $user.id OR 'editor' IN $user.groups"}}}}}"#
        for (method, target, body) in [
            ("PUT", "/v1/access?dryRun=true", document), ("PUT", "/v1/access", document),
            ("GET", "/v1/access", nil),
        ] {
            let reply = Self.send(server, method, target, body)
            let codes = QueryJSON(reply.text)?["warnings"]?.elements.compactMap {
                $0["code"]?.string
            }
            #expect(codes?.contains("lacked-value") == true, "\(reply.text)")
        }
    }

    @Test(
        "a class that a user does not know is told with the way to find out why, whether it exists or not"
    )
    func unknownClasses() throws {
        let server = try Self.server()
        #expect(Self.send(server, "PUT", "/v1/access", Self.document).status == 200)
        let token = try Self.userToken(server, right: "write")
        let csv = [("Content-Type", "text/csv")]
        for (method, target, body, headers) in [
            ("GET", "classes/CLASS/objects", nil, []), ("GET", "classes/CLASS/objects/1", nil, []),
            ("GET", "classes/CLASS/changes", nil, [("Accept", "text/event-stream")]),
            ("GET", "classes/CLASS/changes?since=now", nil, []),
            ("GET", "classes/CLASS/aggregate", nil, []), ("GET", "classes/CLASS/export", nil, []),
            ("POST", "classes/CLASS/query", "{}", []), ("POST", "classes/CLASS/objects", "{}", []),
            ("PUT", "classes/CLASS/objects/1", "{}", []),
            ("PATCH", "classes/CLASS/objects?all=true", "{}", []),
            ("DELETE", "classes/CLASS/objects/1", nil, []),
            ("GET", "schema/classes/CLASS", nil, []),
            ("POST", "classes/CLASS/import", "id\n1\n", csv),
        ] as [(String, String, String?, [(String, String)])] {
            func text(_ name: String, _ token: String?) -> String {
                let reply = server.send(
                    method, "/v1/" + target.replacing("CLASS", with: name),
                    [
                        token.map { ("Authorization", "Bearer \($0)") }
                            ?? server.authorization(.admin)
                    ]
                        + (body == nil || !headers.isEmpty
                            ? headers : [("Content-Type", "application/json")]),
                    body: body)
                #expect(reply.status == 404 || name == "Person", "\(method) \(target)")
                return reply.text.replacing(name, with: "CLASS")
            }
            // The class of users is hidden from them by this document.
            let hidden = text("Person", token)
            #expect(
                hidden.contains("unknown-class") && hidden.contains("access explain"),
                "\(method) \(target): \(hidden)")
            #expect(hidden == text("Nobody", token), "\(method) \(target)")
            let admin = text("Nobody", nil)
            #expect(
                admin.contains("unknown-class") && !admin.contains("access explain"),
                "\(method) \(target): \(admin)")
        }
    }

    @Test("only admins read and set it")
    func rights() throws {
        let server = try Self.server()
        for right in [Right.metrics, .read, .write] {
            let token = server.tokens[right]
            #expect(Self.send(server, "GET", "/v1/access", token: token).status == 403)
            #expect(
                Self.send(server, "PUT", "/v1/access", Self.document, token: token).status == 403)
            #expect(
                Self.send(server, "POST", "/v1/access/explain", "{}", token: token).status == 403)
        }
    }

    @Test(
        "it is explained for a user and an object which role and rule allow what, or why none does")
    func explain() throws {
        let server = try Self.server()
        let question = #"{"user":"ann","class":"Note","key":1}"#
        #expect(Self.send(server, "POST", "/v1/access/explain", question).status == 404)
        #expect(Self.send(server, "PUT", "/v1/access", Self.document).status == 200)
        func ask(_ body: String) throws -> QueryJSON {
            let reply = Self.send(server, "POST", "/v1/access/explain", body)
            #expect(reply.status == 200, "\(reply.text)")
            return try #require(QueryJSON(reply.text))
        }
        let own = try ask(question)
        #expect(own["roles"]?.elements[0]["holds"]?.bool == true)
        #expect(own["roles"]?.elements[1]["reason"]?.string == "The user has no $user.groups.")
        #expect(own["actions"]?["read"]?["role"]?.string == "member")
        #expect(own["actions"]?["read"]?["rule"]?.string == "owner == $user.id")
        #expect(own["actions"]?["update"]?["allowed"]?.bool == true)
        #expect(own["actions"]?["delete"]?["allowed"]?.bool == false)
        #expect(
            own["actions"]?["delete"]?["refusals"]?.elements[0]["reason"]?.string
                == "The role has no rule for the action.")
        #expect(own["properties"]?["secret"]?.string == "none")
        #expect(own["properties"]?["owner"]?.string == "write")
        let foreign = try ask(#"{"user":"ann","class":"Note","key":2}"#)
        #expect(
            foreign["actions"]?["read"]?["refusals"]?.elements[0]["reason"]?.string
                == "The rule does not admit the object.")
        let editor = try ask(
            #"{"user":"ann","claims":{"groups":["editor"]},"class":"Note","key":2}"#)
        #expect(editor["actions"]?["delete"]?["role"]?.string == "editor")
        // The role that shows it lets nobody change anything.
        #expect(editor["properties"]?["secret"]?.string == "read")
        #expect(own["access"] == nil)
        let bar = Self.send(server, "PUT", "/v1/access/users/ann", #"{"blocked":true}"#)
        #expect(bar.status == 200, "\(bar.text)")
        #expect(try ask(#"{"user":"ann"}"#)["access"]?["blocked"]?.bool == true)
        #expect(Self.send(server, "PUT", "/v1/access/users/ann", "{}").status == 200)
        let nobody = try ask("{}")
        #expect(nobody["roles"]?.elements[0]["reason"]?.string == "The role is for users.")
        for (body, status) in [
            (#"{"user":"ann","class":"Note","key":9}"#, 404),
            (#"{"user":"ann","class":"Nte","key":9}"#, 404),
            (#"{"user":"ann","class":"Note"}"#, 400),
            (#"{"user":"ann","key":1}"#, 400), (#"{"usr":"ann"}"#, 400),
            (#"{"claims":{"a":1}}"#, 400), (#"{"user":"ann","class":"Note","key":"x"}"#, 400),
        ] {
            #expect(
                Self.send(server, "POST", "/v1/access/explain", body).status == status, "\(body)")
        }
    }

    @Test(
        "with a document a user may do only what says that it is for users, whatever the right of the token"
    )
    func gate() throws {
        let server = try Self.server()
        let user = try Self.userToken(server)
        #expect(Self.send(server, "GET", "/v1/classes/Note/objects/1", token: user).status == 200)
        let stream = ChangesClient(
            port: server.port, "/v1/changes", headers: [("Authorization", "Bearer \(user)")])
        #expect(stream.next()?.name == "hello")
        #expect(Self.send(server, "PUT", "/v1/access", Self.document).status == 200)
        // What the user has begun ends.
        #expect(stream.next()?.name == "error")
        let areFree = Set(["getCaller", "changePassword", "deleteSession", "deleteSessions"])
        for operation in Operation.all where operation.right != nil {
            #expect((operation.users == .all) == areFree.contains(operation.id), "\(operation.id)")
        }
        // Who makes an account may be anybody, where the document says so.
        for operation in Operation.all
        where operation.right == .admin && operation.id != "createAccount" {
            #expect(operation.users == .none, "\(operation.id)")
        }
        for target in ["/metrics", "/v1/changes", "/v1/export", "/v1/access", "/v1/tokens"] {
            let reply = Self.send(server, "GET", target, token: user)
            #expect(reply.status == 403 && reply.text.contains("not-allowed"), "\(target)")
        }
        let delete = Self.send(server, "DELETE", "/v1/classes/Note/objects?all=true", token: user)
        #expect(delete.status == 403 && delete.text.contains("not-allowed"))
        // What is made for users is answered by the rules.
        #expect(Self.send(server, "GET", "/v1/classes/Note/objects/1", token: user).status == 200)
        #expect(Self.send(server, "GET", "/v1/classes/Note/objects/2", token: user).status == 404)
        let me = Self.send(server, "GET", "/v1/me", token: user)
        #expect(me.status == 200 && me.text.contains(#""roles":["member"]"#), "\(me.text)")
        // A token of the store keeps its rights.
        #expect(Self.send(server, "GET", "/v1/classes/Note/objects/1").status == 200)
    }

    @Test("setting it is told to the log, and a backup has it")
    func audit() throws {
        let text = try written { descriptor in
            let server = try Self.server(logger: Logger(level: .notice, descriptor: descriptor))
            #expect(Self.send(server, "PUT", "/v1/access?dryRun=true", Self.document).status == 200)
            #expect(Self.send(server, "PUT", "/v1/access", Self.document).status == 200)
            #expect(try server.restoredStore().accessDocument()?.revision == 1)
            try server.restart()
            #expect(Self.send(server, "GET", "/v1/access").text.contains(#""revision":1"#))
        }
        let lines = text.split(separator: "\n").filter { $0.contains("putAccess") }
        #expect(lines.count == 1 && lines.first?.contains("/v1/access") ?? false, "\(text)")
    }

    @Test("a refused write is told to the log, with the rules that do not allow it")
    func refusals() throws {
        let text = try written { descriptor in
            let server = try Self.server(logger: Logger(level: .info, descriptor: descriptor))
            let more = Self.document.replacing(
                #""editor":"#,
                with:
                    #""every":{"classes":{"*":{"read":true,"create":"$user.id == 'eve'"}}},"other":{"classes":{"Note":{"delete":"id < 0"}}},"editor":"#
            )
            let set = Self.send(server, "PUT", "/v1/access", more)
            #expect(set.status == 200, "\(set.text)")
            let token = try Self.userToken(server)
            for (method, target, body) in [
                ("POST", "/v1/classes/Note/objects", #"{"id":7,"owner":"bob"}"#),
                ("DELETE", "/v1/classes/Note/objects/1", nil),
            ] as [(String, String, String?)] {
                let refused = Self.send(server, method, target, body, token: token)
                #expect(
                    refused.status == 403 && !refused.text.contains("member"), "\(refused.text)")
            }
        }
        let lines =
            text
            .split(separator: "\n").compactMap { QueryJSON(String($0)) }
            .filter { $0["message"]?.string?.hasPrefix("no role allows") ?? false }
        // What a role has no rule for is told by its rules for the class, or for every class.
        #expect(
            lines.map { line in
                ["user", "class", "action", "rules"].map { line[$0]?.string ?? "-" }
            } == [
                [
                    "ann", "Note", "create",
                    "/roles/member/classes/Note/create /roles/every/classes/* /roles/other/classes/Note",
                ],
                [
                    "ann", "Note", "delete",
                    "/roles/member/classes/Note /roles/every/classes/* /roles/other/classes/Note/delete",
                ],
            ])
    }
}
