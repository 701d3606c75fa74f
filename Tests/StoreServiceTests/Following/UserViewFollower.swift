@testable import HoldfastStreams
import HoldfastObjectJSON
import HoldfastServiceSupport

@testable import HoldfastStoreService

/// A client that follows a result or a property as a whole, and checks what it holds at each version.
final class UserViewFollower {
    /// Objects of a result that it holds in order; a list is one section.
    private struct Section {
        var key: QueryJSON = .null
        var count: QueryJSON = .null
        var objects: [QueryJSON] = []
    }

    let view: UserView
    let user: Int
    private(set) var follower: Follower?
    /// How often it was told something.
    private(set) var eventCount = 0
    private(set) var resetCount = 0
    /// What is wrong with what it was told.
    private(set) var fault: String?
    private let world: UserStreamWorld
    private var sink = ToldEvents()
    private var cursor = "start"
    private var sections: [Section] = []
    private var value: QueryJSON?
    /// Of an event in several parts the changes that came.
    private var pending: [QueryJSON] = []

    init(_ view: UserView, of user: Int, in world: UserStreamWorld) {
        self.view = view
        self.user = user
        self.world = world
    }

    private var hasSections: Bool {
        if case .sections = view.form { true } else { false }
    }

    /// What it holds; nil for nothing.
    private var held: QueryJSON? {
        switch view.form {
        case .aggregate, .value: value?.orNilIfEmpty
        case .list, .objects:
            sections.first.flatMap { QueryJSON.array($0.objects).orNilIfEmpty }
        case .sections:
            QueryJSON.array(
                sections.map {
                    .object(["key": $0.key, "count": $0.count, "objects": .array($0.objects)])
                }
            ).orNilIfEmpty
        }
    }

    private func forget() { (sections, value, pending) = ([], nil, []) }

    // MARK: Connections

    /// Opens another connection, from where the client stands.
    func connect(_ hub: StreamHub) throws {
        sink.close()
        process()
        sink = ToldEvents()
        follower = nil
        let (served, caller) = (world.service.served, world.callers[user])
        var text = QueryText()
        text.filter = view.filter
        let definition = StreamDefinition(
            of: view.target, text, EventOptions(), quotesLargeInts: false, result: view.result)
        guard let checked = try? definition.checked(served, for: caller) else {
            forget()
            cursor = "start"
            return
        }
        let start = try served.streamCursor(cursor, "since", of: checked.viewMark)
        let follower = Follower(.events(sink), checked, caller)
        self.follower = follower
        hub.open(follower, from: start) {}
    }

    /// Whether its stream has ended.
    var isEnded: Bool { follower == nil || sink.isEnded }

    // MARK: Events

    /// Takes in what has come.
    func process() {
        for event in sink.take() {
            eventCount += 1
            switch event.name {
            case "hello", "", "upToDate": break
            case "reset":
                forget()
                resetCount += 1
            case "error": forget()
            case "value": value = event.data
            case "snapshot": add(event.data)
            case "change":
                switch event.data["op"]?.string {
                case nil: change(event.data)
                case "delete": forget()
                case "enter":
                    forget()
                    add(event.data)
                case _ where event.data["value"] != nil: add(event.data)
                default: edit(event.data)
                }
            default: note("told \(event)")
            }
            guard let id = event.id else { continue }
            cursor = id
            if event.name != "hello" { check(at: UserFollower.number(id)) }
        }
    }

    private func add(_ data: QueryJSON) {
        value = data["value"]
        if hasSections {
            sections += (data["sections"]?.elements ?? []).map {
                Section(
                    key: $0["key"] ?? .null, count: $0["count"] ?? .null,
                    objects: ($0["objects"]?.elements ?? []).map { $0["object"] ?? .null })
            }
        } else {
            let objects = data["objects"]?.elements ?? []
            if sections.isEmpty { sections = [Section()] }
            // Those of a property stand for themselves.
            sections[0].objects +=
                view.result == nil ? objects : objects.map { $0["object"] ?? .null }
        }
    }

    private func index(_ json: QueryJSON?) -> (section: Int, item: Int) {
        let pair = json?.elements.compactMap { $0.int.map { Int($0) } } ?? []
        return hasSections ? (pair.first ?? -1, pair.last ?? -1) : (0, Int(json?.int ?? -1))
    }

    /// Does what the indices of a result say.
    private func change(_ data: QueryJSON) {
        pending += data["changes"]?.elements ?? []
        guard data["deletions"] != nil else { return }
        func numbers(_ name: String) -> [Int] {
            (data[name]?.elements ?? []).compactMap { $0.int.map { Int($0) } }
        }
        if !hasSections, sections.isEmpty { sections = [Section()] }
        for place in (data["deletions"]?.elements ?? []).map(index).reversed() {
            sections[place.section].objects.remove(at: place.item)
        }
        for index in numbers("sectionsDeleted").reversed() { sections.remove(at: index) }
        for index in numbers("sectionsInserted") { sections.insert(Section(), at: index) }
        for section in data["sections"]?.elements ?? [] {
            let index = Int(section["index"]?.int ?? -1)
            sections[index].key = section["key"] ?? .null
            sections[index].count = section["count"] ?? .null
        }
        for place in (data["insertions"]?.elements ?? []).map(index) {
            sections[place.section].objects.insert(.null, at: place.item)
        }
        for entry in pending where entry["index"] != nil {
            let place = index(entry["index"])
            sections[place.section].objects[place.item] = entry["object"] ?? .null
        }
        pending = []
    }

    /// Does what the indices of a property's list say.
    private func edit(_ data: QueryJSON) {
        if sections.isEmpty { sections = [Section()] }
        func numbers(_ name: String) -> [Int] {
            (data[name]?.elements ?? []).compactMap { $0.int.map { Int($0) } }
        }
        for index in numbers("deletions").reversed() { sections[0].objects.remove(at: index) }
        for index in numbers("insertions") { sections[0].objects.insert(.null, at: index) }
        for entry in data["values"]?.elements ?? [] {
            sections[0].objects[Int(entry["index"]?.int ?? -1)] = entry["value"] ?? .null
        }
    }

    /// Whether what it holds is what its user could read at a version.
    private func check(at version: UInt64) {
        let all = world.moments.filter { $0.version == version }
        if all.isEmpty || all.contains(where: { $0.views[user][view] == held }) { return }
        note(
            "holds \(held?.text ?? "") at \(version), of \(all.map { $0.views[user][view]?.text })")
    }

    private func note(_ text: String) { fault = fault ?? "\(view) of \(user): \(text)" }

    /// Whether it has exactly what its user may read now.
    func expectResult() throws {
        let right = try world.result(view, of: user)
        if held != right {
            note("holds \(held?.text ?? "") in place of \(right?.text ?? ""), from \(cursor)")
        }
    }
}
