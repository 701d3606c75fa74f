import Foundation
import Holdfast
import Testing

@Suite("ObjectId")
struct ObjectIdTests {
    @Test("without an argument is zeros, and is read from 24 digits")
    func reads() throws {
        #expect(ObjectId().stringValue == String(repeating: "0", count: 24))
        let id = ObjectId("5F63e882536de46d71877979")
        #expect(id.description == "5f63e882536de46d71877979")
        #expect(try ObjectId(string: "5f63e882536de46d71877979") == id)
    }

    @Test("of another text is an error that names it")
    func refuses() async {
        for text in ["", "5f63", "zz63e882536de46d71877979", "5f63e882536de46d7187797900"] {
            let fault = #expect(throws: InvalidValueText.self) { try ObjectId(string: text) }
            #expect(
                fault?.description
                    == "Invalid Object ID string '\(text)': must be 24 hex digits")
        }
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ObjectId("x")
        }
        #expect(end.message.contains("Invalid Object ID string 'x': must be 24 hex digits"))
    }

    @Test("has the time, the machine and the process that it was made of")
    func parts() {
        let time = Date(timeIntervalSince1970: 1_600_000_000)
        let id = ObjectId(timestamp: time, machineId: 0x01_0203, processId: 0x0405)
        #expect(id.timestamp == time)
        #expect(id.stringValue.hasPrefix("5f5e10000102030405"))
        #expect(ObjectId(timestamp: time, machineId: 0x01_0203, processId: 0x0405) != id)
    }

    @Test(
        "is generated with the present time, and each is greater than those before, on any thread")
    func generates() async {
        let before = Date(timeIntervalSinceNow: -1)
        let first = ObjectId.generate()
        #expect(first.timestamp >= before)
        let lists = await withTaskGroup(of: [ObjectId].self) { group in
            for _ in 0..<4 {
                group.addTask { (0..<20_000).map { _ in ObjectId.generate() } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for list in lists { #expect(zip(list, list.dropFirst()).allSatisfy { $0 < $1 }) }
        #expect(Set(lists.joined()).count == 80_000)
        #expect(lists.joined().allSatisfy { first < $0 && $0 < ObjectId.generate() })
    }

    @Test("is ordered by its bytes")
    func order() {
        let (low, high) = (
            ObjectId("000000010000000000000000"), ObjectId("ff0000000000000000000000")
        )
        #expect(low < high && !(high < low) && [high, low].min() == low)
        #expect(Set([low, low, high]).count == 2)
    }

    @Test("is encoded as its digits")
    func coding() throws {
        let id = ObjectId("5f63e882536de46d71877979")
        let data = try JSONEncoder().encode([id])
        #expect(String(decoding: data, as: UTF8.self) == #"["5f63e882536de46d71877979"]"#)
        #expect(try JSONDecoder().decode([ObjectId].self, from: data) == [id])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ObjectId].self, from: Data(#"["5f"]"#.utf8))
        }
    }
}
