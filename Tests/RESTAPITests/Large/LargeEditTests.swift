import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastObjectJSON
import HoldfastRESTAPI
import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("edits of out-of-line collections")
struct LargeEditTests {
    private static let album = "/v1/classes/Album/objects/1"
    private static let patchType = [
        ("Content-Type", "application/json-patch+json"), ("Prefer", "return=minimal"),
    ]

    /// The elements of a property, page by page.
    private func pages(_ server: TestServer, _ property: String, _ member: String) -> [QueryJSON] {
        var found: [QueryJSON] = []
        var cursor: String?
        repeat {
            let reply = server.send(
                "GET",
                Self.album + "/properties/\(property)?limit=7"
                    + (cursor.map { "&cursor=\($0)" } ?? ""))
            guard reply.status == 200 else {
                Issue.record("\(reply.text)")
                return found
            }
            found += reply.json[member]?.elements ?? []
            cursor = reply.next
        } while cursor != nil
        return found
    }

    // MARK: Lists

    /// Changes a list and the array beside it; some edits are one of several of a request.
    private struct ListScript {
        var model: [Int64?]
        var random: SeededGenerator

        mutating func value() -> Int64? {
            Int.random(in: 0..<8, using: &random) == 0 ? nil : .random(in: -99...99, using: &random)
        }

        /// One step of a JSON patch.
        mutating func step() -> String {
            let kind = model.isEmpty ? 0 : Int.random(in: 0..<5, using: &random)
            let value = value()
            switch kind {
            case 0:
                model.append(value)
                return #"{"op":"add","path":"/plays/-","value":\#(text(value))}"#
            case 1, 2:
                let index = Int.random(in: 0...model.count, using: &random)
                model.insert(value, at: index)
                return #"{"op":"add","path":"/plays/\#(index)","value":\#(text(value))}"#
            case 3:
                let index = Int.random(in: model.indices, using: &random)
                model[index] = value
                return #"{"op":"replace","path":"/plays/\#(index)","value":\#(text(value))}"#
            default:
                let index = Int.random(in: model.indices, using: &random)
                model.remove(at: index)
                return #"{"op":"remove","path":"/plays/\#(index)"}"#
            }
        }

        func text(_ value: Int64?) -> String { value.map(String.init) ?? "null" }

        /// A request that edits the list.
        mutating func request() -> (method: String, target: String, body: String?, isPatch: Bool) {
            let elements = LargeEditTests.album + "/properties/plays/elements"
            let count = Int.random(in: 1...6, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let value = value()
                model.append(value)
                return ("POST", elements, text(value), false)
            case 2:
                let value = value()
                let index = Int.random(in: 0...model.count, using: &random)
                model.insert(value, at: index)
                return ("POST", elements + "?at=\(index)", text(value), false)
            case 3 where !model.isEmpty:
                let value = value()
                let index = Int.random(in: model.indices, using: &random)
                model[index] = value
                return ("PUT", elements + "/\(index)", text(value), false)
            case 4 where !model.isEmpty:
                let index = Int.random(in: model.indices, using: &random)
                model.remove(at: index)
                return ("DELETE", elements + "/\(index)", nil, false)
            case 5 where !model.isEmpty:
                let value = model[Int.random(in: model.indices, using: &random)]
                model.removeAll { $0 == value }
                return ("DELETE", elements + "?value=\(text(value))", nil, false)
            case 6:
                let operations = (0..<count).map { _ in
                    #"{"op":"patch","class":"Album","id":1,"value":[\#(step()),\#(step())]}"#
                }
                return (
                    "POST", "/v1/transactions",
                    "{\"operations\":[\(operations.joined(separator: ","))]}", false
                )
            case 7 where Int.random(in: 0..<6, using: &random) == 0:
                // Shrinks far, so that the list may return to its row.
                let steps = model.indices.dropFirst(2).map { _ in
                    #"{"op":"remove","path":"/plays/1"}"#
                }
                if model.count > 2 { model.removeSubrange(1..<(model.count - 1)) }
                return ("PATCH", LargeEditTests.album, "[\(steps.joined(separator: ","))]", true)
            default:
                let steps = (0..<count).map { _ in step() }
                return ("PATCH", LargeEditTests.album, "[\(steps.joined(separator: ","))]", true)
            }
        }
    }

