import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("pages of sections")
struct SectionPagingTests {
    /// What sections are made by.
    private struct By {
        var path: String
        var prefixCount: Int?
        var text: String { prefixCount.map { "prefix(\(path),\($0))" } ?? path }
    }

    /// One section of a reply.
    private struct Found: Equatable, CustomStringConvertible {
        var count: Int
        var ids: [Int]
        var description: String { "\(count): \(ids)" }
    }

    private static func randomBy(_ world: inout QueryWorld) -> By {
        let text = ["s", "si", "best.s"].randomElement(using: &world.generator) ?? "s"
        if Int.random(in: 0..<3, using: &world.generator) == 0 {
            let count = [1, 2, 3, 64].randomElement(using: &world.generator)
            return By(path: text, prefixCount: count)
        }
        let paths = [
            "id", "a", "ai", "d", "di", "s", "si", "t", "ti", "b", "bi", "best.a", "best.s",
            "best.best.d",
        ]
        return By(path: paths.randomElement(using: &world.generator) ?? "a", prefixCount: nil)
    }

    private static func text(_ item: QueryWorld.Item, _ path: String, _ world: QueryWorld)
        -> String?
    {
        path.hasPrefix("best.") ? item.best.flatMap { world.items[$0]?.s } : item.s
    }

    /// The ids of each section of a model.
    private static func sections(
        _ by: By, _ sort: [QueryWorld.Key], _ matches: (QueryWorld.Item) -> Bool,
        _ world: QueryWorld
    ) -> [[Int]] {
        let base = sort.isEmpty ? [QueryWorld.Key(path: by.path, isAscending: true)] : sort
        var sections: [[Int]] = []
        for id in world.expected(base, matches) {
            guard let item = world.items[id] else { continue }
            let place = sections.firstIndex { section in
                guard let other = world.items[section[0]] else { return false }
                guard let count = by.prefixCount else {
                    return world.compare(item, other, by.path) == 0
                }
                let (own, others) = (text(item, by.path, world), text(other, by.path, world))
                guard let own, let others else { return own == nil && others == nil }
                return own.unicodeScalars.prefix(count).elementsEqual(
                    others.unicodeScalars.prefix(count))
            }
            if let place { sections[place].append(id) } else { sections.append([id]) }
        }
        return sections
    }

    private static func page(
        _ world: QueryWorld, _ by: By, _ filter: (text: String, arguments: [String]),
        _ sort: [QueryWorld.Key], limit: Int, objects: Int, cursor: String?, counts: Bool
    ) throws -> WrittenPage {
        var members = [
            "\"filter\":\(quoted(filter.text))", "\"limit\":\(limit)", "\"fields\":\"id\"",
            "\"args\":[\(filter.arguments.joined(separator: ","))]",
        ]
        if !sort.isEmpty {
            let keys = sort.map(\.description).joined(separator: ",")
            members.append("\"sort\":\"\(keys)\"")
        }
        if let cursor { members.append("\"cursor\":\"\(cursor)\"") }
        if counts { members.append("\"count\":\"exact\"") }
        return try #require(
            try world.service.page(
                .sections(.ofClass("Item"), by: by.text, objectCount: objects),
                body: "{\(members.joined(separator: ","))}"))
    }

    private static func found(_ reply: WrittenPage) -> [Found] {
        (reply.json["sections"]?.elements ?? []).map { section in
            Found(
                count: section["count"]?.int.map(Int.init) ?? -1,
                ids: (section["objects"]?.elements ?? []).compactMap {
                    $0["id"]?.int.map(Int.init)
                })
        }
    }

    @Test(
        "every page size gives the model's sections, with and without an index",
        arguments: EngineCase.all)
    func everyPageSize(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("sections")
        var world = try QueryWorld(engine, seed: seed, count: 60)
        for round in 0..<SeededGenerator.scaled(80) {
            let by = Self.randomBy(&world)
            var sort: [QueryWorld.Key] = []
            // Often the order begins with what the sections are made by.
            if Bool.random(using: &world.generator) {
                sort = [
                    QueryWorld.Key(
                        path: by.path, isAscending: Bool.random(using: &world.generator))
                ]
            }
            if Int.random(in: 0..<3, using: &world.generator) == 0 { sort += world.randomSort() }
            let filter = world.randomFilter()
            let sections = Self.sections(by, sort, filter.matches, world)
            for (suffix, objects) in [("", 0), ("i", 2), ("", 1), ("i", 1000)] {
                let text = filter.text.replacing("#", with: suffix)
                let expected = sections.map {
                    Found(count: $0.count, ids: Array($0.prefix(objects)))
                }
                for limit in [1, 2, 7, sections.count, 1000] where limit > 0 {
                    let note =
                        "seed \(seed) round \(round): \(text) \(filter.arguments) by \(by.text) sort \(sort) limit \(limit) objects \(objects)"
                    var all: [Found] = []
                    var cursor: String?
                    repeat {
                        let reply = try Self.page(
                            world, by, (text, filter.arguments), sort, limit: limit,
                            objects: objects, cursor: cursor, counts: limit == 2)
                        if limit == 2 {
                            #expect(reply.json["count"]?.int == Int64(sections.count), "\(note)")
                        }
                        let page = Self.found(reply)
                        #expect(page.count <= limit)
                        all += page
                        cursor = reply.next
                        #expect(cursor == nil || page.count == limit, "\(note)")
                    } while cursor != nil && all.count <= expected.count
                    #expect(all == expected, "\(note)")
                    if all != expected { return }
                }
            }
        }
    }

    @Test("sections that stay are told once while objects come and go", arguments: EngineCase.all)
    func changesBetweenPages(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("sections while changing")
        var world = try QueryWorld(engine, seed: seed, count: 80)
        for round in 0..<SeededGenerator.scaled(10) {
            for path in ["a", "ai", "s", "si"] {
                let isAscending = Bool.random(using: &world.generator)
                let by = By(path: path, prefixCount: path.hasPrefix("s") ? 400 / 100 : nil)
                let sort = [QueryWorld.Key(path: path, isAscending: isAscending)]
                let note = "seed \(seed) round \(round): \(by.text) \(sort)"
                var keys: [String] = []
                var cursor: String?
                repeat {
                    let reply = try Self.page(
                        world, by, ("TRUEPREDICATE", []), sort, limit: 2, objects: 0,
                        cursor: cursor, counts: false)
                    keys += (reply.json["sections"]?.elements ?? []).map { "\($0["key"] ?? .null)" }
                    cursor = reply.next
                    // New objects may belong to sections that were told already.
                    let id = Int.random(in: 0..<80, using: &world.generator)
                    try world.put(world.randomItem(id))
                } while cursor != nil && keys.count < 1000
                #expect(Set(keys).count == keys.count, "\(note): \(keys)")
            }
        }
    }
}
