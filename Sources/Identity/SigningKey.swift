import CHoldfastJOSE
import HoldfastBytes
import HoldfastJSON

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
