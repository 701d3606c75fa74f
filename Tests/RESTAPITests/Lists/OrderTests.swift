import TestSupport
import Testing

@Suite("every order, whole and page by page")
struct OrderTests {
    private typealias Keys = [(path: String, isAscending: Bool)]

    private static let list = "/v1/classes/Item/objects"

    /// All pages of a list.
    private static func pages(
        _ world: OrderWorld, _ parameters: [(String, String)], limit: Int, _ note: String
    ) -> [Int] {
        var found: [Int] = []
        var cursor: String?
        repeat {
            let reply = world.server.send(
                "GET",
                target(
                    list,
                    parameters + [("limit", "\(limit)"), ("fields", "id")]
                        + (cursor.map { [("cursor", $0)] } ?? [])))
            #expect(reply.status == 200, "\(note): \(reply.text)")
            if reply.status != 200 { return found }
            let ids = reply.ids.map(Int.init)
            #expect(ids.count <= limit, "\(note)")
            found += ids
            cursor = reply.next
        } while cursor != nil && found.count <= world.items.count
        return found
    }

    /// Compares an order, stated in both places, with the model's.
    private static func check(_ world: OrderWorld, _ keys: Keys, _ seed: UInt64) -> Bool {
        let expected = world.ids(keys)
        let sort = keys.map { ($0.isAscending ? "" : "-") + $0.path }
            .joined(separator: ",")
        let suffix = keys.map { "\($0.path) \($0.isAscending ? "ASC" : "DESC")" }
            .joined(separator: ", ")
        var isRight = true
        for parameters in [
            [("sort", sort)], [("filter", "TRUEPREDICATE SORT(\(suffix))")],
            [("sort", sort), ("filter", "id >= 0 AND ints.@count >= 0")],
        ] {
            for limit in [1, 5, 1000] {
                let note = "seed \(seed): \(parameters) limit \(limit)"
                let found = pages(world, parameters, limit: limit, note)
                #expect(found == expected, "\(note)")
                isRight = isRight && found == expected
            }
        }
        return isRight
    }

    @Test("each path sorts, both ways, and its pages are the whole", arguments: EngineCase.all)
    func eachPath(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("orders")
        let world = try OrderWorld(engine, seed: seed, count: 16)
        for path in OrderWorld.paths {
            for isAscending in [true, false] {
                _ = Self.check(world, [(path, isAscending)], seed)
            }
        }
    }

    @Test("several paths sort one behind the other", arguments: EngineCase.all)
    func severalPaths(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("orders of several paths")
        let world = try OrderWorld(engine, seed: seed, count: 16)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(15) {
            let keys: Keys = (0..<Int.random(in: 2...4, using: &random)).map { _ in
                (
                    OrderWorld.paths[
                        Int.random(in: 0..<OrderWorld.paths.count, using: &random)],
                    Bool.random(using: &random)
                )
            }
            guard Self.check(world, keys, seed) else { return }
        }
    }

    /// The first objects with each value of a path, in an order.
    private static func firsts(_ world: OrderWorld, _ path: String, in sorted: [Int]) -> [Int] {
        var seen: [OrderWorld.Rank] = []
        return sorted.filter { id in
            let item = world.items[id]
            // A null link on the way leaves an object out.
            if isMissing(item, path, world) { return false }
            let rank = world.rank(item, path)
            if seen.contains(where: { $0 == rank || !($0 < rank) && !(rank < $0) }) { return false }
            seen.append(rank)
            return true
        }
    }

    @Test("the first objects with each value have pages in every order", arguments: EngineCase.all)
    func distinct(engine: EngineCase) throws {
        let seed = SeededGenerator.testSeed("distinct orders")
        let world = try OrderWorld(engine, seed: seed, count: 16)
        var random = SeededGenerator(seed: seed)
        for path in OrderWorld.paths {
            let other = OrderWorld.paths[Int.random(in: 0..<OrderWorld.paths.count, using: &random)]
            let orders: [Keys] = [
                [], [(path, true), ("number", true)], [(path, false), ("number", true)],
                [(other, true)], [(other, false), (path, true)],
            ]
            for keys in orders {
                let expected = Self.firsts(world, path, in: world.ids(keys))
                let sort = keys.map { ($0.isAscending ? "" : "-") + $0.path }.joined(separator: ",")
                let suffix = keys.map { "\($0.path) \($0.isAscending ? "ASC" : "DESC")" }
                    .joined(separator: ", ")
                let order = keys.isEmpty ? [] : [("sort", sort)]
                let ordered = keys.isEmpty ? "" : " SORT(\(suffix))"
                for parameters in [
                    order + [("distinct", path)],
                    order + [("distinct", path), ("filter", "id >= 0 AND ints.@count >= 0")],
                    [("filter", "TRUEPREDICATE\(ordered) DISTINCT(\(path))")],
                ] {
                    for limit in [1, 3, 1000] {
                        let note = "seed \(seed): \(parameters) limit \(limit)"
                        let found = Self.pages(world, parameters, limit: limit, note)
                        #expect(found == expected, "\(note)")
                        guard found == expected else { return }
                    }
                }
            }
        }
    }

