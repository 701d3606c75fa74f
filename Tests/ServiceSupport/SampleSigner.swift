import CHoldfastCrypto
import CHoldfastJOSE
import Glibc
import HoldfastBytes
import HoldfastJSON

/// An issuer's key, which signs whatever a test states.
package final class SampleSigner: @unchecked Sendable {
    // Unchecked: the library reads the key.
    private let key: OpaquePointer

    /// Makes an RSA key.
    package init(rsaBitCount: Int) {
        var error = cjose_err()
        let exponent: [UInt8] = [1, 0, 1]
        key = cjose_jwk_create_RSA_random(rsaBitCount, exponent, 3, &error)
    }

    /// An elliptic curve, by its name.
    package enum Curve: String, CaseIterable, Sendable {
        case p256 = "P-256"
        case p384 = "P-384"
        case p521 = "P-521"
    }

    /// Makes a key of an elliptic curve.
    package init(curve: Curve) {
        var error = cjose_err()
        let known =
            switch curve {
            case .p256: CJOSE_JWK_EC_P_256
            case .p384: CJOSE_JWK_EC_P_384
            case .p521: CJOSE_JWK_EC_P_521
            }
        key = cjose_jwk_create_EC_random(known, &error)
    }

    /// Makes a key of a secret.
    package init(secret: [UInt8]) {
        var error = cjose_err()
        key = cjose_jwk_create_oct_spec(secret, secret.count, &error)
    }

    deinit { cjose_jwk_release(key) }

    /// The key as JSON, with members beside its own, such as `"kid":"one"`.
    package func jwk(_ members: String = "", isPrivate: Bool = false) -> String {
        var error = cjose_err()
        guard let text = cjose_jwk_to_json(key, isPrivate, &error) else { return "" }
        defer { free(text) }
        let own = String(cString: text)
        return members.isEmpty ? own : "{\(members),\(own.dropFirst())"
    }

    /// Signs a text with an algorithm.
    ///
    /// - `more`: Members of the head beside its own, as JSON.
    package func token(
        _ algorithm: String, _ payload: String, kid: String? = "one",
        more: [(name: String, value: String)] = []
    ) -> String {
        var error = cjose_err()
        let head = cjose_header_new(&error)
        defer { cjose_header_release(head) }
        cjose_header_set(head, "alg", algorithm, &error)
        if let kid { cjose_header_set(head, "kid", kid, &error) }
        for (name, value) in more { cjose_header_set_raw(head, name, value, &error) }
        let bytes = Array(payload.utf8)
        guard let jws = cjose_jws_sign(key, head, bytes, bytes.count, &error) else { return "" }
        defer { cjose_jws_release(jws) }
        var text: UnsafePointer<CChar>?
        guard cjose_jws_export(jws, &text, &error), let text else { return "" }
        return String(cString: text)
    }

    /// Signs a text by HS256 with a secret, under a head that need be no JSON.
    package static func token(head: String, _ payload: String, secret: [UInt8]) -> String {
        let text = "\(encoded(head.utf8)).\(encoded(payload.utf8))"
        let bytes = Array(text.utf8)
        var code = [UInt8](repeating: 0, count: 32)
        var count = 0
        let isMade =
            EVP_Q_mac(
                nil, "HMAC", nil, "SHA256", nil, secret, secret.count, bytes, bytes.count, &code,
                code.count, &count) != nil
        return isMade ? "\(text).\(encoded(code[..<count]))" : ""
    }

    /// A part of a token.
    package static func encoded(_ text: some Sequence<UInt8>) -> String {
        let buffer = ByteBuffer(capacity: 256)
        Array(text).withUnsafeBytes { Base64.encode($0, alphabet: .url, into: buffer) }
        return String(decoding: buffer.bytes, as: UTF8.self)
    }
}
