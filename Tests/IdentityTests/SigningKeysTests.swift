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

    @Test("before the first keys, readings come at growing intervals")
    func late() throws {
        let signer = SampleSigner(curve: .p256)
        let place = Place()
        var times = SigningKeys.Times()
        times.first = 10
        let keys = place.keys(times)
        #expect(throws: SigningKeyFailure.self) { try keys.read() }
        #expect(keys.retrySeconds == 1)
        keys.start()
        defer { keys.stop() }
        let tokens = Self.tokens(keys)
        let token = signer.token("ES256", WebTokenTests.body())
        #expect(Self.code(tokens, token) == "keys-unavailable")
        for _ in 0..<30_000 where place.count.load(ordering: .relaxed) < 4 { usleep(1000) }
        place.document.withLock { $0 = signer.jwk(#""kid":"one""#) }
        // No token asks for them: the thread reads them by itself.
        for _ in 0..<30_000 where keys.revision == 0 { usleep(1000) }
        #expect(Self.code(tokens, token) == nil)
    }

    @Test(
        "another document than a JWK set is refused with the form that is wanted",
        arguments: [
            ("-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----\n", "they are PEM"),
            ("a-secret-of-some-product-that-is-long-enough", "A secret is a JWK in a file"),
            (
                #"{"keys":[{"kty":"oct","k":"c2hvcnQ","kid":"s"}]}"#,
                "'s' is no secret of at least 32"
            ),
            (#"{"kty":"oct","alg":"HS512","k":"c2hvcnQ"}"#, "HS512; secrets are for HS256 only"),
            (
                #"{"issuer":"https://x","jwks_uri":"https://x/k"}"#,
                "'jwks_uri' instead, https://x/k"
            ),
            (#"{"one":"-----BEGIN CERTIFICATE-----"}"#, "no member 'keys'"),
            (#"{"keys":[]}"#, "there is no key for"),
            (#"{"kty":"RSA","n":"AQAB","e":"AQAB"}"#, "at least 2048 bits"),
            ("[1]", "the keys are a JWK set"),
        ])
    func otherForms(document: String, message: String) {
        let error = #expect(throws: SigningKeyFailure.self) {
            _ = try SigningKeySet(Array(document.utf8), allowsSecrets: true)
        }
        #expect(error?.description.contains(message) == true, "\(String(describing: error))")
    }

    @Test("a secret behind a URL is refused with the reason")
    func secretBehindURL() {
        let error = #expect(throws: SigningKeyFailure.self) {
            _ = try SigningKeySet(Array(#"{"kty":"oct","k":"c2hvcnQ"}"#.utf8), allowsSecrets: false)
        }
        #expect(error?.description.contains("from a file, not from a URL") == true)
    }
}