    /// Whether a link or embedded object on the way is null.
    private static func isMissing(_ item: OrderWorld.Item, _ path: String, _ world: OrderWorld)
        -> Bool
    {
        if path.hasPrefix("best.") {
            guard let best = item.best else { return true }
            return isMissing(world.items[best], String(path.dropFirst(5)), world)
        }
        return path == "inner.a" && item.inner == nil
    }

    @Test(
        "the elements of a collection have pages in every order",
        arguments: [
            ("ints", "self"), ("ints", "-self"), ("any", "self"), ("any", "-self"),
            ("texts", "self"), ("texts", "-self"), ("reals", "-self"), ("map", "self"),
            ("map", "-self"), ("items", "text"), ("items", "-text,number"),
            ("items", "ints.@sum,-id"), ("items", "best.number"), ("items", "marks.k,-text"),
        ])
    func elements(property: String, sort: String) throws {
        let server = try TestServer(schema: .init(classes: []))
        let stem = String(repeating: "y", count: 420)
        #expect(
            server.send(
                "PUT", "/v1/schema",
                #"""
                {"classes":[{"name":"Box","primaryKey":"id","properties":{"id":"int","ints":"int[]",
                "any":"mixed[]","texts":"string?[]","reals":"double?[]","map":"int?{}","items":"Item[]"}},
                {"name":"Item","primaryKey":"id","properties":{"id":"int","text":"string?","number":"int?",
                "ints":"int[]","marks":"int{}","best":"Item"}}]}
                """#
            ).status == 200)
        let items = (0..<12).map { id in
            #"{"id":\#(id),"text":\#([#""\#(stem)b""#, "null", #""\#(stem)a""#, #""z""#][id % 4]),"number":\#(id % 3),"ints":[\#(id % 5)],"marks":{"k":\#(id % 2)},"best":\#(id % 3 == 0 ? "null" : "\(id - 1)")}"#
        }
        for item in items {
            #expect(server.send("POST", "/v1/classes/Item/objects", item).status == 201)
        }
        let order = [3, 0, 11, 3, 7, 5, 1, 2, 9, 8, 10, 4, 6, 3]
        let reply = server.send(
            "PUT", "/v1/classes/Box/objects/1",
            #"{"ints":[3,1,3,2,1,9,-4],"any":[1,"x",null,1.0,[2],{"a":1},"\#(stem)b","\#(stem)a",true,{"$double":"NaN"}],"texts":["b",null,"","\#(stem)b","\#(stem)a","b",null],"reals":[1,"NaN",null,-0.0,0,"Infinity","NaN",2.5],"map":{"a":3,"b":null,"c":3,"d":-1,"e":7},"items":\#(order)}"#
        )
        #expect(reply.status == 201, "\(reply.text)")
        let path = "/v1/classes/Box/objects/1/properties/\(property)"
        let whole = server.send("GET", target(path, [("sort", sort)]))
        #expect(whole.status == 200, "\(whole.text)")
        func elements(_ reply: HTTPClient.Reply) -> [QueryJSON] {
            let json = reply.json
            return (json["elements"] ?? json["entries"] ?? json["objects"] ?? .null).elements
        }
        let plain = elements(server.send("GET", path))
        let all = elements(whole)
        #expect(all.count == plain.count && plain.allSatisfy(all.contains))
        for limit in [1, 2, 3] {
            var found: [QueryJSON] = []
            var cursor: String?
            repeat {
                let page = server.send(
                    "GET",
                    target(
                        path,
                        [("sort", sort), ("limit", "\(limit)")]
                            + (cursor.map { [("cursor", $0)] } ?? [])))
                #expect(page.status == 200, "\(page.text)")
                found += elements(page)
                cursor = page.next
            } while cursor != nil && found.count <= all.count
            #expect(found == all, "\(property) by \(sort), limit \(limit)")
        }
    }

    @Test(
        "what has no order is refused and named",
        arguments: [
            ("best", "one of its properties"), ("others", "one value"), ("ints", "one value"),
            ("others.number", "one value"), ("mixed.@type", "@type"), ("marks.@keys", "@keys"),
            ("inner", "one of its properties"), ("text.@upper", "@upper"),
        ])
    func refused(path: String, detail: String) throws {
        let world = try OrderWorld(.memory, seed: 1, count: 2)
        for name in ["sort", "distinct"] where !(name == "distinct" && path == "best") {
            APIScenario(
                "GET", target(Self.list, [(name, path)]), status: 400,
                contains: [detail, #""parameter":"\#(name)""#]
            ).check(on: world.server)
        }
    }
}
