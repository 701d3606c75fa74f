import HoldfastHTTPServer
import Testing

@Suite("The pace of a log")
struct LogPaceTests {
    @Test("lets some lines a second through, and tells how many it left out")
    func pass() {
        let pace = LogPace(perSecond: 2)
        let passed = [0, 1, 2, 999, 1000, 1001, 1002, 3000].map { pace.pass(at: $0) }
        #expect(passed == [0, 0, nil, nil, 2, 0, nil, 1])
    }
}
