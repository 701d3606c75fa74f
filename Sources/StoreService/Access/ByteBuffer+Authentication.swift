import CHoldfastCrypto
import HoldfastBytes

extension ByteBuffer {
    /// The HMAC-SHA-256 (RFC 2104) of the bytes, 32 bytes; nil when the library fails.
    func authenticationCode(under key: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        let status = shim_hmac_sha256(key, key.count, bytes.baseAddress, count, &code)
        return status == 1 ? code : nil
    }
}
