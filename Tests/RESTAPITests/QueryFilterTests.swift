import HoldfastObjectModel
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

/// A few objects of every type, the same for all filters.
private enum Fruits {
    static let schema = Schema(classes: [
        ObjectClass(
            name: "Fruit", primaryKey: "id",
            properties: [
                Schemas.property("id", .int), Schemas.property("name", .string),
                Schemas.property("count", .int, optional: true),
                Schemas.property("ratio", .double, optional: true),
                Schemas.property("ripe", .bool), Schemas.property("at", .date, optional: true),
                Schemas.property("oid", .objectID), Schemas.property("uuid", .uuid),
                Schemas.property("bytes", .data, optional: true),
                Schemas.list("tags", .string), Schemas.list("sizes", .int),
                Schemas.set("codes", .int), Schemas.link("mix", "Fruit"),
                Schemas.list("parts", of: "Fruit"), Schemas.list("boxes", of: "Box"),
                Property(name: "box", type: .single(.object("Box")), isOptional: true),
                Property(
                    name: "partOf", type: .linkingObjects(className: "Fruit", property: "parts")),
            ]),
        ObjectClass(
            name: "Box", kind: .embedded,
            properties: [Schemas.property("colour", .string), Schemas.property("height", .int)]),
    ])

    static let objects = [
        #"{"id":1,"name":"Apple","count":5,"ratio":0.5,"ripe":true,"at":"2026-01-01T00:00:00Z","oid":"aaaaaaaaaaaaaaaaaaaaaaaa","uuid":"00000000-0000-0000-0000-000000000001","bytes":"AQI=","tags":["red","round"],"sizes":[1,2,3],"codes":[7],"box":{"colour":"red","height":3},"boxes":[{"colour":"red","height":1},{"colour":"blue","height":2}]}"#,
        #"{"id":2,"name":"banana","count":null,"ratio":"NaN","ripe":false,"at":null,"oid":"bbbbbbbbbbbbbbbbbbbbbbbb","uuid":"00000000-0000-0000-0000-000000000002","tags":["yellow"],"mix":1}"#,
        #"{"id":3,"name":"Cherry","count":40,"ratio":1e300,"ripe":true,"at":"2026-06-30T12:00:00.5+02:00","oid":"cccccccccccccccccccccccc","uuid":"00000000-0000-0000-0000-000000000003","bytes":"","tags":[],"sizes":[40],"codes":[7,8],"mix":2,"parts":[1,2]}"#,
        #"{"id":4,"name":"Äpfel+Öl","count":-5,"ratio":null,"ripe":false,"at":"1969-12-31T23:59:59.5Z","oid":"dddddddddddddddddddddddd","uuid":"00000000-0000-0000-0000-000000000004","tags":["red","Öl"],"sizes":[-1],"parts":[1],"box":{"colour":"Blue","height":9}}"#,
    ]

    static func server(_ options: RESTOptions = RESTOptions()) throws -> TestServer {
        let server = try TestServer(schema: schema, options: options)
        let reply = server.send(
            "POST", "/v1/classes/Fruit/objects", "[" + objects.joined(separator: ",") + "]")
        #expect(reply.status == 201, "\(reply.text)")
        return server
    }
}

/// A filter, its arguments as parameters, and the ids of its matches.
private struct Filter: Sendable, CustomTestStringConvertible {
    var text: String
    var arguments: [(String, String)]
    var ids: [Int64]

    init(_ text: String, _ arguments: [(String, String)] = [], _ ids: [Int64]) {
        self.text = text
        self.arguments = arguments
        self.ids = ids
    }

    var testDescription: String { "\(text) \(arguments) is \(ids)" }
}

