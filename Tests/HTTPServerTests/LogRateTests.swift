import HoldfastHTTPServer
import Testing

@Suite("The rate of a log")
struct LogRateTests {
    @Test("some lines a second are written, with the number of lines that were left out")
    func pass() {
        let rate = LogRate(perSecond: 2)
        let milliseconds: [UInt64] = [5000, 5001, 5002, 5400, 5500, 5501, 6500, 6501, 9000]
        let passed = milliseconds.map { rate.pass(at: $0 * 1_000_000) }
        #expect(passed == [0, 0, nil, nil, 2, nil, 1, 0, 0])
    }
}
