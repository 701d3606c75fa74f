import CHoldfastSodium
import HoldfastBytes

/// Seals bytes that clients pass on but may neither read nor change (XChaCha20-Poly1305). Any thread may use it.
package struct Seal: Sendable {
    private let key: [UInt8]

    /// Makes a seal; nil if the library fails.
    ///
    /// - Parameters:
    ///   - form: The kind of sealed bytes. A seal cannot open texts of another form.
    ///   - storeKey: A secret of the store.
    package init?(_ form: StaticString, storeKey: [UInt8]) {
        let message = ByteBuffer(capacity: 32)
        message.append(form)
        guard let key = message.authenticationCode(under: storeKey) else { return nil }
        self.key = key
    }

    /// Seals bytes as base64url without padding; nil if the library fails.
    ///
    /// - `context`: Bytes that are authenticated too: the text can be opened only with the same ones.
    package func text(of plain: UnsafeRawBufferPointer, in context: [UInt8]) -> String? {
        var sealed = [UInt8](repeating: 0, count: plain.count + Int(shim_seal_count))
        guard shim_seal(&sealed, plain.baseAddress, plain.count, context, context.count, key) == 0
        else { return nil }
        return sealed.withUnsafeBytes { Base64.urlText(of: $0) }
    }

    /// Opens a sealed text; nil for any other text.
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

    /// The number of characters of sealed bytes.
    package static func textByteCount(of byteCount: Int) -> Int {
        ((byteCount + Int(shim_seal_count)) * 4 + 2) / 3
    }
}
