import CHoldfastJOSE
import HoldfastBytes
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

/// A key that tokens are signed with. Thread-safe.
final class SigningKey: @unchecked Sendable {
    // Unchecked: the library reads the key and counts no references to it.
    private let key: OpaquePointer
    /// Its `kid`.
    let id: String?
    /// The algorithm that it is for, the only one.
    let algorithm: SigningAlgorithm

    /// Reads a JSON Web Key; nil for one that verifies no signature here.
    init?(_ value: JSONValue) {
        guard value.kind == .object, value.repeatedName == nil,
            let algorithm = SigningAlgorithm(ofKey: value), Self.isForSignatures(value)
        else { return nil }
        let text = ByteBuffer(capacity: 1024)
        JSONWriter(text).copy(value)
        guard
            let key = shim_jose_key(
                text.base.assumingMemoryBound(to: CChar.self), text.count)
        else { return nil }
        self.key = key
        self.algorithm = algorithm
        id = value.member(named: "kid")?.string
        if shim_jose_bit_count(key) < algorithm.keyBitCountMin { return nil }
    }

    deinit { cjose_jwk_release(key) }

    /// Whether it has signed a token, whose head names its algorithm. Cost: that of OpenSSL's verification.
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

/// Why an issuer's keys can't be had.
package struct SigningKeyFailure: Error, Sendable, CustomStringConvertible {
    /// A clause for the operator.
    package let description: String

    /// Says what happened.
    package init(_ description: String) { self.description = description }
}
