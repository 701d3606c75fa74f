import HoldfastObjectJSON
import HoldfastServiceSupport
import Synchronization
import Testing

@testable import HoldfastIdentity

/// What JSON Web Tokens are taken, and which attempts are not.
@Suite("JSON Web Tokens")
struct WebTokenTests {
    private static let rsa = SampleSigner(rsaBitCount: 2048)
    private static let curve = SampleSigner(curve: .p256)
    private static let secret = SampleSigner(secret: Array("0123456789abcdef0123456789abcdef".utf8))
    private static let now: Int64 = 1_800_000_000

    /// The body of a good token, with other or further members.
    static func body(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "iss": #""https://id.example""#, "aud": #""tasks""#, "sub": #""ann""#,
            "exp": "1800000300",
        ]
        for (name, value) in changes { members[name] = value }
        return "{"
            + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }
            .joined(separator: ",") + "}"
    }

    private static func tokens(
        _ keys: [String], allowsSecrets: Bool = false
    ) throws -> WebTokens {
        let document = Array("{\"keys\":[\(keys.joined(separator: ","))]}".utf8)
        let keys = SigningKeys(allowsSecrets: allowsSecrets, source: { document }, report: { _ in })
        try keys.read()
        return WebTokens(keys: keys, issuer: "https://id.example", audience: "tasks")
    }

    private static func verify(
        _ tokens: WebTokens, _ token: String, at now: Int64 = now
    ) throws(RequestFault) -> WebToken {
        let bytes = Array(token.utf8)
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(RequestFault) in try tokens.verified(bytes, at: now).token }
        }
        return try result.get()
    }

    /// What the refusal of a token says; nil when it is taken.
    private static func refusal(
        _ tokens: WebTokens, _ token: String, at now: Int64 = now
    ) -> String? {
        do throws(RequestFault) {
            _ = try verify(tokens, token, at: now)
            return nil
        } catch {
            #expect(error.code == "token-invalid" && error.kind == .unauthenticated)
            return error.detail
        }
    }

    @Test(
        "a key for each algorithm verifies its signatures and no other's",
        arguments: ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
    func algorithms(algorithm: String) throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one","alg":"\#(algorithm)""#)])
        for other in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
            let refusal = Self.refusal(tokens, Self.rsa.token(other, Self.body()))
            #expect((refusal == nil) == (other == algorithm), "\(other): \(refusal ?? "taken")")
        }
    }

    @Test("a curve's key has the algorithm of its curve, an RSA key that says nothing RS256")
    func ofType() throws {
        for (curve, algorithm) in [
            (SampleSigner.Curve.p256, "ES256"), (.p384, "ES384"), (.p521, "ES512"),
        ] {
            let signer = SampleSigner(curve: curve)
            let tokens = try Self.tokens([signer.jwk(#""kid":"one""#)])
            #expect(Self.refusal(tokens, signer.token(algorithm, Self.body())) == nil)
        }
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        #expect(Self.refusal(tokens, Self.rsa.token("RS256", Self.body())) == nil)
        #expect(Self.refusal(tokens, Self.rsa.token("PS256", Self.body())) != nil)
    }

    @Test("HS256 is taken with a key that may be secret, and with no other")
    func secrets() throws {
        let key = Self.secret.jwk(#""kid":"one""#, isPrivate: true)
        let token = Self.secret.token("HS256", Self.body())
        #expect(Self.refusal(try Self.tokens([key], allowsSecrets: true), token) == nil)
        #expect(throws: SigningKeyFailure.self) { try Self.tokens([key]) }
        let both = try Self.tokens([key, Self.rsa.jwk(#""kid":"two""#)])
        #expect(Self.refusal(both, token)?.contains("not known") == true)
        let short = SampleSigner(secret: Array("too short".utf8))
        #expect(throws: SigningKeyFailure.self) {
            try Self.tokens([short.jwk(isPrivate: true)], allowsSecrets: true)
        }
    }

    @Test("a token tells its user, its claims, and its times")
    func content() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let token = try Self.verify(
            tokens,
            Self.rsa.token(
                "RS256",
                Self.body([
                    "aud": #"["other","tasks"]"#, "groups": #"["editor"]"#, "iat": "1800000000.5",
                    "exp": "1800000300.9",
                ])))
        #expect(token.user == "ann")
        #expect(token.claims.text.contains(#""groups":["editor"]"#))
        #expect(token.expires == 1_800_000_300 && token.issued == 1_800_000_000)
    }

    @Test(
        "a body that is not for this service, now, is refused",
        arguments: [
            ("iss", nil, "another issuer"), ("iss", #""https://evil.example""#, "another issuer"),
            ("iss", #"["https://id.example"]"#, "another issuer"),
            ("aud", nil, "another audience"), ("aud", #""other""#, "another audience"),
            ("aud", #"["other"]"#, "another audience"), ("aud", "[]", "another audience"),
            ("sub", nil, "no user"), ("sub", #""""#, "no user"), ("sub", "7", "no user"),
            ("exp", nil, "no expiry"), ("exp", #""1800000300""#, "not a time"),
            ("exp", "1e300", "not a time"),
            ("exp", "-1", "not a time"), ("exp", "null", "not a time"),
            ("exp", "1799999940", "expired"), ("nbf", "1800000061", "not valid yet"),
            ("nbf", "true", "not a time"),
        ] as [(String, String?, String)])
    func bodies(member: String, value: String?, detail: String) throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let refusal = Self.refusal(tokens, Self.rsa.token("RS256", Self.body([member: value])))
        #expect(refusal?.contains(detail) == true, "\(refusal ?? "taken")")
    }

    @Test("clocks may differ by a minute")
    func leeway() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        for (name, value) in [("exp", "1799999941"), ("nbf", "1800000060")] {
            let body = Self.body([name: value])
            #expect(Self.refusal(tokens, Self.rsa.token("RS256", body)) == nil, "\(name)")
        }
    }

    @Test("two members of one name are refused, at any depth and however they are spelt")
    func repeatedNames() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let body = Self.body().dropLast()
        for more in [#","sub":"eve"}"#, #","\u0073ub":"eve"}"#, #","a":[{"b":1,"b":2}]}"#] {
            #expect(Self.refusal(tokens, Self.rsa.token("RS256", body + more)) != nil, "\(more)")
        }
        for head in [
            #"{"alg":"HS256","alg":"none","kid":"one"}"#,
            #"{"alg":"none","alg":"HS256","kid":"one"}"#,
            #"{"alg":"HS256","kid":"two","\u006bid":"one"}"#,
        ] {
            #expect(try Self.refusal(ofHead: head)?.contains("twice") == true, "\(head)")
        }
    }

    /// The refusal of a token under a head, signed by a secret that is known as the key `one`.
    private static func refusal(ofHead head: String) throws -> String? {
        let bytes = Array(repeating: UInt8(ascii: "s"), count: 48)
        let key = SampleSigner(secret: bytes).jwk(#""kid":"one""#, isPrivate: true)
        let tokens = try Self.tokens([key], allowsSecrets: true)
        return refusal(tokens, SampleSigner.token(head: head, Self.body(), secret: bytes))
    }

    @Test("claims that nest 10,000 deep are refused")
    func nesting() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(Self.refusal(tokens, Self.rsa.token("RS256", Self.body(["a": deep]))) != nil)
        let object =
            String(repeating: #"{"a":"#, count: 10_000) + "1"
            + String(repeating: "}", count: 10_000)
        let head = #"{"alg":"HS256","kid":"one","a":\#(object)}"#
        #expect(try Self.refusal(ofHead: head) != nil)
    }

    @Test(
        "a head that asks for another algorithm or another key is refused",
        arguments: [
            #"{"alg":"none"}"#, #"{"alg":"none","kid":"one"}"#, #"{"alg":"None","kid":"one"}"#,
            #"{"alg":"HS256","kid":"one"}"#, #"{"alg":"ES256","kid":"one"}"#,
            #"{"alg":"PS256","kid":"one"}"#, #"{"alg":"RS256","kid":"other"}"#,
            #"{"alg":"RS256","kid":1}"#, #"{"kid":"one"}"#, #"{"alg":5,"kid":"one"}"#, "[]", "",
        ])
    func heads(head: String) throws {
        let tokens = try Self.tokens([
            Self.rsa.jwk(#""kid":"one""#), Self.curve.jwk(#""kid":"two""#),
        ])
        let parts = Self.rsa.token("RS256", Self.body()).split(separator: ".")
        let encoded = SampleSigner.encoded(head.utf8)
        #expect(Self.refusal(tokens, "\(encoded).\(parts[1]).\(parts[2])") != nil)
        #expect(Self.refusal(tokens, "\(encoded).\(parts[1]).") != nil)
    }

    @Test(
        "a head that is signed and asks for what is not known is refused",
        arguments: [#"["exp"]"#, "[]", "null", #""exp""#])
    func critical(value: String) throws {
        let head = #"{"alg":"HS256","kid":"one"}"#
        #expect(try Self.refusal(ofHead: head) == nil)
        let refusal = try Self.refusal(ofHead: #"{"alg":"HS256","kid":"one","crit":\#(value)}"#)
        #expect(refusal?.contains("'crit'") == true, "\(refusal ?? "taken")")
    }

    @Test("HS256 by the text of a public key is refused")
    func publicKeyAsSecret() throws {
        let jwk = Self.rsa.jwk(#""kid":"one""#)
        let forger = SampleSigner(secret: Array(jwk.utf8))
        let tokens = try Self.tokens([jwk, Self.curve.jwk(#""kid":"two""#)], allowsSecrets: true)
        #expect(Self.refusal(tokens, forger.token("HS256", Self.body())) != nil)
    }

    @Test("a key that the token itself brings or names is not looked at")
    func ownKeys() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let forger = SampleSigner(rsaBitCount: 2048)
        #expect(
            Self.refusal(tokens, forger.token("RS256", Self.body()))
                == "The token's signature is wrong.")
        for member in [
            ("jwk", forger.jwk()), ("jku", #""https://evil.example/keys""#),
            ("x5u", #""https://evil.example/chain""#), ("x5c", #"["MIIB"]"#),
        ] {
            let forged = forger.token("RS256", Self.body(), more: [member])
            #expect(!forged.isEmpty && forged.split(separator: ".").count == 3)
            #expect(
                Self.refusal(tokens, forged) == "The token's signature is wrong.", "\(member)")
            let own = Self.rsa.token("RS256", Self.body(), more: [member])
            #expect(Self.refusal(tokens, own) == nil, "\(member)")
        }
    }

    @Test("every changed byte and every other form is refused")
    func forms() throws {
        let tokens = try Self.tokens([Self.rsa.jwk(#""kid":"one""#)])
        let token = Self.rsa.token("RS256", Self.body())
        for place in stride(from: 0, to: token.utf8.count, by: 7) {
            var bytes = Array(token.utf8)
            bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(Self.refusal(tokens, String(decoding: bytes, as: UTF8.self)) != nil)
        }
        for other in [
            token + "=", token + ".", "." + token, token.replacing(".", with: ".."), "..", "a.b",
            String(token.dropLast(10)), token + "AAAA", "",
        ] {
            #expect(Self.refusal(tokens, other) != nil, "\(other)")
        }
    }

    @Test("a token without a key's name is taken when one key alone can be meant")
    func unnamed() throws {
        let token = Self.rsa.token("RS256", Self.body(), kid: nil)
        let one = try Self.tokens([Self.rsa.jwk(), Self.curve.jwk()])
        #expect(Self.refusal(one, token) == nil)
        let two = try Self.tokens([Self.rsa.jwk(), SampleSigner(rsaBitCount: 2048).jwk()])
        #expect(Self.refusal(two, token)?.contains("names no key") == true)
    }

    @Test("keys for other ends, weak keys and those of other kinds are passed over")
    func otherKeys() throws {
        for key in [
            Self.rsa.jwk(#""use":"enc""#), Self.rsa.jwk(#""key_ops":["encrypt"]"#),
            Self.rsa.jwk(#""alg":"ES256""#), Self.rsa.jwk(#""alg":"RSA-OAEP""#),
            SampleSigner(rsaBitCount: 1024).jwk(), #"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#,
            #"{"kty":"RSA"}"#, "1",
        ] {
            #expect(throws: SigningKeyFailure.self, "\(key)") { try Self.tokens([key]) }
            let beside = try Self.tokens([key, Self.curve.jwk(#""kid":"one""#)])
            #expect(Self.refusal(beside, Self.curve.token("ES256", Self.body())) == nil)
        }
    }
}
