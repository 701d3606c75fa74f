import CHoldfastSodium
import HoldfastBytes

/// Seals bytes that clients pass on and may neither read nor change (XChaCha20-Poly1305). Any thread.
package struct Seal: Sendable {
    private let key: [UInt8]

    /// Nil when the library fails.
    ///
    /// - Parameters:
    ///   - form: Names what is sealed: seals of different forms open nothing of each other.
    ///   - storeKey: A secret of the store.
    package init?(_ form: StaticString, storeKey: [UInt8]) {
        let message = ByteBuffer(capacity: 32)
        message.append(form)
        guard let key = message.authenticationCode(under: storeKey) else { return nil }
        self.key = key
    }

    /// Seals bytes: base64url without padding; nil when the library fails.
    ///
    /// - `context`: Bytes beside it: it opens together with these alone.
    package func text(of plain: UnsafeRawBufferPointer, in context: [UInt8]) -> String? {
        var sealed = [UInt8](repeating: 0, count: plain.count + Int(shim_seal_count))
        guard
            shim_seal(&sealed, plain.baseAddress, plain.count, context, context.count, key) == 0
        else { return nil }
        return sealed.withUnsafeBytes { Base64.urlText(of: $0) }
    }

    /// Opens what was sealed; nil for any other text.
    package func bytes(in text: UnsafeRawBufferPointer, with context: [UInt8]) -> [UInt8]? {
        let sealed = ByteBuffer(capacity: max(1, text.count))
        guard Base64.decode(text, alphabet: .url, into: sealed),
            sealed.count >= Int(shim_seal_count)
        else { return nil }
        var plain = [UInt8](repeating: 0, count: sealed.count - Int(shim_seal_count))
        guard
            shim_open(&plain, sealed.array, sealed.count, context, context.count, key) == 0
        else { return nil }
        return plain
    }

    /// The characters of so many bytes when they are sealed.
    package static func textByteCount(of byteCount: Int) -> Int {
        ((byteCount + Int(shim_seal_count)) * 4 + 2) / 3
    }
}
