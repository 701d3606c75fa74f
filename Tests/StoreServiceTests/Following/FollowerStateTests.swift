@testable import HoldfastStreams
import HoldfastTestSupport
import Testing

@testable import HoldfastStoreService

@Suite("The way of a follower to the present")
struct FollowerStateTests {
    /// What is missed is a number of pieces here.
    private typealias State = FollowerState<Int>

    /// A word for the phase.
    private static func phase(_ state: State) -> String {
        switch state.phase {
        case .snapshot(let place): "snapshot \(place?.classNumber ?? 0).\(place?.key ?? 0)"
        case .catchingUp: "catching up"
        case .missed(let pieces): "missed \(pieces)"
        case .live: "live"
        }
    }

    @Test("one that begins at the present owes nothing")
    func now() {
        var state = State()
        state.begin(at: 7)
        #expect(state.version == 7 && !state.needsUpToDate)
        state.goLive()
        #expect(Self.phase(state) == "live")
    }

    @Test("one that resumes with nothing missed is told that it is at the present")
    func resume() {
        var state = State()
        state.advance(through: 5)
        #expect(Self.phase(state) == "catching up" && state.version == 5 && state.needsUpToDate)
        state.tellUpToDate()
        state.goLive()
        #expect(!state.needsUpToDate && state.version == 5)
    }

    @Test("a snapshot begins at one version, whatever was written between its pieces")
    func snapshot() {
        var state = State()
        state.reset(.start)
        state.beginSnapshot(at: 10)
        state.tellSnapshot(next: .init(classNumber: 2, key: 40))
        #expect(Self.phase(state) == "snapshot 2.40")
        state.beginSnapshot(at: 11)
        #expect(state.version == 10)
        state.tellSnapshot(next: nil)
        #expect(Self.phase(state) == "catching up" && state.version == 10)
        // Another one begins at a version of its own.
        state.reset(.start)
        #expect(Self.phase(state) == "snapshot 0.0")
        state.beginSnapshot(at: 12)
        #expect(state.version == 12)
    }

    @Test("what was missed moves the version once all of it is told")
    func missed() {
        var state = State()
        state.advance(through: 5)
        state.tellUpToDate()
        state.find(2)
        state.requireUpToDate()
        state.tellMissed(rest: 1, through: 9)
        #expect(Self.phase(state) == "missed 1" && state.version == 5 && state.needsUpToDate)
        state.tellMissed(rest: nil, through: 9)
        #expect(Self.phase(state) == "catching up" && state.version == 9)
        // It may hold what was gone when the rest was told.
        #expect(state.exactVersion == 5)
        state.goLive()
        #expect(state.exactVersion == 9)
    }

    @Test(
        "one that the feed can't tell by itself goes back to a worker, and is counted until it is live"
    )
    func late() {
        var state = State()
        state.advance(through: 5)
        state.find(3)
        state.arriveLate()
        #expect(Self.phase(state) == "catching up" && state.version == 5)
        state.arriveLate()
        #expect(state.lateArrivalCount == 2)
        state.goLive()
        #expect(state.lateArrivalCount == 0)
        // A snapshot is not lost by that.
        state.reset(.start)
        state.beginSnapshot(at: 8)
        state.tellSnapshot(next: .init(classNumber: 1, key: 3))
        state.lookUpAgain()
        #expect(Self.phase(state) == "snapshot 1.3")
    }

    @Test(
        "one that is overrun knows what it knew, and owes the end of a part that it was told",
        arguments: [false, true])
    func fallBehind(isToldInPart: Bool) {
        var state = State()
        state.begin(at: 5)
        state.goLive()
        state.advance(through: 6)
        state.fallBehind(isToldInPart: isToldInPart)
        #expect(Self.phase(state) == "catching up" && state.version == 6)
        #expect(state.needsUpToDate == isToldInPart)
    }

    @Test("whatever happens, the version is that of what was told whole, and live ones owe nothing")
    func random() {
        let seed = SeededGenerator.testSeed("follower states")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(300) {
            var state = State()
            var (present, told) = (UInt64(1), UInt64(0))
            if Bool.random(using: &random) {
                state.reset(.start)
            } else {
                state.advance(through: 0)
            }
            for step in 0..<60 {
                if Bool.random(using: &random) { present += 1 }
                switch state.phase {
                case .snapshot:
                    state.beginSnapshot(at: present)
                    let isLast = Int.random(in: 0..<3, using: &random) == 0
                    let next = StreamCursor.SnapshotPosition(classNumber: 1, key: UInt64(step))
                    state.tellSnapshot(next: isLast ? nil : next)
                    if isLast { told = state.version }
                case .catchingUp:
                    if state.version < present {
                        state.find(Int.random(in: 1...3, using: &random))
                    } else {
                        if state.needsUpToDate { state.tellUpToDate() }
                        state.goLive()
                    }
                case .missed(let pieces):
                    state.requireUpToDate()
                    state.tellMissed(rest: pieces > 1 ? pieces - 1 : nil, through: present)
                    if pieces == 1 { told = present }
                    if Int.random(in: 0..<8, using: &random) == 0 { state.arriveLate() }
                case .live:
                    #expect(!state.needsUpToDate, "seed \(seed)")
                    switch Int.random(in: 0..<4, using: &random) {
                    case 0: state.fallBehind(isToldInPart: Bool.random(using: &random))
                    case 1: state.reset(.start)
                    default:
                        state.advance(through: present)
                        told = present
                    }
                }
                if case .snapshot = state.phase { continue }
                #expect(state.version == told, "step \(step), seed \(seed)")
            }
        }
    }
}
