@testable import HoldfastStreams
@testable import HoldfastAccess
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport

@testable import HoldfastStoreService

/// A store of lists and tasks whose users follow what they may read, and what each could read at each moment.
final class UserStreamWorld {
    /// What is asked for of the objects.
    struct Shape: Hashable {
        /// By class, as of what is told of their objects.
        var fields: [String: String] = [:]
        var expand: [String: String] = [:]
        /// By class, the projection that shows its objects.
        var projection: [String: String] = [:]

        static let all = [
            Shape(), Shape(fields: ["Task": "id,title,list,note", "List": "id,title"]),
            Shape(fields: ["Task": "id,rank", "List": "id,title"]),
            Shape(expand: ["Task": "list,parts", "List": "tasks,owner"]),
            Shape(fields: [
                "Task": "id,list.title,parts.rank,partOf,place.list.team",
                "List": "id,owner.team,tasks.title,members.team",
            ]),
            projected,
        ]
        static let projected = Shape(projection: ["Task": "Job", "List": "Plan"])

        /// What has the objects of a class.
        func container(of className: String) -> ObjectContainer {
            projection[className].map { .projection($0) } ?? .ofClass(className)
        }

        /// Has a text ask for it.
        func shape(_ text: inout QueryText, of className: String) {
            text.fields = fields[className]
            text.expand = expand[className]
        }
    }

    /// What somebody could read at a moment: the objects by class and key, in each shape.
    typealias Readable = [Shape: [String: [String: QueryJSON]]]

    /// A moment between two changes.
    struct Moment {
        var version: UInt64
        /// By the positions of the users.
        var readable: [Readable]
        /// By the positions of the users what they could read of each view.
        var views: [[UserView: QueryJSON]]
    }

    static let schema = """
        {"classes":[
          {"name":"Person","primaryKey":"id","properties":{"id":"string","team":"string?","verified":"bool"}},
          {"name":"List","primaryKey":"id","properties":{"id":"int","owner":"Person","members":"Person[]",
            "title":"string","secret":"string?","team":"string?",
            "tasks":{"type":"linkingObjects","class":"Task","property":"list"}}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","list":"List","owner":"string?","title":"string",
            "done":"bool","rank":"int","note":"string?","parts":"Task[]","place":"Place",
            "partOf":{"type":"linkingObjects","class":"Task","property":"parts"}}},
          {"name":"Place","kind":"embedded","properties":{"city":"string","list":"List"}}
        ]}
        """

