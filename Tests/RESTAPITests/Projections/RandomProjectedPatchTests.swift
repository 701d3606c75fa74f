import HoldfastServiceSupport
import HoldfastTestSupport
import Testing

@Suite("Random JSON patches through a projection")
struct RandomProjectedPatchTests {
    /// What the projection shows, as plain values.
    private struct Shown: Equatable {
        var texts: [String: String]
        var lists: [String: [String]]

        init(_ json: QueryJSON) {
            texts = [:]
            lists = [:]
            for name in json.names {
                if let text = json[name]?.string { texts[name] = text }
                if case .array(let elements)? = json[name] {
                    lists[name] = elements.compactMap(\.string)
                }
            }
        }
    }

    /// An operation as JSON, which changes a model; false when it can't be done.
    private static func operation(
        _ shown: inout Shown, _ random: inout SeededGenerator
    ) -> (json: String, isDone: Bool) {
        let value = "v\(Int.random(in: 0..<5, using: &random))"
        if Bool.random(using: &random) {
            let name =
                ["first", "city", "bossFirst", "bossCity"].randomElement(using: &random) ?? ""
            guard Int.random(in: 0..<4, using: &random) == 0 else {
                shown.texts[name] = value
                let verb = Bool.random(using: &random) ? "add" : "replace"
                return (#"{"op":"\#(verb)","path":"/\#(name)","value":"\#(value)"}"#, true)
            }
            let isTrue = Int.random(in: 0..<8, using: &random) > 0
            let tested = isTrue ? shown.texts[name] ?? "" : "other"
            return (#"{"op":"test","path":"/\#(name)","value":"\#(tested)"}"#, isTrue)
        }
        let name = ["tags", "lines", "bossTags"].randomElement(using: &random) ?? ""
        var list = shown.lists[name] ?? []
        defer { shown.lists[name] = list }
        let index = Int.random(
            in: 0...(list.count + (Int.random(in: 0..<8, using: &random) / 7)), using: &random)
        let path = "/\(name)/\(index)"
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            list.append(value)
            return (#"{"op":"add","path":"/\#(name)/-","value":"\#(value)"}"#, true)
        case 1:
            let isDone = index <= list.count
            if isDone { list.insert(value, at: index) }
            return (#"{"op":"add","path":"\#(path)","value":"\#(value)"}"#, isDone)
        case 2:
            let isDone = index < list.count
            if isDone { list.remove(at: index) }
            return (#"{"op":"remove","path":"\#(path)"}"#, isDone)
        case 3:
            let isDone = index < list.count
            if isDone { list[index] = value }
            return (#"{"op":"replace","path":"\#(path)","value":"\#(value)"}"#, isDone)
        case 4:
            let isDone = index < list.count
            if isDone { list.insert(list.remove(at: index), at: 0) }
            return (#"{"op":"move","from":"\#(path)","path":"/\#(name)/0"}"#, isDone)
        default:
            list = list.count > 6 ? [] : [value, value]
            let text = list.map { "\"\($0)\"" }.joined(separator: ",")
            return (#"{"op":"replace","path":"/\#(name)","value":[\#(text)]}"#, true)
        }
    }

    @Test("do to each object what they do to the document that the projection shows")
    func patches() throws {
        let server = try Projections.server()
        Projections.people(server)
        APIScenario(
            "PUT", "/v1/projections/Mix",
            #"{"class":"Person","properties":{"first":"firstName","city":"home.city","tags":"tags","#
                + #""lines":"home.lines","bossFirst":"boss.firstName","bossCity":"boss.home.city","#
                + #""bossTags":"boss.tags"}}"#, status: 201
        ).check(on: server)
        server.send("PATCH", "/v1/classes/Person/objects/1", #"{"tags":["a"]}"#)
        let target = "/v1/projections/Mix/objects/1"
        var random = SeededGenerator(seed: SeededGenerator.testSeed("projected patches"))
        var refusedCount = 0
        for round in 0..<SeededGenerator.scaled(300) {
            let before = Shown(server.send("GET", target).json)
            var after = before
            var operations: [String] = []
            var isDone = true
            for _ in 0..<Int.random(in: 1...8, using: &random) where isDone {
                let (json, isPossible) = Self.operation(&after, &random)
                operations.append(json)
                isDone = isPossible
            }
            let reply = server.send(
                "PATCH", target, "[\(operations.joined(separator: ","))]",
                headers: [("Content-Type", "application/json-patch+json")])
            let text = "round \(round): \(operations) \(reply.text)"
            #expect((reply.status == 200) == isDone, "\(text)")
            if isDone { #expect(Shown(reply.json) == after, "\(text)") }
            if !isDone {
                refusedCount += 1
                #expect(
                    reply.text.contains("\"pointer\":\"/\(operations.count - 1)/"), "\(text)")
            }
            #expect(Shown(server.send("GET", target).json) == (isDone ? after : before))
        }
        #expect(refusedCount > 0)
    }
}