    @Test(
        "a list edited by elements, JSON patches and transactions equals an array",
        arguments: EngineCase.all)
    func lists(engine: EngineCase) throws {
        let server = try TestServer.overflow(engine, Schemas.albums)
        server.send("PUT", Self.album, #"{"plays":[1,2,3,4,5,6,7,8,9,null,11,12]}"#)
        var script = ListScript(
            model: (1...12).map { $0 == 10 ? nil : $0 },
            random: SeededGenerator(seed: SeededGenerator.testSeed("list edits on \(engine)")))
        for step in 0..<SeededGenerator.scaled(250) {
            let (method, target, body, isPatch) = script.request()
            let reply = server.send(
                method, target, body,
                headers: isPatch ? Self.patchType : [("Prefer", "return=minimal")])
            #expect(
                reply.status < 300, "step \(step): \(method) \(target) \(body ?? ""): \(reply.text)"
            )
            let found = pages(server, "plays", "elements").map(\.int)
            #expect(found == script.model, "step \(step): \(method) \(target) \(body ?? "")")
            if found != script.model || reply.status >= 300 { break }
            if !script.model.isEmpty {
                let index = Int.random(in: script.model.indices, using: &script.random)
                let element = server.send("GET", Self.album + "/properties/plays/elements/\(index)")
                #expect(element.text == "{\"value\":\(script.text(script.model[index]))}")
            }
        }
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    // MARK: Sets, maps, links

    @Test("a set and a map edited by their elements equal a set and a dictionary")
    func setsAndMaps() throws {
        let server = try TestServer.overflow(.memory, Schemas.albums)
        server.send("PUT", Self.album, "{}")
        var random = SeededGenerator(seed: SeededGenerator.testSeed("set and map edits"))
        var tags: Set<String> = []
        var prices: [String: Int64] = [:]
        for step in 0..<SeededGenerator.scaled(250) {
            let name = "t\(Int.random(in: 0..<40, using: &random))"
            let shares = Bool.random(using: &random)
            let (property, isRemoval) = (
                shares ? "tags" : "prices", Int.random(in: 0..<3, using: &random) == 0
            )
            let elements = Self.album + "/properties/\(property)/elements"
            let quoted = "%22\(name)%22"
            let value = Int64.random(in: 0..<1000, using: &random)
            let reply: HTTPClient.Reply
            switch (shares, isRemoval) {
            case (true, true): reply = server.send("DELETE", elements + "?value=\(quoted)")
            case (true, false): reply = server.send("POST", elements, "\"\(name)\"")
            case (false, true): reply = server.send("DELETE", elements + "/\(name)")
            case (false, false): reply = server.send("PUT", elements + "/\(name)", "\(value)")
            }
            let wasThere = shares ? tags.contains(name) : prices[name] != nil
            #expect(
                isRemoval && !wasThere ? reply.status == 404 : reply.status < 300,
                "step \(step): \(reply.text)")
            if shares {
                if isRemoval { tags.remove(name) } else { tags.insert(name) }
            } else {
                prices[name] = isRemoval ? nil : value
            }
            let foundTags = pages(server, "tags", "elements").map(\.string)
            let foundPrices = pages(server, "prices", "entries")
            #expect(foundTags == tags.sorted(), "step \(step)")
            #expect(foundPrices.map { $0["key"]?.string } == prices.keys.sorted(), "step \(step)")
            #expect(
                foundPrices.map { $0["value"]?.int }
                    == prices.sorted { $0.key < $1.key }.map(\.value),
                "step \(step)")
        }
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    @Test(
        "links put into a list and taken out of it are seen by their targets, as often as they link"
    )
    func links() throws {
        let server = try TestServer.overflow(.memory, Schemas.albums)
        server.send("PUT", Self.album, "{}")
        server.send(
            "POST", "/v1/classes/Track/objects",
            "[" + (0..<6).map { "{\"id\":\($0)}" }.joined(separator: ",") + "]")
        var random = SeededGenerator(seed: SeededGenerator.testSeed("link edits"))
        var model: [Int64] = []
        let elements = Self.album + "/properties/tracks/elements"
        for step in 0..<SeededGenerator.scaled(120) {
            let id = Int64.random(in: 0..<6, using: &random)
            let reply: HTTPClient.Reply
            if model.count > 4, Int.random(in: 0..<3, using: &random) == 0 {
                let index = Int.random(in: model.indices, using: &random)
                model.remove(at: index)
                reply = server.send("DELETE", elements + "/\(index)")
            } else {
                let index = Int.random(in: 0...model.count, using: &random)
                model.insert(id, at: index)
                reply = server.send("POST", elements + "?at=\(index)", "\(id)")
            }
            #expect(reply.status < 300, "step \(step): \(reply.text)")
            let found = pages(server, "tracks", "objects").compactMap { $0["id"]?.int }
            #expect(found == model, "step \(step)")
            let count = model.count { $0 == id }
            let linked = server.send(
                "GET",
                target(
                    "/v1/classes/Track/objects",
                    [("filter", "id == \(id) AND albums.@count == \(count)")]))
            #expect(linked.ids == [id], "step \(step): \(linked.text)")
        }
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
        server.send("DELETE", "/v1/classes/Track/objects/3")
        let rest = pages(server, "tracks", "objects").compactMap { $0["id"]?.int }
        #expect(rest == model.filter { $0 != 3 })
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }

