import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastTestSupport
import HoldfastThreads
import Testing

@testable import HoldfastRESTAPI

/// How often clients may ask.
@Suite("The rate of requests")
struct RequestRateTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("is so many requests a second, and as many at once, for each client by itself")
    func count() {
        let rate = Rate<ClientKey>(10)
        let (ann, eve) = (ClientKey(token: 1), ClientKey(address: "192.0.2.1:5"))
        let start = 5 * Self.second
        var taken = 0
        for _ in 0..<100 where rate.take(ann, at: start) { taken += 1 }
        #expect(taken == 10)
        #expect(rate.take(eve, at: start))
        // A tenth of a second later there is room for one.
        #expect(rate.take(ann, at: start + Self.second / 10))
        #expect(!rate.take(ann, at: start + Self.second / 10))
        taken = 0
        for step in 0..<1000
        where rate.take(ann, at: start + UInt64(step) * Self.second / 100) {
            taken += 1
        }
        // Ten seconds of ten, beside what was there at the beginning.
        #expect((98...101).contains(taken))
    }

    @Test("clients who ask no more are forgotten")
    func memory() {
        let rate = Rate<ClientKey>(10)
        for number in 1...100_000 {
            let now = UInt64(number) * Self.second / 1000
            #expect(rate.take(ClientKey(token: UInt64(number)), at: now))
        }
        #expect(rate.keyCount <= 1025)
    }

    @Test("counts for each token, without one for each address, and never for health")
    func service() throws {
        let server = try GuardedServer(withTokens: true) { $0.requestRateMax = 3 }
        func statuses(_ count: Int, _ target: String, _ headers: [(String, String)]) -> [Int] {
            (0..<count).map { _ in server.send("GET", target, headers).status }
        }
        let read = statuses(20, "/v1/me", [server.authorization(.read)])
        #expect(read.prefix(3) == [200, 200, 200] && read.contains(429))
        let refused = server.send("GET", "/v1", [server.authorization(.read)])
        if refused.status == 429 {
            #expect(refused.headers["retry-after"] == "1")
            #expect(refused.text.contains("too-many-requests"))
        }
        #expect(server.send("GET", "/v1/me", [server.authorization(.admin)]).status == 200)
        // Whoever guesses tokens is nobody.
        let guessed = statuses(20, "/v1", [("Authorization", "Bearer hf_wrong")])
        #expect(guessed.first == 401 && guessed.contains(429))
        #expect(statuses(20, "/health/live", []) == [Int](repeating: 200, count: 20))
    }
}