    /// The parts of the schema that come and go, or are others for a while: no query, projection or rule names them, but for the rank.
    private static let parts = [
        "Task": (#""parts":"Task[]""#, #""parts":"Task[]","spare":"string?""#),
        "Place": (#""city":"string""#, #""city":"string","spare":"string?""#),
        "Person": (#""verified":"bool""#, #""verified":"bool","spare":"string?""#),
        "rank": (#""rank":"int""#, #""rank":"double""#),
    ]

    private static func projection(
        _ name: String, of className: String, _ properties: KeyValuePairs<String, String>
    ) -> Projection {
        Projection(
            name: name, className: className,
            properties: properties.map { name, path in
                .init(name: name, path: path.split(separator: ".").map(String.init))
            })
    }

    private static let projections = [
        projection(
            "Job", of: "Task",
            [
                "id": "id", "title": "title", "done": "done", "listTitle": "list.title",
                "remark": "note", "partRanks": "parts.rank", "whole": "partOf",
            ]),
        projection(
            "Plan", of: "List",
            ["id": "id", "title": "title", "ownerTeam": "owner.team", "jobs": "tasks"]),
    ]

    /// The documents that hold by turns.
    static let documents = [
        """
        {"users":"Person","roles":{
          "member":{"when":"$user.object.verified == true","classes":{
            "List":{"read":"owner == $user.id OR ANY members == $user.id","properties":{"secret":"none"}},
            "Task":{"read":"list.owner == $user.id OR ANY list.members == $user.id","properties":{"note":"none"}}}},
          "self":{"classes":{
            "Person":{"read":"id == $user.id"},
            "Task":{"read":"owner == $user.id"}}},
          "team":{"classes":{"List":{"read":"team == $user.object.team"}}},
          "editor":{"when":"'editor' IN $user.groups","classes":{"*":{"read":true}}}}}
        """,
        """
        {"users":"Person","roles":{
          "member":{"classes":{
            "Person":{"read":"team == $user.object.team"},
            "List":{"read":"owner == $user.id"},
            "Task":{"read":"list.owner == $user.id OR rank > 5","properties":{"note":"none","parts":"none"}}}},
          "self":{"classes":{"Task":{"read":"owner == $user.id"}}},
          "editor":{"when":"'editor' IN $user.groups","classes":{"Task":{"read":"done == false"}}}}}
        """,
    ]

    let service: TestService
    let control: AccessControl
    let callers: [Caller]
    private(set) var moments: [Moment] = []
    /// What is noted at each moment, in place of objects.
    private let views: [UserView]
    private var random: SeededGenerator
    private var document = 0
    /// The names of ``parts`` that the schema differs by.
    private var otherParts: Set<String> = []
    /// The user whom one of the documents lets see everything.
    static let editor = 5
    /// The callers who are one user with other claims, by their positions.
    static let otherClaims = [0: editor, editor: 0]
    private let names = ["ann", "bob", "cem", "dee"]

    init(_ engine: EngineCase, seed: UInt64, views: [UserView] = []) throws {
        self.views = views
        random = SeededGenerator(seed: seed)
        service = try TestService(engine, classes: [])
        _ = try SchemaText.put(Array(Self.schema.utf8), service.store)
        for projection in Self.projections {
            _ = try CatalogChange(.projection(projection)).make(in: service.store)
        }
        control = AccessControl(service.store) { RequestFault($0) }
        let control = control
        var callers: [Caller] = []
        for (index, name) in (names + ["eve", "ann"]).enumerated() {
            let claims = try Claims(
                assignments: index == Self.editor ? ["groups=[\"editor\"]"] : [])
            callers.append(
                Caller(
                    token: UInt64(index + 1), address: "",
                    visibility: PrincipalVisibility(control, Principal(user: name, claims: claims)))
            )
        }
        self.callers = callers
        try put(Self.documents[0])
        for name in names { try service.put(ObjectAddress("Person", name), #"{"verified":true}"#) }
        for _ in 0..<40 { try write() }
        moments = []
        try note()
    }

    var version: UInt64 { service.store.publisher.version }

    func any(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    // MARK: Changes

    /// Makes a change, and notes everything that each user can read afterwards.
    ///
    /// - `hub`: The hub that gets some interludes as one step; nil to make each change of an interlude a step of its own.
    func change(in hub: StreamHub? = nil) throws {
        switch any(75) {
        case 0...2:
            document = 1 - document
            try put(Self.documents[document])
        case 3, 4:
            guard let hub, any(3) > 0 else { return try interlude() }
            try hub.inOneStep { try interlude() }
        case 5...8: try reshape()
        default: try write()
        }
        try note()
    }

    /// Adds a property, drops one, or gives one another type.
    private func reshape() throws {
        let name = Self.parts.keys.sorted()[any(Self.parts.count)]
        otherParts.formSymmetricDifference([name])
        var text = Self.schema
        for (from, to) in otherParts.compactMap({ Self.parts[$0] }) {
            text = text.replacing(from, with: to)
        }
        _ = try SchemaText.put(Array(text.utf8), service.store, allowsDataLoss: true)
    }

    /// Takes from a user the data that a role, or a value of the user's object, shows, and gives it back. Meanwhile, an object that the user would
    /// see is created and deleted, under a new key. The user's object is the same before and after.
    private func interlude() throws {
        let name = names[any(names.count)]
        let person = ObjectAddress("Person", name)
        guard let text = try? service.object(person), let object = QueryJSON(text) else {
            return try note()
        }
        let isVerified = object["verified"]?.bool ?? false
        let team = object["team"]?.string
        let way = any(3)
        switch way {
        case 0: try service.delete(person)
        case 1 where isVerified: try service.merge(person, #"{"verified":false}"#)
        default: try service.merge(person, #"{"team":"green"}"#)
        }
        try note()
        let (list, task) = (ObjectAddress("List", "20"), ObjectAddress("Task", "20"))
        let owner = way == 0 ? "null" : "{\"id\":\"\(name)\"}"
        let teamText = team.map(quoted) ?? "null"
        try service.put(list, "{\"title\":\"a\",\"team\":\(teamText),\"owner\":\(owner)}")
        try note()
        try service.put(task, #"{"title":"a","rank":9,"note":"a","list":{"id":20}}"#)
        try note()
        try service.delete(task)
        try note()
        try service.delete(list)
        try note()
        try service.put(person, "{\"verified\":\(isVerified),\"team\":\(teamText)}")
        try note()
    }

    private func put(_ text: String) throws {
        _ = try control.put(
            AccessReader.Stated(try AccessReader.read(text: text)), where: { _ in true })
    }

    private func write() throws {
        let person = "\"\(names[any(names.count)])\""
        let text = ["a", "b", "c"][any(3)]
        let team = any(3) == 0 ? "null" : "\"\(["red", "blue"][any(2)])\""
        let task = ObjectAddress("Task", "\(any(14))")
        let list = ObjectAddress("List", "\(any(4))")
        func lists() -> String { any(4) == 0 ? "null" : "{\"id\":\(any(4))}" }
        func write(_ body: () throws -> Void) throws {
            // What is not there can't be changed.
            do { try body() } catch let fault as RequestFault where fault.kind != .malformed {}
        }
        try write {
            switch any(19) {
            case 0: try service.delete(task)
            case 1: try service.delete(list)
            case 2:
                try service.merge(
                    list, "{\"members\":[\(any(2) == 0 ? "{\"id\":\(person)}" : "")]}")
            case 3: try service.merge(list, "{\"owner\":{\"id\":\(person)}}")
            case 4: try service.merge(list, "{\"secret\":\"\(text)\",\"team\":\(team)}")
            case 5:
                try service.put(
                    list,
                    "{\"title\":\"\(text)\",\"team\":\(team),\"owner\":{\"id\":\(person)},\"members\":[{\"id\":\"\(names[any(4)])\"}]}"
                )
            case 6:
                try service.merge(
                    ObjectAddress("Person", names[any(4)]),
                    any(2) == 0 ? "{\"team\":\(team)}" : "{\"verified\":\(any(3) > 0)}")
            case 7:
                let spare = otherParts.contains("Task") ? ",\"spare\":\"\(text)\"" : ""
                try service.merge(task, "{\"note\":\"\(text)\"\(spare)}")
            case 8: try service.merge(task, "{\"list\":\(lists())}")
            case 9: try service.merge(task, "{\"owner\":\(person)}")
            case 10:
                try service.merge(task, "{\"parts\":[{\"id\":\(any(14))},{\"id\":\(any(14))}]}")
            case 11:
                let spare = otherParts.contains("Place") ? "\"spare\":\"\(text)\"," : ""
                try service.merge(
                    task, "{\"place\":{\"city\":\"\(text)\",\(spare)\"list\":\(lists())}}")
            case 12: try service.merge(task, "{\"done\":\(any(2) == 0)}")
            case 13: try service.delete(ObjectAddress("Person", names[any(4)]))
            case 14:
                try service.put(
                    ObjectAddress("Person", names[any(4)]), "{\"team\":\(team),\"verified\":true}")
            case 15:
                // Another object under the key.
                let id = any(14)
                try service.transaction([
                    "{\"op\":\"delete\",\"class\":\"Task\",\"id\":\(id)}",
                    "{\"op\":\"create\",\"class\":\"Task\",\"id\":\(id),\"value\":{\"title\":\"\(text)\",\"rank\":\(any(10)),\"owner\":\(person),\"list\":\(lists())}}",
                ])
            case 16:
                try service.transaction([
                    "{\"op\":\"patch\",\"class\":\"Task\",\"id\":\(any(14)),\"value\":{\"title\":\"\(text)\"}}",
                    "{\"op\":\"patch\",\"class\":\"List\",\"id\":\(any(4)),\"value\":{\"title\":\"\(text)\"}}",
                ])
            default:
                try service.put(
                    task,
                    "{\"title\":\"\(text)\",\"done\":\(any(2) == 0),\"rank\":\(any(10)),\"owner\":\(any(2) == 0 ? person : "null"),\"list\":\(lists()),\"note\":\"\(text)\"}"
                )
            }
        }
    }

    // MARK: What can be read

    /// The result of a query as a user sees it, by key; nil where the query names what they do not know.
    func result(
        _ className: String, _ filter: String?, _ shape: Shape, of user: Int
    ) throws -> [String: QueryJSON]? {
        var text = QueryText()
        text.filter = filter
        shape.shape(&text, of: className)
        text.limit = 1000
        service.caller = callers[user]
        defer { service.caller = .program }
        let page: WrittenPage?
        do { page = try service.page(.objects(shape.container(of: className)), text) } catch let
            fault
            as RequestFault where fault.code.hasPrefix("unknown-") || fault.code == "invalid-query"
        {
            return nil
        }
        var objects: [String: QueryJSON] = [:]
        for object in page?.json["objects"]?.elements ?? [] {
            objects[object["id"].map(Self.key) ?? ""] = object
        }
        return objects
    }

    /// A key as text.
    static func key(_ json: QueryJSON) -> String {
        json.int.map { "\($0)" } ?? json.string ?? "null"
    }

    /// What a user sees of a view; nil for nothing, and where it names what they do not know.
    func result(_ view: UserView, of user: Int) throws -> QueryJSON? {
        service.caller = callers[user]
        defer { service.caller = .program }
        do { return try view.content(service)?.orNilIfEmpty } catch let fault as RequestFault
            where fault.kind == .notFound || fault.code.hasPrefix("unknown-")
            || fault.code == "invalid-query"
        {
            return nil
        }
    }

    private func note() throws {
        var readable: [Readable] = []
        var seen: [[UserView: QueryJSON]] = []
        for user in callers.indices {
            var own: [UserView: QueryJSON] = [:]
            for view in views { own[view] = try result(view, of: user) }
            seen.append(own)
            var shapes: Readable = [:]
            for shape in views.isEmpty ? Shape.all : [] {
                for className in ["Task", "List"] {
                    shapes[shape, default: [:]][className] = try result(
                        className, nil, shape, of: user)
                }
            }
            readable.append(shapes)
        }
        moments.append(Moment(version: version, readable: readable, views: seen))
    }

    /// Forgets the moments before a version but the last of them.
    func forget(before version: UInt64) {
        let first = moments.lastIndex { $0.version < version } ?? 0
        moments.removeFirst(first)
    }
}