    // MARK: Size

    @Test("a long list made by import and appends is edited in the middle and paged anywhere")
    func million() throws {
        let server = try TestServer(.memory, schema: Schemas.albums)
        var model = (0..<Int64(SeededGenerator.scaled(100_000))).map { $0 }
        let imported = server.send(
            "POST", "/v1/classes/Album/import",
            "{\"id\":1,\"plays\":[\(model.map(String.init).joined(separator: ","))]}",
            headers: [("Content-Type", "application/x-ndjson")])
        #expect(imported.status == 200, "\(imported.text)")
        let elements = Self.album + "/properties/plays/elements"
        let middle = model.count / 2
        for number in 0..<20 {
            server.send(
                "POST", elements + "?at=\(middle + number)", "-1",
                headers: [("Prefer", "return=minimal")])
            server.send("POST", elements, "-2", headers: [("Prefer", "return=minimal")])
        }
        model.insert(contentsOf: repeatElement(-1, count: 20), at: middle)
        model += repeatElement(-2, count: 20)
        server.send(
            "PATCH", Self.album,
            "["
                + (0..<500).map { _ in #"{"op":"add","path":"/plays/\#(middle)","value":-3}"# }
                .joined(separator: ",") + "]", headers: Self.patchType)
        model.insert(contentsOf: repeatElement(-3, count: 500), at: middle)

        var found: [Int64] = []
        var cursor = ""
        repeat {
            let page = server.send(
                "GET",
                Self.album + "/properties/plays?limit=1000"
                    + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
            )
            found += page.json["elements"]?.elements.compactMap(\.int) ?? []
            cursor = page.next ?? ""
        } while !cursor.isEmpty
        #expect(found == model)
        for index in [0, middle - 1, middle, middle + 500, model.count - 1] {
            #expect(
                server.send("GET", elements + "/\(index)").text == "{\"value\":\(model[index])}")
        }
        #expect(server.send("GET", elements + "/\(model.count)").status == 404)
        #expect(server.send("GET", Self.album).text.contains(#""$omitted":["plays"]"#))
        #expect(try StoreCheck.run(server.store).findings.isEmpty)
    }
}
