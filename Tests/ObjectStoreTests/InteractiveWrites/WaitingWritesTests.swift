import HoldfastObjectSupport
import Testing

@testable import HoldfastObjectStore

@Suite("The order of writes and turns that wait")
struct WaitingWritesTests {
    private static func write() -> AwaitedWrite { AwaitedWrite { _ in } }
    private static func turn() -> QueuedInteractiveWrite { QueuedInteractiveWrite() }

    private static func isSame(
        _ found: [any PendingWrite], _ expected: [AwaitedWrite]
    ) -> Bool {
        found.map { ObjectIdentifier($0) } == expected.map { ObjectIdentifier($0) }
    }

    @Test("a group ends before a turn, and a turn begins when the writes before it are taken")
    func order() {
        let writes = (0..<5).map { _ in Self.write() }
        let turns = [Self.turn(), Self.turn()]
        var waiting = WaitingWrites()
        waiting.append(writes[0], at: 1)
        waiting.append(writes[1], at: 1)
        waiting.append(turns[0])
        waiting.append(turns[1])
        for write in writes[2...] { waiting.append(write, at: 2) }
        #expect(waiting.takeTurn() == nil)
        #expect(Self.isSame(waiting.takeGroup(countMax: 1), [writes[0]]))
        #expect(waiting.takeTurn() == nil)
        #expect(Self.isSame(waiting.takeGroup(countMax: 9), [writes[1]]))
        #expect(waiting.takeTurn() === turns[0])
        #expect(waiting.takeGroup(countMax: 9).isEmpty)
        #expect(waiting.takeTurn() === turns[1])
        #expect(Self.isSame(waiting.takeGroup(countMax: 2), Array(writes[2...3])))
        #expect(waiting.count == 1 && !waiting.isEmpty)
        #expect(Self.isSame(waiting.takeGroup(countMax: 2), [writes[4]]))
        #expect(waiting.isEmpty)
    }

    @Test("writes that came by some time are taken from either side of a turn, which stays")
    func overdue() {
        let writes = (0..<4).map { _ in Self.write() }
        let turn = Self.turn()
        var waiting = WaitingWrites()
        waiting.append(writes[0], at: 10)
        waiting.append(turn)
        for (write, time) in zip(writes[1...], [11, 12, 13] as [UInt64]) {
            waiting.append(write, at: time)
        }
        #expect(waiting.takeWrites(until: 9).isEmpty)
        #expect(waiting.firstArrival == 10)
        #expect(Self.isSame(waiting.takeWrites(until: 12), Array(writes[...2])))
        #expect(waiting.firstArrival == 13)
        #expect(waiting.takeTurn() === turn)
        #expect(Self.isSame(waiting.takeWrites(until: 13), [writes[3]]))
        #expect(waiting.firstArrival == nil && waiting.isEmpty)
    }
}
