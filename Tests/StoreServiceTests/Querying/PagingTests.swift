import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("pages of a query")
struct PagingTests {
    /// All pages of a query, with `between` run after each.
    private func pages(
        _ world: inout QueryWorld, _ filter: (text: String, arguments: [String]),
        _ sort: [QueryWorld.Key],
        limit: Int, note: String, between: (inout QueryWorld) throws -> Void = { _ in }
    ) throws -> [Int] {
        var found: [Int] = []
        var cursor: String?
        for _ in 0..<10_000 {
            let page = try world.page(filter, sort, limit: limit, cursor: cursor)
            let ids = page.ids
            #expect(ids.count <= limit)
            found += ids
            cursor = page.next
            if cursor == nil { return found }
            #expect(ids.count == limit, "\(note): a short page with a next one")
            try between(&world)
        }
        Issue.record("\(note): pages without end")
        return found
    }

    @Test(
        "every page size gives the model's order, with and without an index",
        arguments: EngineCase.all)
    func everyPageSize(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("paging")
        var world = try QueryWorld(engine, seed: seed, count: 60)
        for round in 0..<SeededGenerator.scaled(60) {
            let sort = world.randomSort()
            let filter = world.randomFilter()
            let expected = world.expected(sort, filter.matches)
            for suffix in ["", "i"] {
                let text = filter.text.replacing("#", with: suffix)
                for limit in [
                    1, 2, 3, 7, expected.count - 1, expected.count, expected.count + 1, 1000,
                ]
                where limit > 0 {
                    let note =
                        "seed \(seed) round \(round): \(text) \(filter.arguments) sort \(sort) limit \(limit)"
                    let found = try pages(
                        &world, (text, filter.arguments), sort, limit: limit, note: note)
                    #expect(found == expected, "\(note)")
                    if found != expected { return }
                }
            }
        }
    }

    @Test(
        "what does not change while others do is returned exactly once", arguments: EngineCase.all)
    func changesBetweenPages(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("paging while changing")
        var world = try QueryWorld(engine, seed: seed, count: 60)
        var newest = 1000
        for round in 0..<SeededGenerator.scaled(30) {
            // Paths through links change with the linked object.
            let sort = world.randomSort().filter { !$0.path.hasPrefix("best.") }
            let filter = world.randomFilter()
            let text = filter.text.replacing(
                "#", with: Bool.random(using: &world.generator) ? "i" : "")
            let limit = Int.random(in: 1...9, using: &world.generator)
            let note =
                "seed \(seed) round \(round): \(text) \(filter.arguments) sort \(sort) limit \(limit)"
            var steady = Set(world.expected(sort, filter.matches))
            let found = try pages(&world, (text, filter.arguments), sort, limit: limit, note: note)
            { world in
                for _ in 0..<2 {
                    guard let id = world.order.randomElement(using: &world.generator) else {
                        continue
                    }
                    switch Int.random(in: 0..<3, using: &world.generator) {
                    case 0:
                        steady.remove(id)
                        try world.delete(id)
                    case 1:
                        steady.remove(id)
                        try world.put(world.randomItem(id))
                    default:
                        newest += 1
                        try world.put(world.randomItem(newest))
                    }
                }
            }
            for id in steady {
                #expect(found.filter { $0 == id }.count == 1, "\(note): object \(id)")
                if found.filter({ $0 == id }).count != 1 { return }
            }
            // Those that stayed come in their order.
            #expect(
                found.filter(steady.contains) == world.expected(sort) { steady.contains($0.id) },
                "\(note)")
            while world.order.count < 60 {
                newest += 1
                try world.put(world.randomItem(newest))
            }
        }
    }

    @Test(
        "the last object of a page that moves on is found once more where it went, by every plan",
        arguments: EngineCase.all)
    func movedOn(engine: EngineCase) throws {
        for (isAscending, numbers, moved, found) in [
            (false, [9, 8, 5, 3], 6, [1, 2, 3]), (true, [1, 2, 5, 7], 3, [1, 2, 3]),
            (false, [9, 8, 5, 5, 3], 5, [1, 2, 3, 4]), (true, [1, 2, 5, 5, 7], 5, [1, 2, 3, 4]),
            (false, [9, 8, 5, 3], 3, [2, 1, 3]), (false, [9, 8, 5, 3], nil, [2, 3, 1]),
            (false, [9, 8, 5, 3], 8, [2, 3]), (true, [1, 2, 5, 7], 0, [2, 3]),
        ] as [(Bool, [Int], Int?, [Int])] {
            for path in ["a", "ai"] {
                var world = try QueryWorld(engine, seed: 1, count: 0)
                for (id, number) in numbers.enumerated() {
                    var item = world.randomItem(id)
                    item.a = number
                    try world.put(item)
                }
                let sort = [QueryWorld.Key(path: path, isAscending: isAscending)]
                let first = try world.page(("TRUEPREDICATE", []), sort, limit: 2, cursor: nil)
                #expect(first.ids == [0, 1])
                var item = try #require(world.items[1])
                item.a = moved
                try world.put(item)
                let rest = try world.page(
                    ("TRUEPREDICATE", []), sort, limit: 100, cursor: first.next)
                #expect(
                    rest.ids == found, "\(sort) \(numbers), then \(moved ?? -1)")
            }
        }
    }

    @Test("the last object of a page that moves on among long texts is found where it went")
    func movedOnAmongLongTexts() throws {
        let stem = String(repeating: "x", count: 420)
        for (path, isAscending, moved, end, found) in [
            ("s", true, 1, "e", [2, 1, 3]), ("si", true, 1, "e", [2, 1, 3]),
            ("s", false, 2, "b", [1, 2, 0]), ("si", false, 2, "b", [1, 2, 0]),
        ] {
            var world = try QueryWorld(.memory, seed: 1, count: 0)
            for (id, end) in ["a", "b", "d", "f"].enumerated() {
                var item = world.randomItem(id)
                item.s = stem + end
                try world.put(item)
            }
            let sort = [QueryWorld.Key(path: path, isAscending: isAscending)]
            let first = try world.page(("TRUEPREDICATE", []), sort, limit: 2, cursor: nil)
            #expect(first.ids.last == moved)
            var item = try #require(world.items[moved])
            item.s = stem + end
            try world.put(item)
            let rest = try world.page(("TRUEPREDICATE", []), sort, limit: 9, cursor: first.next)
            #expect(rest.ids == found, "\(sort)")
        }
    }

    @Test("the page behind a deleted object goes on among long texts that share their beginning")
    func longTexts() throws {
        var world = try QueryWorld(.memory, seed: 1, count: 0)
        let stem = String(repeating: "x", count: 420)
        for (id, end) in ["d", "a", "c", "b", "e"].enumerated() {
            var item = world.randomItem(id)
            item.s = stem + end
            try world.put(item)
        }
        for path in ["s", "si"] {
            for isAscending in [true, false] {
                let sort = [QueryWorld.Key(path: path, isAscending: isAscending)]
                let expected = world.expected(sort) { _ in true }
                let first = try world.page(("TRUEPREDICATE", []), sort, limit: 3, cursor: nil)
                #expect(first.ids == Array(expected[..<3]))
                let gone = expected[2]
                let item = try #require(world.items[gone])
                try world.delete(gone)
                let second = try world.page(
                    ("TRUEPREDICATE", []), sort, limit: 3, cursor: first.next)
                #expect(second.ids == Array(expected[3...]))
                try world.put(item)
            }
        }
    }
}
