import Glibc
import HoldfastObjectJSON
import HoldfastServiceSupport
import HoldfastThreads
import Synchronization
import Testing

@testable import HoldfastIdentity

/// When keys are read, and which hold meanwhile.
@Suite("The keys of an issuer")
struct SigningKeysTests {
    /// A place with a document that changes, or is silent.
    private final class Place: Sendable {
        let document = Mutex<String?>(nil)
        let count = Atomic<Int>(0)

        func keys(_ times: SigningKeys.Times = SigningKeys.Times()) -> SigningKeys {
            SigningKeys(
                allowsSecrets: false, times: times,
                source: { [self] () throws(SigningKeyFailure) in
                    count.add(1, ordering: .relaxed)
                    guard let text = document.withLock({ $0 }) else {
                        throw SigningKeyFailure("silent")
                    }
                    return Array(text.utf8)
                }, report: { _ in })
        }
    }

    private static func code(_ tokens: WebTokens, _ token: String) -> String? {
        Array(token.utf8).withUnsafeBytes { bytes in
            do throws(RequestFault) {
                _ = try tokens.verified(bytes, at: 1_800_000_000)
                return nil
            } catch {
                return error.code
            }
        }
    }

    private static func tokens(_ keys: SigningKeys) -> WebTokens {
        WebTokens(keys: keys, issuer: "https://id.example", audience: "tasks")
    }

    @Test("an unknown key has them read again once a minute, however often it is asked for")
    func unknown() throws {
        let old = SampleSigner(curve: .p256)
        let place = Place()
        place.document.withLock { $0 = old.jwk(#""kid":"one""#) }
        var times = SigningKeys.Times()
        let keys = place.keys(times)
        try keys.read()
        keys.start()
        defer { keys.stop() }
        let tokens = Self.tokens(keys)
        let strange = old.token("ES256", WebTokenTests.body(), kid: "strange")
        for _ in 0..<1000 { #expect(Self.code(tokens, strange) == "token-invalid") }
        usleep(50_000)
        #expect(place.count.load(ordering: .relaxed) == 1)

        // Where the last reading is long enough ago they are read, once.
        times.least = 100
        let eager = place.keys(times)
        try eager.read()
        eager.start()
        defer { eager.stop() }
        let new = SampleSigner(curve: .p256)
        place.document.withLock { $0 = new.jwk(#""kid":"new""#) }
        let others = Self.tokens(eager)
        usleep(150_000)
        let token = new.token("ES256", WebTokenTests.body(), kid: "new")
        #expect(Self.code(others, token) == "token-invalid")
        for _ in 0..<30_000 where Self.code(others, token) != nil { usleep(1000) }
        #expect(Self.code(others, token) == nil)
        #expect(place.count.load(ordering: .relaxed) == 3)
        // A key that was taken away signs nothing any more.
        #expect(Self.code(others, old.token("ES256", WebTokenTests.body())) == "token-invalid")
    }

    @Test(
        "they are read again by themselves, and the last ones hold while the place is silent or wrong"
    )
    func silence() throws {
        let signer = SampleSigner(curve: .p256)
        let place = Place()
        place.document.withLock { $0 = signer.jwk(#""kid":"one""#) }
        var times = SigningKeys.Times()
        times.regular = 20
        times.least = 20
        let keys = place.keys(times)
        try keys.read()
        keys.start()
        defer { keys.stop() }
        let tokens = Self.tokens(keys)
        let token = signer.token("ES256", WebTokenTests.body())
        for document in [nil, "{}", "no JSON"] {
            place.document.withLock { $0 = document }
            let before = place.count.load(ordering: .relaxed)
            for _ in 0..<30_000 where place.count.load(ordering: .relaxed) < before + 2 {
                usleep(1000)
            }
            #expect(place.count.load(ordering: .relaxed) >= before + 2)
            #expect(Self.code(tokens, token) == nil)
        }
        #expect(keys.revision == 1)
    }

    @Test("as long as none could be read tokens are answered with 'later'")
    func none() {
        let place = Place()
        let tokens = Self.tokens(place.keys())
        let token = SampleSigner(curve: .p256).token("ES256", WebTokenTests.body())
        #expect(Self.code(tokens, token) == "keys-unavailable")
    }
}
