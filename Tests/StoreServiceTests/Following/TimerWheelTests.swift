@testable import HoldfastStreams
import Testing

@testable import HoldfastStoreService

@Suite("What is due at some time")
struct TimerWheelTests {
    @Test("nothing comes out before its time, and all of it in the slot behind")
    func times() {
        var wheel = TimerWheel<Int>(slotMilliseconds: 10, now: 1000)
        for number in 0..<5 { wheel.add(number, at: 1020 + UInt64(number) * 10) }
        #expect(wheel.takeDue(1020, atMost: 10).isEmpty)
        #expect(wheel.takeDue(1030, atMost: 10) == [0])
        #expect(wheel.takeDue(1065, atMost: 10) == [1, 2, 3])
        #expect(wheel.takeDue(5000, atMost: 10) == [4])
        #expect(wheel.takeDue(9000, atMost: 10).isEmpty)
    }

    @Test(
        "what is due beyond the number that is taken is due afterwards, with what has come meanwhile"
    )
    func parts() {
        var wheel = TimerWheel<Int>(slotMilliseconds: 10, now: 1000)
        for number in 0..<7 { wheel.add(number, at: 1005) }
        for number in 7..<10 { wheel.add(number, at: 1015) }
        var parts: [[Int]] = []
        parts.append(wheel.takeDue(1020, atMost: 4))
        // It was due before.
        wheel.add(10, at: 1001)
        parts.append(wheel.takeDue(1020, atMost: 4))
        parts.append(wheel.takeDue(1021, atMost: 4))
        parts.append(wheel.takeDue(1021, atMost: 4))
        #expect(parts.map(\.count) == [4, 4, 3, 0])
        #expect(parts.joined().sorted() == Array(0...10))
    }

    @Test("everything is taken out at once at the end")
    func end() {
        var wheel = TimerWheel<Int>(slotMilliseconds: 10, now: 1000)
        for number in 0..<5 { wheel.add(number, at: 1000 * UInt64(number)) }
        #expect(wheel.takeAll().sorted() == [0, 1, 2, 3, 4])
        #expect(wheel.takeDue(9000, atMost: 10).isEmpty)
    }
}