@Suite("filters over HTTP")
struct QueryFilterTests {
    private static let filters: [Filter] = [
        // Comparisons.
        Filter("count == 5", [], [1]), Filter("count = 5", [], [1]),
        Filter("count != 5", [], [2, 3, 4]),
        Filter("count <> 5", [], [2, 3, 4]), Filter("count < 5", [], [4]),
        Filter("count <= 5", [], [1, 4]),
        Filter("count > 4", [], [1, 3]), Filter("count >= 40", [], [3]),
        Filter("count =< 5", [], [1, 4]),
        Filter("count => 40", [], [3]), Filter("5 == count", [], [1]),
        Filter("count == id", [], []),
        Filter("count > id", [], [1, 3]), Filter("count == 5.0", [], [1]),
        Filter("count == 5.5", [], []),
        Filter("ratio == 0.5", [], [1]), Filter("ratio > 1", [], [3]),
        Filter("ratio == NaN", [], [2]),
        Filter("ratio != NaN", [], [1, 3, 4]),
        // AND, OR, NOT.
        Filter("count > 0 AND ripe == true", [], [1, 3]),
        Filter("count > 0 && ripe == false", [], []),
        Filter("id == 1 OR id == 4", [], [1, 4]), Filter("id == 1 || id == 4", [], [1, 4]),
        Filter("NOT id == 1", [], [2, 3, 4]), Filter("!(id == 1 or id == 2)", [], [3, 4]),
        Filter("TRUEPREDICATE", [], [1, 2, 3, 4]), Filter("FALSEPREDICATE", [], []),
        // IN and BETWEEN.
        Filter("id IN {1, 3}", [], [1, 3]), Filter("id IN $0", [("arg", "[4,2,9]")], [2, 4]),
        Filter("id BETWEEN {2, 3}", [], [2, 3]), Filter("id BETWEEN $0", [("arg", "[3,2]")], []),
        Filter("name IN[c] {'APPLE', 'cherry'}", [], [1, 3]),
        // Strings.
        Filter("name BEGINSWITH 'A'", [], [1]), Filter("name BEGINSWITH[c] 'B'", [], [2]),
        Filter("name ENDSWITH 'y'", [], [3]), Filter("name CONTAINS 'an'", [], [2]),
        Filter("name CONTAINS[c] 'ÖL'", [], [4]), Filter("name LIKE '?herr*'", [], [3]),
        Filter("name LIKE[c] 'ä*'", [], [4]), Filter("name ==[c] 'BANANA'", [], [2]),
        Filter("name == \"Apple\"", [], [1]), Filter("name.@count == 5", [], [1]),
        // Null.
        Filter("count == null", [], [2]), Filter("count != nil", [], [1, 3, 4]),
        Filter("at == $0", [("arg", "null")], [2]),
        Filter("bytes == null", [], [2, 4]), Filter("box == null", [], [2, 3]),
        Filter("mix != null", [], [2, 3]),
        // Other types.
        Filter("ripe == true", [], [1, 3]), Filter("oid == oid(bbbbbbbbbbbbbbbbbbbbbbbb)", [], [2]),
        Filter("uuid == uuid(00000000-0000-0000-0000-000000000003)", [], [3]),
        Filter("bytes == bin(B64\"AQI=\")", [], [1]), Filter("at == 2026-1-1@0:0:0", [], [1]),
        Filter("at < T0:0", [], [4]),
        // Arguments in every form.
        Filter("at == $0", [("text", "2026-06-30T10:00:00.5Z")], [3]),
        Filter("at == $0", [("arg", #""2026-06-30T12:00:00.5+02:00""#)], [3]),
        Filter("at == $0", [("arg", #"{"$date":"2026-06-30T12:00:00.500+02:00"}"#)], [3]),
        Filter("at < $0", [("arg", #"{"$date":"1970-01-01T00:00:00Z"}"#)], [4]),
        Filter(
            "at IN $0", [("arg", #"["2026-01-01T00:00:00Z","1969-12-31T23:59:59.5Z"]"#)], [1, 4]),
        Filter("oid == $0", [("text", "BBBBBBBBBBBBBBBBBBBBBBBB")], [2]),
        Filter("oid == $0", [("arg", #"{"$objectId":"cccccccccccccccccccccccc"}"#)], [3]),
        Filter("uuid == $0", [("text", "00000000-0000-0000-0000-000000000003")], [3]),
        Filter("uuid == $0", [("arg", #"{"$uuid":"00000000-0000-0000-0000-000000000001"}"#)], [1]),
        Filter("bytes == $0", [("text", "AQI=")], [1]),
        Filter("bytes == $0", [("arg", #"{"$data":"AQI"}"#)], [1]),
        Filter("name == $0", [("text", "Äpfel+Öl")], [4]),
        Filter("name == $0", [("arg", #""Äpfel+Öl""#)], [4]),
        Filter("count == $0", [("arg", "5")], [1]),
        Filter("count == $0", [("arg", #"{"$int":"40"}"#)], [3]),
        Filter("ratio == $0", [("arg", #"{"$double":0.5}"#)], [1]),
        Filter("ratio > $0", [("arg", "1e299")], [3]),
        Filter("ripe == $0", [("arg", "false")], [2, 4]),
        Filter(
            "name == $0 OR count == $1 OR name == $2",
            [("text", "banana"), ("arg", "5"), ("text", "Cherry")], [1, 2, 3]),
        Filter("mix == $0", [("arg", #"{"$link":{"class":"Fruit","id":1}}"#)], [2]),
        Filter("mix == obj('Fruit', 2)", [], [3]),
        // Links and collections.
        Filter("mix.name == 'Apple'", [], [2]), Filter("mix.mix.count == 5", [], [3]),
        Filter("mix.name == null", [], [1, 4]),
        Filter("box.height > 3", [], [4]), Filter("ANY parts.name == 'Apple'", [], [3, 4]),
        Filter("ALL parts.name == 'Apple'", [], [1, 2, 4]),
        Filter("NONE parts.name == 'Apple'", [], [1, 2]),
        Filter("parts.@count == 2", [], [3]), Filter("ANY partOf.name == 'Cherry'", [], [1, 2]),
        Filter("partOf.@count > 1", [], [1]), Filter("@links.Fruit.mix.name == 'banana'", [], [1]),
        Filter("ANY tags == 'red'", [], [1, 4]), Filter("'red' IN tags", [], [1, 4]),
        Filter("tags.@count == 0", [], [3]),
        Filter("ALL sizes > 0", [], [1, 2, 3]), Filter("NONE codes == 8", [], [1, 2, 4]),
        Filter("codes.@count == 2", [], [3]),
        Filter("ANY boxes.colour == 'blue'", [], [1]),
        Filter("ANY tags BEGINSWITH[c] 'ö'", [], [4]),
    ]

    @Test("GET and POST give each filter's matches")
    func matches() throws {
        let server = try Fruits.server()
        for filter in Self.filters {
            let get = server.send(
                "GET",
                target("/v1/classes/Fruit/objects", [("filter", filter.text)] + filter.arguments))
            #expect(
                get.status == 200 && get.ids == filter.ids,
                "GET \(filter.testDescription): \(get.text)")
            let arguments = filter.arguments.map { $0.0 == "text" ? quoted($0.1) : $0.1 }
            let post = server.send(
                "POST", "/v1/classes/Fruit/query",
                "{\"filter\":\(quoted(filter.text)),\"args\":[\(arguments.joined(separator: ","))]}"
            )
            #expect(
                post.status == 200 && post.ids == filter.ids,
                "POST \(filter.testDescription): \(post.text)")
            // The same as a plain scan of a stream's beginning.
            let start = server.send(
                "GET",
                target(
                    "/v1/classes/Fruit/changes",
                    [("since", "start"), ("filter", filter.text)] + filter.arguments))
            let ids = (start.json["objects"]?.elements ?? []).compactMap { $0["id"]?.int }
            #expect(
                start.status == 200 && ids == filter.ids,
                "stream \(filter.testDescription): \(start.text)")
        }
    }

    @Test("lists are ordered as sort says: null, NaN, numbers, ties by object")
    func sorts() throws {
        let server = try Fruits.server()
        let cases: [(String, [Int64])] = [
            ("id", [1, 2, 3, 4]), ("-id", [4, 3, 2, 1]), ("count", [2, 4, 1, 3]),
            ("-count", [3, 1, 4, 2]),
            ("ratio", [4, 2, 1, 3]), ("-ratio", [3, 1, 2, 4]), ("name", [1, 3, 2, 4]),
            ("ripe,-count", [4, 2, 3, 1]),
            ("ripe", [2, 4, 1, 3]), ("-ripe", [1, 3, 2, 4]), ("mix.name,id", [1, 4, 2, 3]),
            ("box.height,id", [2, 3, 1, 4]),
            ("parts.@count,id", [1, 2, 4, 3]), ("partOf.@count,-id", [4, 3, 2, 1]),
            ("at", [2, 4, 1, 3]), ("-uuid", [4, 3, 2, 1]),
        ]
        for (sort, ids) in cases {
            let reply = server.send("GET", target("/v1/classes/Fruit/objects", [("sort", sort)]))
            #expect(reply.ids == ids, "sort=\(sort): \(reply.text)")
            let keys = sort.split(separator: ",").map { quoted(String($0)) }.joined(separator: ",")
            let post = server.send("POST", "/v1/classes/Fruit/query", "{\"sort\":[\(keys)]}")
            #expect(post.ids == ids, "sort=\(sort): \(post.text)")
        }
        let suffix = server.send(
            "GET",
            target(
                "/v1/classes/Fruit/objects", [("filter", "ripe == true SORT(count DESC) LIMIT(1)")])
        )
        #expect(suffix.ids == [3] && suffix.next == nil)
    }

    @Test("LIMIT bounds the whole result over all pages, and count counts it")
    func limits() throws {
        let server = try Fruits.server()
        var ids: [Int64] = []
        var cursor: String?
        repeat {
            var parameters = [
                ("filter", "TRUEPREDICATE SORT(id DESC) LIMIT(3)"), ("limit", "2"),
                ("count", "exact"),
            ]
            if let cursor { parameters.append(("cursor", cursor)) }
            let reply = server.send("GET", target("/v1/classes/Fruit/objects", parameters))
            #expect(reply.status == 200 && reply.json["count"]?.int == 3, "\(reply.text)")
            ids += reply.ids
            cursor = reply.next
        } while cursor != nil
        #expect(ids == [4, 3, 2])
        let none = server.send(
            "GET",
            target(
                "/v1/classes/Fruit/objects",
                [("filter", "TRUEPREDICATE LIMIT(0)"), ("count", "exact")]))
        #expect(none.text == #"{"objects":[],"count":0}"#)
        let all = server.send("GET", "/v1/classes/Fruit/objects?count=exact&limit=1&fields=id")
        #expect(all.json["count"]?.int == 4 && all.next != nil)
        #expect(server.send("GET", "/v1/classes/Fruit/objects?count=none").json["count"] == nil)
    }

    @Test("distinct keeps the first of each, has pages in every order, and counts")
    func distinct() throws {
        let server = try Fruits.server()
        let path = "/v1/classes/Fruit/objects"
        #expect(server.send("GET", path + "?distinct=ripe").ids == [1, 2])
        #expect(server.send("GET", path + "?distinct=ripe&sort=-id").ids == [4, 3])
        #expect(server.send("GET", path + "?distinct=ripe&count=exact").json["count"]?.int == 2)
        #expect(
            server.send("GET", target(path, [("filter", "TRUEPREDICATE DISTINCT(ripe)")])).ids == [
                1, 2,
            ])
        // Objects whose link is null take no part.
        #expect(server.send("GET", path + "?distinct=mix.name").ids == [2, 3])
        let first = server.send("GET", path + "?distinct=ripe&sort=ripe,-id&limit=1")
        #expect(first.ids == [4])
        let cursor = try #require(first.next)
        // What the page ended with has gone; others with its value are still those that were told.
        server.send("DELETE", path + "/4")
        let second = server.send(
            "GET", path + "?distinct=ripe&sort=ripe,-id&limit=1&cursor=\(cursor)")
        #expect(second.ids == [3] && second.next == nil)
        // In another order the objects before tell which values were seen, also where the last one has gone.
        let oldest = server.send("GET", path + "?distinct=ripe&limit=1")
        #expect(oldest.ids == [1])
        let next = try #require(oldest.next)
        #expect(oldest.headers["link"]?.contains("rel=\"next\"") == true)
        let newer = server.send("GET", path + "?distinct=ripe&limit=1&cursor=\(next)")
        #expect(newer.ids == [2] && newer.next == nil)
        APIScenario("GET", path + "?distinct=ripe&limit=1&cursor=\(cursor)", status: 400).check(
            on: server)
    }

    @Test("fields and expand shape the objects")
    func shape() throws {
        let server = try Fruits.server()
        let path = "/v1/classes/Fruit/objects"
        #expect(
            server.send(
                "GET",
                target(path, [("filter", "id == 2"), ("fields", "name,$version,partOf,mix.name")])
            ).text
                == #"{"objects":[{"$version":"\#(server.store.version)","name":"banana","partOf":[3],"mix":{"name":"Apple"}}]}"#
        )
        #expect(
            server.send(
                "GET",
                target(path, [("filter", "id == 3"), ("fields", "id"), ("expand", "mix.mix")])
            ).text
                .contains(#"{"id":3,"mix":{"id":2,"name":"banana""#))
        let post = server.send(
            "POST", "/v1/classes/Fruit/query",
            #"{"filter":"id == 3","fields":["id","mix.id"],"expand":[]}"#)
        #expect(post.text == #"{"objects":[{"id":3,"mix":{"id":2}}]}"#, "\(post.text)")
        APIScenario(
            "GET", path + "?fields=nam", status: 400,
            contains: [#""parameter":"fields""#, #""hint":"name""#]
        ).check(on: server)
        APIScenario(
            "GET", path + "?expand=mixx", status: 400,
            contains: [#""parameter":"expand""#, #""hint":"mix""#]
        ).check(on: server)
        APIScenario(
            "POST", "/v1/classes/Fruit/query", #"{"fields":"nam"}"#, status: 400,
            contains: [#""pointer":"/fields""#, #""hint":"name""#]
        ).check(on: server)
    }
}
