import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// The keys of an issuer (RFC 7517, section 5).
struct SigningKeySet: Sendable {
    /// The most keys that are read.
    static let countMax = 100
    /// The failure of a document without a usable key.
    private static let unusable = SigningKeyFailure(
        "there is no key for RS, PS or ES signatures in it (HS256 is for files alone)")

    /// The keys.
    let keys: [SigningKey]

    /// Reads a document: `{"keys":[…]}`, or one key alone. Keys for other ends than signatures are passed over.
    ///
    /// - `allowsSecrets`: Whether a key for HS256 is taken.
    init(_ bytes: [UInt8], allowsSecrets: Bool) throws(SigningKeyFailure) {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        guard let root = try? parser.value(of: bytes) else {
            throw SigningKeyFailure("they are no JSON")
        }
        guard root.kind == .object, root.repeatedName == nil else {
            throw SigningKeyFailure("they are no JSON object")
        }
        var values = [root]
        if let list = root.member(named: "keys") {
            guard list.kind == .array else { throw SigningKeyFailure("'keys' is no array") }
            values = list.elements.map { $0 }
        }
        guard values.count <= Self.countMax else {
            throw SigningKeyFailure("there are more than \(Self.countMax) keys")
        }
        keys = values.compactMap { SigningKey($0) }.filter {
            allowsSecrets || $0.algorithm != .hs256
        }
        if keys.isEmpty { throw Self.unusable }
    }

    /// The key for an algorithm that a token names, or the only one for it where a token names none.
    func key(id: String?, for algorithm: SigningAlgorithm) -> SigningKey? {
        let fitting = keys.filter { $0.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting[0] : nil }
        return fitting.first { $0.id.isSame(as: id) }
    }
}
