import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@testable import HoldfastRESTAPI

/// A store of lists and tasks of two users under an access document: what ann sees of it, what bob has, and what neither knows.
///
/// Ann sees list 1 and tasks 1 and 2, whose `next` leads to task 3 of bob's and to nothing, and no object with the word treasure.
final class TaskWorld {
    static let schema = """
        {"classes":[
          {"name":"Person","primaryKey":"id","properties":{"id":"string","name":"string?","verified":"bool"}},
          {"name":"List","primaryKey":"id","properties":{"id":"int","owner":"Person","members":"Person[]","title":"string",
            "tasks":{"type":"linkingObjects","class":"Task","property":"list"}}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","list":"List","next":"Task","others":"Task[]",
            "title":{"type":"string","indexed":"fulltext"},"rank":{"type":"int","indexed":true},"done":"bool",
            "secret":"string?","place":{"type":"object","class":"Place","indexed":"geo"},"free":"mixed",
            "before":{"type":"linkingObjects","class":"Task","property":"next"},
            "records":{"type":"linkingObjects","class":"Record","property":"task"}}},
          {"name":"Place","kind":"embedded","properties":{"type":"string","coordinates":"double[]"}},
          {"name":"Record","primaryKey":"id","properties":{"id":"int","task":"Task","code":"string"}},
          {"name":"Country","primaryKey":"id","properties":{"id":"string","name":"string"}}
        ]}
        """

    static let document = """
        {"users":"Person","roles":{
          "public":{"for":"anyone","classes":{"Country":{"read":true}}},
          "member":{"classes":{
            "Person":{"read":"id == $user.id"},
            "List":{"read":"owner == $user.id OR ANY members == $user.id"},
            "Task":{"read":"list.owner == $user.id OR ANY list.members == $user.id","properties":{"secret":"none"}}}},
          "verified":{"when":"$user.object.verified == true","classes":{"Country":{"read":true}}},
          "editor":{"when":"'editor' IN $user.groups","classes":{"*":{"read":true}}}}}
        """

    let server: RuledServer
    let ann: RuledServer.Key
    let bob: RuledServer.Key

    init(change: (inout RESTOptions) -> Void = { _ in }) throws {
        server = try RuledServer(classes: [], change: change)
        let schema = server.send("PUT", "/v1/schema", Self.schema)
        #expect(schema.status == 200, "\(schema.text)")
        for (target, body) in [
            ("Person/objects/ann", #"{"name":"Ann"}"#), ("Person/objects/bob", #"{"name":"Bob"}"#),
            ("List/objects/1", #"{"owner":"ann","title":"ours"}"#),
            ("List/objects/2", #"{"owner":"bob","title":"treasure"}"#),
            (
                "Task/objects/3",
                #"{"list":2,"title":"treasure","rank":0,"secret":"gold","place":{"type":"Point","coordinates":[2,48]}}"#
            ),
            ("Task/objects/2", #"{"list":1,"title":"milk","rank":2}"#),
            (
                "Task/objects/1",
                #"{"list":1,"title":"bread","rank":1,"next":3,"others":[3,2],"secret":"treasure","free":{"$link":{"class":"Task","id":3}}}"#
            ),
            ("Record/objects/1", #"{"task":1,"code":"treasure"}"#),
            ("Country/objects/fr", #"{"name":"France"}"#),
        ] {
            let reply = server.send("PUT", "/v1/classes/\(target)", body)
            #expect(reply.status == 201 || reply.status == 200, "\(target): \(reply.text)")
        }
        for (name, body) in [
            ("Short", #"{"class":"Task","properties":{"what":"title","then":"next.title"}}"#),
            ("Whole", #"{"class":"Task","properties":{"what":"title","hint":"secret"}}"#),
            ("Codes", #"{"class":"Task","properties":{"codes":"records"}}"#),
        ] {
            let reply = server.send("PUT", "/v1/projections/\(name)", body)
            #expect(reply.status == 201, "\(reply.text)")
        }
        let put = server.send("PUT", "/v1/access", Self.document)
        #expect(put.status == 200, "\(put.text)")
        ann = server.user("ann")
        bob = server.user("bob")
    }

    /// Reads as ann.
    func get(_ target: String, _ headers: [(String, String)] = []) -> HTTPClient.Reply {
        server.get(target, as: ann, headers)
    }

    /// The keys of the objects of a page that ann reads.
    func keys(_ target: String) -> [Int64]? {
        QueryJSON(get(target).text)?["objects"]?.elements.compactMap { $0["id"]?.int }
    }
}
