@testable import HoldfastStreams
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastStoreService

/// A client that follows what a user may read, and checks each thing that it is told.
final class UserFollower {
    /// What it follows.
    struct Query: CustomStringConvertible {
        var className: String
        var filter: String?
        var shape: UserStreamWorld.Shape
        /// The object that it follows alone; nil for all.
        var key: Int?
        var tellsOld = false
        /// Whether changes of what the fields show are told alone.
        var hasKeyPaths = false
        var intervalMilliseconds = 0
        var sort: String?

        var description: String {
            "\(className) \(key.map { "\($0) " } ?? "")\(filter ?? "") \(shape) \(sort ?? "") old \(tellsOld) key paths \(hasKeyPaths) interval \(intervalMilliseconds)"
        }

        var target: StreamDefinition.Target {
            let value = key.map { Value.int(Int64($0)) }
            if let name = shape.projection[className] { return .projection(name: name, key: value) }
            return value.map { .object(className: className, key: $0) }
                ?? .objects(className: className)
        }
    }

    /// How it is told.
    enum Way {
        case events
        /// It asks for pages, and waits for some.
        case pages
        /// As one of the queries of a ``UserGroup``.
        case part
    }

    let query: Query
    /// The position of its caller, whose claims may change.
    private(set) var user: Int
    let way: Way
    private(set) var follower: Follower?
    /// The reply that it waits for.
    private var waiting: AwaitedReply?
    private var sink = ToldEvents()
    /// What it holds, by key.
    private(set) var objects: [String: QueryJSON] = [:]
    /// Behind which it resumes.
    private var cursor = "start"
    /// The version of that; 0 before the first.
    private var known: UInt64 = 0
    private(set) var resetCount = 0
    private(set) var changeCount = 0
    /// Why it was reset.
    private(set) var reasons: [String: Int] = [:]
    /// What is wrong with what it was told.
    private(set) var fault: String?
    private let world: UserStreamWorld

    init(_ query: Query, of user: Int, told way: Way, in world: UserStreamWorld) {
        self.query = query
        self.user = user
        self.way = way
        self.world = world
    }

    private func checked(_ caller: Caller) throws -> CheckedStream {
        var text = QueryText()
        text.filter = query.filter
        query.shape.shape(&text, of: query.className)
        return try StreamDefinition(
            of: query.target, text,
            EventOptions(
                keyPaths: query.hasKeyPaths ? query.shape.fields[query.className] : nil,
                tellsOld: query.tellsOld), quotesLargeInts: false,
            result: query.sort.map { .list(sort: $0, limit: 1000) },
            intervalMilliseconds: query.intervalMilliseconds
        ).checked(world.service.served, for: caller)
    }

    /// The query, checked for what a caller may read; nil, and nothing is held any more, where that names what they do not know.
    private func known(_ caller: Caller) -> CheckedStream? {
        if let checked = try? checked(caller) { return checked }
        (objects, cursor, known) = ([:], "start", 0)
        return nil
    }

    /// Whether the query names nothing that its user does not know; else nothing is held any more.
    var isKnown: Bool { known(world.callers[user]) != nil }

    // MARK: Connections

    /// Has another token of its user now and then, that claims something else, and goes on with it from where it stands.
    private func changeClaims() {
        guard let other = UserStreamWorld.otherClaims[user], world.any(4) == 0 else { return }
        user = other
    }

    /// Opens another connection, from where the client stands.
    func connect(_ hub: StreamHub) throws {
        sink.close()
        process()
        sink = ToldEvents()
        follower = nil
        changeClaims()
        let caller = world.callers[user]
        guard let checked = known(caller) else { return }
        let start = try world.service.served.streamCursor(cursor, "since", of: checked.viewMark)
        let follower = Follower(.events(sink), checked, caller)
        self.follower = follower
        hub.open(follower, from: start) {}
    }

    /// Waits for what comes next, where it knows all that there is.
    func wait(_ hub: StreamHub) throws {
        endWait()
        let caller = world.callers[user]
        guard let checked = known(caller) else { return }
        let start = try world.service.served.streamCursor(cursor, "since", of: checked.viewMark)
        guard start.canWait, let version = start.version?.number else { return }
        let reply = AwaitedReply()
        let follower = Follower(
            .reply(reply, limit: 3, deadline: monotonicMilliseconds() + 60_000), checked, caller,
            after: version)
        (waiting, self.follower) = (reply, follower)
        hub.open(follower)
    }

