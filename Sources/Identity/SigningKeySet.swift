import CHoldfastJOSE
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel

/// The keys of an issuer (RFC 7517, section 5).
struct SigningKeySet: Sendable {
    /// The maximum number of keys.
    static let countMax = 100
    let keys: [SigningKey]

    /// Reads a document: `{"keys":[…]}`, or a single key. Keys for other purposes than signatures are ignored.
    ///
    /// - `allowsSecrets`: Whether keys for HS256 are accepted.
    init(_ bytes: [UInt8], allowsSecrets: Bool) throws(SigningKeyFailure) {
        let parser = JSONParser()
        // Parsed values are valid as long as their parser exists.
        defer { withExtendedLifetime(parser) {} }
        guard let root = try? parser.value(of: bytes) else { throw Self.notJSON(bytes) }
        guard root.kind == .object, root.repeatedName == nil else {
            throw SigningKeyFailure("they are not a JSON object; \(Self.wanted)")
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
        if keys.isEmpty { throw Self.unusable(root, values, allowsSecrets: allowsSecrets) }
    }

    /// The key with an id for an algorithm; for a token without a key id, the only key for the algorithm.
    func key(id: String?, for algorithm: SigningAlgorithm) -> SigningKey? {
        let fitting = keys.filter { $0.algorithm == algorithm }
        guard let id else { return fitting.count == 1 ? fitting[0] : nil }
        return fitting.first { $0.id.isSame(as: id) }
    }
}

/// A key that verifies token signatures. Thread-safe.
final class SigningKey: @unchecked Sendable {
    // Unchecked: the library only reads the key and does not count references to it.
    private let key: OpaquePointer
    /// The key's `kid`.
    let id: String?
    /// The only algorithm that the key is used for.
    let algorithm: SigningAlgorithm

    /// Reads a JSON Web Key; nil if it cannot verify supported signatures.
    init?(_ value: JSONValue) {
        guard value.kind == .object, value.repeatedName == nil,
            let algorithm = SigningAlgorithm(ofKey: value), Self.isForSignatures(value)
        else { return nil }
        let text = ByteBuffer(capacity: 1024)
        JSONWriter(text).copy(value)
        guard let key = shim_jose_key(text.base.assumingMemoryBound(to: CChar.self), text.count)
        else { return nil }
        self.key = key
        self.algorithm = algorithm
        id = value.member(named: "kid")?.string
        if shim_jose_bit_count(key) < algorithm.keyBitCountMin { return nil }
    }

    deinit { cjose_jwk_release(key) }

    /// Whether it has signed a token whose header names its algorithm. Cost: one verification by OpenSSL.
    func hasSigned(_ token: UnsafeRawBufferPointer) -> Bool {
        guard let base = token.baseAddress else { return false }
        return shim_jose_has_signed(key, base.assumingMemoryBound(to: CChar.self), token.count) == 1
    }

    private static func isForSignatures(_ value: JSONValue) -> Bool {
        if let use = value.member(named: "use"), use.string != "sig" { return false }
        guard let uses = value.member(named: "key_ops") else { return true }
        return uses.kind == .array && uses.elements.contains { $0.string == "verify" }
    }
}

/// The reason why an issuer's keys are not available.
package struct SigningKeyFailure: Error, Sendable, CustomStringConvertible {
    /// A clause for the operator.
    package let description: String

    /// Makes a failure with its description.
    package init(_ description: String) { self.description = description }
}
