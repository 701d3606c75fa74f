@testable import HoldfastStreams
@testable import HoldfastAccess
import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("The cursors of streams")
struct StreamCursorTests {
    private static let key = [UInt8](repeating: 7, count: 32)
    private static let version = StoreVersion(epoch: 12, number: 34)
    private static let part = StreamCursor.ChangePart(
        after: 36, through: 40, knownCount: 123_456, reachedKey: 987_654_321)

    @Test("end with the SipHash-2-4 of the position by the name of the view")
    func tag() {
        // The first vector of the paper: no bytes, by the key 00 01 … 0f; 0x726fdb47dd0e0e31, its last digit first.
        let mark = String(decoding: [UInt8](0..<16), as: UTF8.self)
        #expect(ViewTag.text(of: "", in: mark) == "hh3sgev8rur47")
    }

    @Test("what a user's cursor counts of hidden objects is sealed, and theirs alone")
    func sealed() throws {
        let seal = try #require(Seal(ofChangePartsBy: Self.key))
        let cursor = StreamCursor.within(Self.version, Self.part)
        let text = cursor.text(of: "abc", seal)
        #expect(!text.contains("123456") && !text.contains("987654321"))
        #expect(text != cursor.text(of: "abc", seal))
        #expect(StreamCursor(text, of: "abc", seal) == cursor)
        #expect(StreamCursor(text, of: "abd", seal) == .otherView)
        #expect(StreamCursor(text, of: "", seal) == .otherView)
        #expect(StreamCursor(text, of: "abc", Seal(ofChangePartsBy: [1])) == nil)
        #expect(
            StreamCursor(text.replacing("-34.", with: "-33."), of: "abc", seal) == .otherView)
        #expect(StreamCursor(cursor.text + "_abc", of: "abc", seal) == nil)
        #expect(StreamCursor(cursor.text, of: "abc", seal) == .otherView)
        #expect(StreamCursor(cursor.text, of: "", nil) == cursor)
        var random = SeededGenerator(seed: SeededGenerator.testSeed("sealed cursors"))
        let bytes = Array(text.utf8)
        for _ in 0..<SeededGenerator.scaled(200) {
            var changed = bytes
            let place = Int.random(in: 0..<(bytes.count - 4), using: &random)
            changed[place] = UInt8.random(in: 33..<127, using: &random)
            if changed == bytes { continue }
            let read = StreamCursor(String(decoding: changed, as: UTF8.self), of: "abc", seal)
            #expect(read == nil || read == .otherView)
        }
    }

    @Test(
        "cursors are read as they were written",
        arguments: [
            StreamCursor.now, .start, .after(StoreVersion(epoch: 12, number: 34)),
            .within(
                StoreVersion(epoch: 12, number: 34),
                StreamCursor.ChangePart(after: 34, through: 40, knownCount: 2, reachedKey: 7)),
            .within(
                StoreVersion(epoch: 12, number: 34), StreamCursor.ChangePart(behind: 36)),
            .snapshot(
                StoreVersion(epoch: 12, number: 34),
                StreamCursor.SnapshotPosition(classNumber: 3, key: 9)),
        ])
    func plain(cursor: StreamCursor) {
        let seal = Seal(ofChangePartsBy: Self.key)
        for mark in ["", "k3"] {
            #expect(StreamCursor(cursor.text(of: mark, seal), of: mark, seal) == cursor)
        }
    }
}