    /// Takes in the reply that it waits for, and waits no more.
    private func endWait() {
        switch waiting?.leave() {
        case .page(let text)?: take(QueryJSON(text) ?? .null)
        case .fault(let fault)?: take(fault)
        case nil: break
        }
        (waiting, follower) = (nil, nil)
    }

    /// Takes in that what it holds is void.
    private func take(_ fault: RequestFault) {
        let isUnknown = fault.code.hasPrefix("unknown-") || fault.code == "invalid-query"
        if fault.kind != .expired, !isUnknown { note("told \(fault)") }
        (cursor, known) = ("start", 0)
        resetCount += 1
        reasons["410 " + fault.code, default: 0] += 1
    }

    /// Whether it waits, and is not told of anything.
    var isWaiting: Bool { waiting?.isGone == false }

    /// Asks for pages until one is up to date, or for one alone.
    func poll(all: Bool) throws {
        endWait()
        changeClaims()
        let caller = world.callers[user]
        let served = world.service.served
        for _ in 0..<1000 {
            guard let checked = known(caller) else { return }
            let start = try served.streamCursor(cursor, "since", of: checked.viewMark)
            let answer = Result { () throws(RequestFault) in
                try served.withRead(for: caller) { read throws(RequestFault) in
                    try served.page(
                        of: checked, from: start, limit: 3, for: caller, in: read)
                }
            }
            switch answer {
            case .success(let page):
                let page = QueryJSON(String(decoding: page.buffer.array, as: UTF8.self)) ?? .null
                take(page)
                if page["upToDate"]?.bool ?? false { return }
            case .failure(let fault): take(fault)
            }
            if !all { return }
        }
        note("pages without end")
    }

    /// Takes in a page.
    private func take(_ page: QueryJSON) {
        if cursor == "start" { objects = [:] }
        for object in page["objects"]?.elements ?? [] { set(object, to: world.version) }
        apply(page["changes"]?.elements ?? [], to: world.version)
        cursor = page["cursor"]?.string ?? page["next"]?.string ?? cursor
        known = Self.number(cursor)
        if page["upToDate"]?.bool ?? false { checkHeld(at: known) }
    }

    /// Whether its stream has ended.
    var isEnded: Bool { follower == nil || sink.isEnded }

    // MARK: Events

    /// The number in a cursor's version, behind which there may be anything.
    static func number(_ cursor: String) -> UInt64 {
        let parts = cursor.split(separator: "-", maxSplits: 1)
        guard parts.count == 2 else { return 0 }
        return UInt64(parts[1].prefix { ("0"..."9").contains($0) }) ?? 0
    }

    /// Takes in what has come.
    func process() { take(sink.take()) }

    /// Takes in events.
    func take(_ events: [ToldEvents.Event]) {
        var events = events[...]
        while let event = events.popFirst() {
            // What has no version is of one before the next that has.
            let next = ([event] + events).lazy.compactMap(\.id).map(Self.number).first { $0 > 0 }
            let end = max(next ?? world.version, Self.number(event.data["version"]?.string ?? ""))
            switch event.name {
            case "hello", "": break
            case "reset":
                objects = [:]
                resetCount += 1
                reasons[event.data["reason"]?.string ?? "", default: 0] += 1
            case "snapshot":
                for object in event.data["objects"]?.elements ?? [] { set(object, to: end) }
            case "change":
                // In a list an object may move, too, and who may see everything is told what the filter reads.
                let isLive =
                    event.id != nil && query.intervalMilliseconds == 0 && query.sort == nil
                    && user != UserStreamWorld.editor
                apply(event.data["changes"]?.elements ?? [], to: end, isLive: isLive)
            case "upToDate": break
            // Nothing of what it names is known to its user any more.
            case "error": objects = [:]
            default: note("told \(event)")
            }
            guard let id = event.id else { continue }
            cursor = id
            let version = Self.number(id)
            let isWhole =
                event.name == "upToDate" || event.name.isEmpty
                || event.data["version"]?.string == id
            if isWhole, version > 0 { checkHeld(at: version) }
            known = version
        }
    }

