import Testing

@testable import HoldfastRESTAPI

/// The release of memory of closed connections.
@Suite("Closed connections")
struct ClosedConnectionsTests {
    @Test("are told of once for each thousand that are fewer than there were")
    func counts() {
        var closed = ClosedConnections()
        let counts = [10, 5000, 4500, 4001, 4000, 4000, 3001, 2900, 3100, 2101, 3101, 10]
        let told = counts.filter { closed.note(openCount: $0) }
        #expect(told == [4000, 2900, 10])
    }
}
