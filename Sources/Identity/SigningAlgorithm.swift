import HoldfastJSON

/// The signature algorithm of a token (RFC 7518, section 3.1). `none` is not supported.
enum SigningAlgorithm: String, Sendable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case hs256 = "HS256"

    /// The only algorithm for a key: its `alg`, or the default of its type. Nil if it is for no supported algorithm.
    init?(ofKey key: JSONValue) {
        guard let type = key.member(named: "kty")?.string else { return nil }
        let ofType: SigningAlgorithm
        switch (type, key.member(named: "crv")?.string) {
        case ("RSA", nil): ofType = .rs256
        case ("EC", "P-256"): ofType = .es256
        case ("EC", "P-384"): ofType = .es384
        case ("EC", "P-521"): ofType = .es512
        case ("oct", nil): ofType = .hs256
        default: return nil
        }
        guard let stated = key.member(named: "alg") else {
            self = ofType
            return
        }
        guard let known = stated.string.flatMap({ SigningAlgorithm(rawValue: $0) }),
            known == ofType || (known.isRSA && ofType.isRSA)
        else { return nil }
        self = known
    }

    /// Whether its keys are RSA keys.
    var isRSA: Bool {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: true
        case .es256, .es384, .es512, .hs256: false
        }
    }

    /// The minimum size of a key in bits (RFC 7518, sections 3.2 and 3.3).
    var keyBitCountMin: Int { isRSA ? 2048 : 256 }
}