    /// - `isLive`: Whether it is told of each thing as it happens.
    private func apply(_ changes: [QueryJSON], to end: UInt64, isLive: Bool = false) {
        for change in changes {
            changeCount += 1
            let key = change["id"].map(UserStreamWorld.key) ?? "?"
            switch change["op"]?.string {
            case "enter", "update":
                if isLive, change["op"]?.string == "update", isSame(key, to: end) {
                    note("told an update of \(key) that nothing shows: \(change)")
                }
                set(change, to: end)
                let shown = change["object"]?.names ?? []
                let changed = change["changed"]?.elements.compactMap(\.string) ?? []
                if query.shape.fields.isEmpty,
                    !Set(changed).subtracting(["partOf", "tasks"]).isSubset(of: shown)
                {
                    note("\(key) names \(changed) of \(shown)")
                }
                checkOld(change["old"], key, to: end)
            case "leave", "delete":
                objects[key] = nil
                if !forms(key, to: end).contains(where: { $0 != nil }) { note("named \(key)") }
            default: note("told \(change)")
            }
        }
    }

    private func set(_ entry: QueryJSON, to end: UInt64) {
        let key = entry["id"].map(UserStreamWorld.key) ?? "?"
        guard let object = entry["object"] else { return note("\(entry)") }
        objects[key] = object
        let forms = forms(key, to: end)
        if !forms.contains(object) { note("told \(key) as \(object), of \(forms)") }
    }

    /// What the user could read of an object from the last cursor on.
    private func forms(_ key: String, to end: UInt64) -> [QueryJSON?] {
        var forms: [QueryJSON?] = []
        for moment in moments(from: known, to: end) {
            forms.append(moment.readable[user][query.shape]?[query.className]?[key])
        }
        return forms
    }

    /// Whether nothing that the user can read of an object has changed since the last cursor.
    private func isSame(_ key: String, to end: UInt64) -> Bool {
        let shapes = query.shape.projection.isEmpty ? [UserStreamWorld.Shape()] : []
        return (shapes + [query.shape]).allSatisfy { shape in
            let forms = moments(from: known, to: end).map {
                $0.readable[user][shape]?[query.className]?[key]
            }
            return forms.allSatisfy { $0 == forms.first }
        }
    }

    private func moments(from start: UInt64, to end: UInt64) -> [UserStreamWorld.Moment] {
        world.moments.filter { $0.version >= start && $0.version <= end }
    }

    private func checkOld(_ old: QueryJSON?, _ key: String, to end: UInt64) {
        guard let old else { return }
        for name in old.names where !["partOf", "tasks"].contains(name) {
            let isKnown = forms(key, to: end).contains { $0?[name] == old[name] }
            if !isKnown { note("told what \(name) of \(key) was") }
        }
    }

    /// Whether everything that it holds can be read at a version, as it holds it.
    private func checkHeld(at version: UInt64) {
        let all = moments(from: version, to: version)
        if all.isEmpty { return }
        let isRight = all.contains { moment in
            let readable = moment.readable[user][query.shape]?[query.className] ?? [:]
            return objects.allSatisfy { readable[$0.key] == $0.value }
        }
        if isRight { return }
        let readable = all.last?.readable[user][query.shape]?[query.className] ?? [:]
        for (key, object) in objects where readable[key] != object {
            note(
                "holds what it can't read at \(version): \(object.text) in place of \(readable[key]?.text ?? "nothing")"
            )
        }
    }

    private func note(_ text: String) { fault = fault ?? "\(query) of \(user): \(text)" }

    /// Whether it has exactly what its user may read now.
    func expectResult() throws {
        let result = try world.result(query.className, query.filter, query.shape, of: user)
        if result == nil, let follower, !follower.isGone { note("is not ended") }
        if result != nil, way == .events, isEnded { note("is ended, from \(cursor)") }
        var expected = result ?? [:]
        if let key = query.key { expected = expected.filter { $0.key == "\(key)" } }
        if objects != expected {
            let keys = Set(objects.keys).union(expected.keys).filter { objects[$0] != expected[$0] }
            for key in keys.sorted() {
                let (held, right) = (objects[key], expected[key])
                let names = Set((held?.names ?? []) + (right?.names ?? []))
                    .filter { held?[$0] != right?[$0] }.sorted()
                note(
                    "holds of \(key) \(held == nil ? "nothing" : "\(names.map { held?[$0] })") in place of "
                        + "\(right == nil ? "nothing" : "\(names): \(names.map { right?[$0] })"), from \(cursor), "
                        + "resets \(reasons)")
            }
        }
    }
}
