import HoldfastServiceSupport
import Testing

/// What a client knows that follows a list, sections or an aggregate: it does what the indices say and puts the
/// objects of `changes` where theirs say.
struct FollowedResult {
    struct Section: Equatable {
        var key: QueryJSON?
        var count: Int64?
        /// `id`, `etag` and `object`; null where one has been announced that has not come.
        var entries: [QueryJSON] = []
    }

    private let hasSections: Bool
    private(set) var sections: [Section]
    private(set) var value: QueryJSON?
    /// The changes of an event whose last part has not come.
    private var pending: [QueryJSON] = []
    /// Whether it may show what it has.
    private(set) var isWhole = false

    init(hasSections: Bool) {
        self.hasSections = hasSections
        sections = hasSections ? [] : [Section()]
    }

    /// The objects of all sections.
    var objects: [QueryJSON] { sections.flatMap { $0.entries.compactMap { $0["object"] } } }
    /// Their ids.
    var ids: [Int64] { sections.flatMap { $0.entries.compactMap { $0["id"]?.int } } }

    mutating func apply(_ event: ChangesClient.Event) {
        let json = event.json
        switch event.name {
        case "reset":
            #expect(event.id == "start")
            sections = hasSections ? [] : [Section()]
            isWhole = false
        case "snapshot":
            if hasSections {
                sections += (json["sections"]?.elements ?? []).map {
                    Section(
                        key: $0["key"], count: $0["count"]?.int,
                        entries: $0["objects"]?.elements ?? [])
                }
            } else {
                sections[0].entries += json["objects"]?.elements ?? []
            }
        case "upToDate": isWhole = true
        case "value":
            value = json
            isWhole = true
        case "change":
            pending += json["changes"]?.elements ?? []
            guard json["deletions"] != nil else {
                #expect(event.id == nil, "a part that is not the last")
                return
            }
            change(json)
            pending = []
        default: break
        }
    }

    /// Takes an entry of a list in a stream of several queries.
    mutating func take(_ entry: QueryJSON) {
        switch entry["op"]?.string {
        case nil: sections[0].entries.append(entry)
        case "indices"?:
            change(entry)
            pending = []
        default: pending.append(entry)
        }
    }

    private func index(_ json: QueryJSON?) -> (section: Int, item: Int) {
        let pair = json?.elements.compactMap { $0.int.map { Int($0) } } ?? []
        return hasSections ? (pair.first ?? -1, pair.last ?? -1) : (0, Int(json?.int ?? -1))
    }

    private func indices(_ json: QueryJSON, _ name: String) -> [(section: Int, item: Int)] {
        (json[name]?.elements ?? []).map { index($0) }
    }

    private func numbers(_ json: QueryJSON, _ name: String) -> [Int] {
        (json[name]?.elements ?? []).compactMap { $0.int.map { Int($0) } }
    }

    private mutating func change(_ json: QueryJSON) {
        let before = sections
        func name(_ entry: QueryJSON) -> String { entry["id"].map { "\($0)" } ?? "?" }
        let modified = Set(
            indices(json, "modifications").map { name(before[$0.section].entries[$0.item]) })
        for index in indices(json, "deletions").reversed() {
            sections[index.section].entries.remove(at: index.item)
        }
        for index in numbers(json, "sectionsDeleted").reversed() { sections.remove(at: index) }
        for index in numbers(json, "sectionsInserted") { sections.insert(Section(), at: index) }
        for section in json["sections"]?.elements ?? [] {
            let index = Int(section["index"]?.int ?? -1)
            sections[index].key = section["key"]
            sections[index].count = section["count"]?.int
        }
        var inserted: Set<[Int]> = []
        for index in indices(json, "insertions") {
            inserted.insert([index.section, index.item])
            sections[index.section].entries.insert(.null, at: index.item)
        }
        let known = Set(before.flatMap { $0.entries.map(name) })
        var updated: Set<String> = []
        for change in pending {
            let id = name(change)
            switch change["op"]?.string {
            case "leave", "delete":
                #expect(known.contains(id), "\(id) was not there")
                #expect(!sections.contains { $0.entries.contains { name($0) == id } })
            case "enter", "update":
                let place = index(change["index"])
                let isInserted = inserted.remove([place.section, place.item]) != nil
                if !isInserted {
                    #expect(change["op"]?.string == "update")
                    #expect(name(sections[place.section].entries[place.item]) == id)
                    updated.insert(id)
                }
                guard case .object(var members) = change else { continue }
                for name in ["op", "index", "changed"] { members[name] = nil }
                sections[place.section].entries[place.item] = .object(members)
            default: Issue.record("no such change: \(change)")
            }
        }
        #expect(inserted.isEmpty, "what was inserted has not come")
        #expect(updated == modified)
    }
}
