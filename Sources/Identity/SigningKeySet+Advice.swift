import HoldfastJSON

// The failures of documents in other forms than JSON Web Keys, each with the form that is wanted.
extension SigningKeySet {
    /// The form of the keys, for messages.
    static let wanted = #"the keys are a JWK set, {"keys":[{"kty":"RSA","n":"…","e":"…"}]}"#

    /// The failure of a text that is not JSON.
    static func notJSON(_ bytes: [UInt8]) -> SigningKeyFailure {
        let text = bytes.drop { $0 <= UInt8(ascii: " ") }
        if text.starts(with: "-----BEGIN ".utf8) {
            return SigningKeyFailure(
                "they are PEM, not JSON; \(wanted). Name the address in the 'jwks_uri' of the issuer's "
                    + "discovery document, or convert the public key into a JWK")
        }
        return SigningKeyFailure(
            "they are not JSON; \(wanted). A secret is a JWK in a file: "
                + #"{"kty":"oct","alg":"HS256","k":"…"}, with the secret in base64url"#)
    }

    /// The failure of a document in which no key can be used.
    ///
    /// - `values`: The values that should be keys.
    static func unusable(
        _ root: JSONValue, _ values: [JSONValue], allowsSecrets: Bool
    ) -> SigningKeyFailure {
        if let address = root.member(named: "jwks_uri")?.string {
            return SigningKeyFailure(
                "this is the issuer's discovery document; name its 'jwks_uri' instead, \(address)")
        }
        guard root.member(named: "keys") != nil || root.member(named: "kty") != nil else {
            return SigningKeyFailure("it has no member 'keys'; \(wanted)")
        }
        let reasons = values.compactMap { reason($0, allowsSecrets: allowsSecrets) }
        return SigningKeyFailure(
            reasons.first ?? "there is no key for RS, PS or ES signatures in it")
    }

    /// The reason why a key cannot be used; nil for one that the general failure covers.
    private static func reason(_ key: JSONValue, allowsSecrets: Bool) -> String? {
        guard key.kind == .object, let type = key.member(named: "kty")?.string else { return nil }
        let name = key.member(named: "kid")?.string.map { "the key '\($0)'" } ?? "the key"
        switch type {
        case "oct":
            guard allowsSecrets else {
                return "\(name) is a secret, and a secret comes from a file, not from a URL"
            }
            if let algorithm = key.member(named: "alg")?.string, algorithm != "HS256" {
                return "\(name) is a secret for \(algorithm); secrets are for HS256 only"
            }
            return "\(name) is no secret of at least 32 bytes in base64url"
        case "RSA" where SigningAlgorithm(ofKey: key) != nil:
            return "\(name) is no RSA key for signatures of at least 2048 bits"
        default: return nil
        }
    }
}
