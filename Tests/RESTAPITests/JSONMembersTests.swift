import Testing

@testable import ObjectJSON
@testable import RESTAPI

@Suite("Members of a JSON object that is patched")
struct JSONMembersTests {
    private func text(_ members: JSONMembers) -> [String] {
        members.all.map { member in
            guard case .plain(let value) = member.value.content else { return "?" }
            return String(decoding: member.name, as: UTF8.self) + "="
                + String(decoding: value, as: UTF8.self)
        }
    }

    private func node(_ value: Int) -> JSONNode { JSONNode(.plain(Array("\(value)".utf8))) }

    @Test(
        "they are found, set and removed as in a plain list, however many there are",
        arguments: [1, 2, 3])
    func model(seed: UInt64) {
        var state = seed
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        let members = JSONMembers([])
        var model: [(name: String, value: Int)] = []
        for step in 0..<4000 {
            // The number of names grows and shrinks again.
            let name = "n\(random(1 + abs(step % 400 - 200)))"
            let place = model.firstIndex { $0.name == name }
            if random(2) == 0 {
                members.set(Array(name.utf8), node(step))
                if let place { model[place].value = step } else { model.append((name, step)) }
            } else {
                members.remove(Array(name.utf8))
                if let place { model.remove(at: place) }
            }
            #expect(members.count == model.count)
            let other = "n\(random(200))"
            #expect(
                (members[Array(other.utf8)] == nil) == !model.contains { $0.name == other },
                "seed \(seed), step \(step)")
            if step % 50 == 0 {
                #expect(
                    text(members) == model.map { "\($0.name)=\($0.value)" },
                    "seed \(seed), step \(step)")
            }
        }
    }
}
