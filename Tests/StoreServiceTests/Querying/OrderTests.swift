import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("every order, whole and page by page")
struct OrderTests {
    private typealias Keys = [(path: String, isAscending: Bool)]

    /// A query of the objects.
    private static func query(
        sort: String? = nil, distinct: String? = nil, filter: String? = nil
    ) -> QueryText {
        var text = QueryText()
        text.sort = sort
        text.distinct = distinct
        text.filter = filter
        return text
    }

    /// All pages of a list.
    private static func pages(
        _ world: OrderWorld, _ query: QueryText, limit: Int
    ) throws -> [Int] {
        var query = query
        query.limit = limit
        query.fields = "id"
        var found: [Int] = []
        repeat {
            let page = try #require(
                try world.service.page(.objects(.ofClass("Item")), query))
            #expect(page.ids.count <= limit)
            found += page.ids
            query.cursor = page.next
        } while query.cursor != nil && found.count <= world.items.count
        return found
    }

    /// The keys of an order as `sort` states them, and as a filter does.
    private static func texts(_ keys: Keys) -> (sort: String, suffix: String) {
        (
            keys.map { ($0.isAscending ? "" : "-") + $0.path }.joined(separator: ","),
            keys.map { "\($0.path) \($0.isAscending ? "ASC" : "DESC")" }.joined(separator: ", ")
        )
    }

    /// Compares an order, stated in both places, with the model's.
    private static func check(_ world: OrderWorld, _ keys: Keys, _ seed: UInt64) throws -> Bool {
        let expected = world.ids(keys)
        let (sort, suffix) = texts(keys)
        var isRight = true
        for query in [
            query(sort: sort), query(filter: "TRUEPREDICATE SORT(\(suffix))"),
            query(sort: sort, filter: "id >= 0 AND ints.@count >= 0"),
        ] {
            for limit in [1, 5, 1000] {
                let found = try pages(world, query, limit: limit)
                #expect(
                    found == expected,
                    "seed \(seed): \(query.sort ?? "") \(query.filter ?? "") limit \(limit)")
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
                _ = try Self.check(world, [(path, isAscending)], seed)
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
            guard try Self.check(world, keys, seed) else { return }
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
                let texts = Self.texts(keys)
                let sort = keys.isEmpty ? nil : texts.sort
                let ordered = keys.isEmpty ? "" : " SORT(\(texts.suffix))"
                for query in [
                    Self.query(sort: sort, distinct: path),
                    Self.query(
                        sort: sort, distinct: path, filter: "id >= 0 AND ints.@count >= 0"),
                    Self.query(filter: "TRUEPREDICATE\(ordered) DISTINCT(\(path))"),
                ] {
                    for limit in [1, 3, 1000] {
                        let found = try Self.pages(world, query, limit: limit)
                        #expect(
                            found == expected,
                            "seed \(seed): \(query.sort ?? "") \(path) \(query.filter ?? "") limit \(limit)"
                        )
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
        let classes = [
            ObjectClass(
                name: "Box", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int), Schemas.list("ints", .int),
                    Schemas.list("any", .mixed), Schemas.list("texts", .string, optional: true),
                    Schemas.list("reals", .double, optional: true),
                    Property(name: "map", type: .map(.scalar(.int)), isOptional: true),
                    Schemas.list("items", of: "Item"),
                ]),
            ObjectClass(
                name: "Item", primaryKey: "id",
                properties: [
                    Schemas.property("id", .int), Schemas.property("text", .string, optional: true),
                    Schemas.property("number", .int, optional: true), Schemas.list("ints", .int),
                    Property(name: "marks", type: .map(.scalar(.int))),
                    Schemas.link("best", "Item"),
                ]),
        ]
        let service = try TestService(classes: classes)
        let stem = String(repeating: "y", count: 420)
        let texts = [#""\#(stem)b""#, "null", #""\#(stem)a""#, #""z""#]
        let items = (0..<12).map { id in
            let best = id % 3 == 0 ? "null" : "\(id - 1)"
            return
                #"{"id":\#(id),"text":\#(texts[id % 4]),"number":\#(id % 3),"ints":[\#(id % 5)],"#
                + #""marks":{"k":\#(id % 2)},"best":\#(best)}"#
        }
        try service.write("Item", array: "[\(items.joined(separator: ","))]")
        let order = [3, 0, 11, 3, 7, 5, 1, 2, 9, 8, 10, 4, 6, 3]
        let box = ObjectAddress("Box", "1")
        try service.put(
            box,
            #"{"ints":[3,1,3,2,1,9,-4],"any":[1,"x",null,1.0,[2],{"a":1},"\#(stem)b","\#(stem)a",true,{"$double":"NaN"}],"texts":["b",null,"","\#(stem)b","\#(stem)a","b",null],"reals":[1,"NaN",null,-0.0,0,"Infinity","NaN",2.5],"map":{"a":3,"b":null,"c":3,"d":-1,"e":7},"items":\#(order)}"#
        )
        func page(_ query: QueryText) throws -> (elements: [QueryJSON], next: String?) {
            let page = try #require(try service.page(of: property, of: box, query))
            let lists = ["elements", "entries", "objects"].compactMap { page.json[$0] }
            return (lists.first?.elements ?? [], page.next)
        }
        let plain = try page(QueryText()).elements
        let all = try page(Self.query(sort: sort)).elements
        #expect(all.count == plain.count && plain.allSatisfy(all.contains))
        for limit in [1, 2, 3] {
            var found: [QueryJSON] = []
            var query = Self.query(sort: sort)
            query.limit = limit
            repeat {
                let (elements, next) = try page(query)
                found += elements
                query.cursor = next
            } while query.cursor != nil && found.count <= all.count
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
            let query = Self.query(
                sort: name == "sort" ? path : nil, distinct: name == "distinct" ? path : nil)
            let fault = #expect(throws: RequestFault.self) {
                try world.service.page(.objects(.ofClass("Item")), query)
            }
            #expect(fault?.kind == .malformed && fault?.errors.first?.parameter == name)
            #expect(fault?.detail.contains(detail) ?? false, "\(fault?.detail ?? "")")
        }
    }
}
