@testable import HoldfastStreams
@testable import HoldfastAccess
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastStoreService

/// A store with users that may read tasks depending on the present values of their own objects and of their teams.
final class LostRoleWorld {
    /// The kinds of followed data about the tasks.
    enum Form: CaseIterable {
        case all, filtered, projected, object, property, list, several
    }

    private static let schema = """
        {"classes":[
          {"name":"Person","primaryKey":"id","properties":{"id":"string","on":"bool","level":"int","seen":"int","group":"string?",
            "tags":"string[]","team":"Team","teams":{"type":"linkingObjects","class":"Team","property":"members"}}},
          {"name":"Team","primaryKey":"id","properties":{"id":"string","on":"bool","seen":"int","members":"Person[]"}},
          {"name":"Task","primaryKey":"id","properties":{"id":"int","shown":"bool","pin":"string","group":"string?"}}
        ]}
        """

    let service: TestService
    let control: AccessControl
    let hub: StreamHub

    /// Makes the store: ann's object is on, and so is her team.
    ///
    /// - `role`: The role beside one that shows task 1.
    init(_ role: String, _ engine: EngineCase = .memory) throws {
        service = try TestService(engine, classes: [])
        _ = try SchemaText.put(Array(Self.schema.utf8), service.store)
        _ = try CatalogChange(
            .projection(
                Projection(
                    name: "Card", className: "Task",
                    properties: [
                        .init(name: "id", path: ["id"]), .init(name: "code", path: ["pin"]),
                    ]))
        ).make(in: service.store)
        let control = AccessControl(service.store) { RequestFault($0) }
        self.control = control
        hub = StreamHub(service.served, StreamEvents(LineEvents(), heartbeatSeconds: 60))
        hub.start()
        control.observe { [weak hub] in hub?.accessChanged() }
        try put(role)
        try run(
            #"{"op":"put","class":"Team","id":"t","value":{"on":true}}"#,
            #"{"op":"put","class":"Person","id":"ann","value":{"on":true,"level":5,"group":"a","tags":["x"],"team":"t"}}"#,
            #"{"op":"put","class":"Person","id":"cem","value":{}}"#,
            #"{"op":"put","class":"Task","id":1,"value":{"pin":"0"}}"#)
        try run(#"{"op":"patch","class":"Team","id":"t","value":{"members":["ann"]}}"#)
    }

    deinit { hub.stop() }

    /// Sets the document with another role beside the one that shows task 1.
    func put(_ role: String) throws {
        let document =
            "{\"users\":\"Person\",\"roles\":{\"base\":{\"classes\":{\"Task\":{\"read\":\"id == 1\"}}},\"r\":\(role)}}"
        _ = try control.put(
            AccessReader.Stated(try AccessReader.read(text: document)), where: { _ in true })
    }

    /// A role that may read the tasks with `shown`, under a condition.
    static func role(when condition: String) -> String {
        "{\"when\":\(quoted(condition)),\"classes\":{\"Task\":{\"read\":\"shown == true\"}}}"
    }

    /// Runs operations as one transaction.
    func run(_ operations: String...) throws { try service.transaction(operations) }

    var version: UInt64 { service.store.publisher.version }

    func caller(_ user: String) -> Caller {
        Caller(
            token: 1, address: "",
            visibility: PrincipalVisibility(control, Principal(user: user, claims: .none)))
    }

    /// Bars a user, or lets the user in again, as the body of `PUT /v1/access/users/{id}` says.
    func setAccess(of user: String, _ body: String) throws {
        let bytes = RequestBytes(body)
        let parser = JSONParser()
        try withExtendedLifetime((bytes, parser)) {
            try StoredTokens(service.store).set(UserAccess(id: user, parser.parse(bytes.bytes)))
        }
    }

    /// Makes a token of the store.
    func makeToken(_ name: String, _ terms: TokenTerms) throws {
        _ = try StoredTokens(service.store).add(name, terms, TokenSecret().hash)
    }

    /// Changes the terms of a token.
    func changeToken(_ name: String, _ members: TokenMembers) throws {
        _ = try StoredTokens(service.store).change(name, members)
    }

    /// The caller with a token, as its terms are now.
    func caller(with name: String) throws -> Caller {
        let token = try StoredTokens(service.store).token(named: name)
        let principal = try #require(token.principal ?? token.limited)
        return Caller(
            token: token.number, address: "", visibility: PrincipalVisibility(control, principal))
    }

    // MARK: Following

    private func definition(_ form: Form) -> StreamDefinition {
        var text = QueryText()
        var target = StreamDefinition.Target.objects(className: "Task")
        var result: ResultForm?
        switch form {
        case .all, .several: break
        case .filtered: text.filter = "pin BEGINSWITH '4'"
        case .projected: target = .projection(name: "Card", key: nil)
        case .object: target = .object(className: "Task", key: .int(9))
        case .property:
            target = .property(
                className: "Task", key: .int(9), name: "pin", path: [], projection: nil)
        case .list: result = .list(sort: "pin", limit: 10)
        }
        return StreamDefinition(
            of: target, text, EventOptions(), quotesLargeInts: false, result: result)
    }

    func checked(_ form: Form, for caller: Caller) throws -> CheckedStream {
        try definition(form).checked(service.served, for: caller)
    }

    /// The cursor of the present version.
    func cursor(_ form: Form, for caller: Caller) throws -> String {
        try checked(form, for: caller).cursor(
            StoreVersion(epoch: service.store.epoch, number: version))
    }

    /// The page after a cursor, or the fault of a cursor that has no page.
    func page(
        _ form: Form, from cursor: String, for caller: Caller
    ) throws -> Result<QueryJSON, RequestFault> {
        let (checked, served) = (try checked(form, for: caller), service.served)
        let start = try served.streamCursor(cursor, "since", of: checked.viewMark)
        return Result { () throws(RequestFault) in
            try served.withRead(for: caller) { read throws(RequestFault) in
                try served.page(of: checked, from: start, limit: 100, for: caller, in: read)
            }
        }.map { QueryJSON(String(decoding: $0.buffer.array, as: UTF8.self)) ?? .null }
    }

    /// The reply to a poll that begins at a cursor.
    func poll(_ form: Form, from cursor: String, for caller: Caller) throws -> AwaitedReply {
        let checked = try checked(form, for: caller)
        let start = try service.served.streamCursor(cursor, "since", of: checked.viewMark)
        let reply = AwaitedReply()
        hub.open(
            Follower(
                .reply(reply, limit: 100, deadline: monotonicMilliseconds() + 60_000), checked,
                caller, after: start.version?.number ?? 0))
        return reply
    }

    /// An open stream.
    struct Stream {
        fileprivate let follower: Follower?
        fileprivate let group: QueryStream?
        let sink: ToldEvents
    }

    /// Opens a stream at a cursor, or at `now`.
    func follow(_ form: Form, from cursor: String, for caller: Caller) throws -> Stream {
        let sink = ToldEvents()
        let checked = try checked(form, for: caller)
        let start = try service.served.streamCursor(cursor, "since", of: checked.viewMark)
        guard form == .several else {
            let follower = Follower(.events(sink), checked, caller)
            hub.open(follower, from: start) {}
            return Stream(follower: follower, group: nil, sink: sink)
        }
        let bytes = RequestBytes(
            #"{"queries":{"a":{"class":"Task"},"b":{"class":"Task","filter":"pin BEGINSWITH '4'"}}}"#
        )
        let parser = JSONParser()
        let group = try withExtendedLifetime((bytes, parser)) {
            try hub.queryStreams.make(
                StreamQueriesBody(
                    parser.parse(bytes.bytes), byteCount: bytes.bytes.count, of: nil, for: caller,
                    quotesLargeInts: false, service.served), for: caller, isUser: true)
        }
        hub.open(group, to: sink, for: caller, from: start) {}
        return Stream(follower: nil, group: group, sink: sink)
    }

    /// Opens a stream of several queries on another connection, at a cursor of the present view.
    func reopen(_ stream: Stream, from cursor: String, for caller: Caller) throws -> Stream {
        let group = try #require(stream.group)
        stream.sink.close()
        let sink = ToldEvents()
        let mark = try service.served.visibility(of: caller)?.mark ?? ""
        let start = try service.served.streamCursor(cursor, "since", of: mark)
        hub.open(group, to: sink, for: caller, from: start) {}
        return Stream(follower: nil, group: group, sink: sink)
    }

    /// The events of a stream that has reported everything; nil if it has not.
    func events(of stream: Stream) -> [ToldEvents.Event]? {
        hub.isSettled(
            [stream.follower].compactMap { $0 }, groups: [stream.group?.id].compactMap { $0 },
            at: version) ? stream.sink.take() : nil
    }
}
