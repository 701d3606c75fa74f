import Testing

@testable import HoldfastRESTAPI

@Suite("Names of this machine")
struct LoopbackTests {
    @Test(
        "loopback is what only this machine reaches",
        arguments: [
            ("localhost", true), ("LOCALHOST", true), ("a.localhost", true), ("127.0.0.1", true),
            ("127.9.8.7", true), ("::1", true), ("127.0.0.1.evil.example", false), ("127.1", false),
            ("0.0.0.0", false), ("10.0.0.1", false), ("evil.example", false),
            ("localhost.evil.example", false),
            ("127.0.0.256", false), ("", false),
        ])
    func loopback(name: String, isLoopback: Bool) {
        #expect(AccessPolicy.isLoopback(name) == isLoopback)
    }
}
