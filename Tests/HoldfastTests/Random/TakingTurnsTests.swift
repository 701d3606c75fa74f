import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

@Suite("Taking turns")
struct TakingTurnsTests {
    private static let program = ChildProcess.path(ofProduct: "holdfast")

    @Test("a service and a program on one store see what the other wrote")
    func taking() throws {
        let seed = SeededGenerator.testSeed("TakingTurnsTests")
        let directory = TemporaryDirectory()
        let path = directory.path + "/shared.realm"
        var model = PlainStore()
        for round in 0..<SeededGenerator.scaled(3) {
            model = try write(path, model, seed: seed &+ UInt64(round))
            try serve(path, &model, seed: seed &+ UInt64(round))
            let check = ChildProcess(Self.program, ["check", "--data", path])
            var lines: [String] = []
            while let line = check.readLine() { lines.append(line) }
            #expect(check.wait() == 0, "\(lines)")
        }
    }

    /// Runs a random program on the store, from what the service has left.
    private func write(_ path: String, _ model: PlainStore, seed: UInt64) throws -> PlainStore {
        let configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: path), objectTypes: [Item.self, Part.self])
        var program = RandomProgram(try Realm(configuration: configuration), seed: seed)
        program.model = model
        try program.compare()
        var count = 0
        while count < 150 { count += try program.runTransaction() }
        try program.compare()
        return program.model
    }

    // MARK: Over HTTP

    /// Compares what the service says, and changes, creates and deletes objects.
    private func serve(_ path: String, _ model: inout PlainStore, seed: UInt64) throws {
        let service = ChildProcess(
            Self.program, ["serve", "--data", path, "--listen", "127.0.0.1:0"])
        defer {
            service.kill(SIGTERM)
            service.wait()
        }
        let line = try #require(service.readLine())
        let port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) }, "\(line)")
        let client = HTTPClient(port: port)
        try compare(client, model)

        var generator = SeededGenerator(seed: seed)
        for id in model.order.shuffled(using: &generator).prefix(6) {
            let number = Int.random(in: 0..<9, using: &generator)
            let reply = client.send(
                "PATCH", "/v1/classes/Item/objects/\(id)",
                headers: [("Content-Type", "application/json")],
                body: Array(#"{"number":\#(number),"tags":["s"],"part":{"text":"s"}}"#.utf8))
            #expect(reply.status == 200, "\(reply.text)")
            model[id].number = number
            model[id].tags = ["s"]
            // A merge patch keeps what it does not name.
            var part = model[id].part ?? PlainPart("s")
            part.text = "s"
            model[id].part = part
        }
        if let first = model.order.first {
            #expect(client.send("DELETE", "/v1/classes/Item/objects/\(first)").status == 204)
            model.delete(first)
        }
        let new = 100 + Int(seed % 1000)
        let links = model.order.prefix(2)
        let reply = client.send(
            "PUT", "/v1/classes/Item/objects/\(new)",
            headers: [("Content-Type", "application/json")],
            body: Array(
                #"{"name":"c","links":[\#(links.map(String.init).joined(separator: ","))]}"#.utf8))
        #expect(reply.status == 201, "\(reply.text)")
        model[new].name = "c"
        model[new].links = Array(links)
        try compare(client, model)
    }

    private func compare(_ client: HTTPClient, _ model: PlainStore) throws {
        for id in model.order {
            let reply = client.send("GET", "/v1/classes/Item/objects/\(id)")
            let object = try #require(
                try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any],
                "\(reply.text)")
            let item = model[id]
            #expect(object["name"] as? String == item.name)
            #expect(object["number"] as? Int == item.number)
            #expect(object["link"] as? Int == item.link)
            #expect(object["numbers"] as? [Int] == item.numbers)
            #expect(object["links"] as? [Int] == item.links)
            #expect((object["tags"] as? [String]).map(Set.init) == item.tags)
            #expect(
                (object["parts"] as? [[String: Any]])?.map { $0["text"] as? String }
                    == item.parts.map(\.text))
            #expect((object["marks"] as? [String: Any])?.mapValues { $0 as? Int } == item.marks)
            #expect((object["peers"] as? [String: Any])?.mapValues { $0 as? Int } == item.peers)
        }
    }
}
