import HoldfastBytes
import CHoldfastCrypto

/// A ticket for the event stream of one URL: whose it is and when it was made, signed by the store's key together
/// with the URL.
///
/// Nothing is stored of it, so that it outlives a restart. Its text is base64url, without padding, of
///
///     offset  bytes  field (little-endian)
///     0       8      number of the token that it was made with; 0 where none was needed
///     8       8      when it was made, in milliseconds since 1970
///     16      8      random
///     24      32     keyed BLAKE2b of a name of this form, the 24 bytes before, and the URL's identity
package struct SignedTicket: Hashable, Sendable {
    /// The number of the token that it was made with.
    package let owner: UInt64
    /// When it was made, in milliseconds since 1970.
    package let milliseconds: Int64
    /// Distinguishes it from others of the same token and time.
    private let random: UInt64

    private static let signedByteCount = 24
    private static let byteCount = signedByteCount + 32
    /// The characters of a text.
    package static let textByteCount = (byteCount * 4 + 2) / 3
    private static let form: StaticString = "holdfast ticket 2"

    /// Makes a ticket of its own.
    package init(owner: UInt64, milliseconds: Int64) {
        self.owner = owner
        self.milliseconds = milliseconds
        // The system's generator is `getrandom` (2).
        random = UInt64.random(in: 0 ... .max)
    }

    /// Reads a text; nil unless the key has signed it for the URL. The time does not show which part is wrong.
    package init?(_ text: UnsafeRawBufferPointer, for url: [UInt8], key: [UInt8]) {
        guard text.count == Self.textByteCount else { return nil }
        let decoded = ByteBuffer(capacity: 64)
        guard Base64.decode(text, alphabet: .url, into: decoded), decoded.count == Self.byteCount
        else { return nil }
        let bytes = decoded.bytes
        let signed = UnsafeRawBufferPointer(rebasing: bytes[..<Self.signedByteCount])
        guard let code = Self.code(of: signed, for: url, key: key),
            shim_are_equal(code, bytes.baseAddress.map { $0 + Self.signedByteCount }, 32) == 1
        else { return nil }
        owner = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        milliseconds = bytes.loadUnaligned(fromByteOffset: 8, as: Int64.self)
        random = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
    }

    /// Makes the text of the ticket for a URL; nil when the library fails.
    package func text(for url: [UInt8], key: [UInt8]) -> String? {
        let bytes = ByteBuffer(capacity: 64)
        bytes.append(little: owner)
        bytes.append(little: UInt64(bitPattern: milliseconds))
        bytes.append(little: random)
        guard let code = Self.code(of: bytes.bytes, for: url, key: key) else { return nil }
        bytes.append(code)
        return Base64.urlText(of: bytes.bytes)
    }

    private static func code(
        of signed: UnsafeRawBufferPointer, for url: [UInt8], key: [UInt8]
    ) -> [UInt8]? {
        let message = ByteBuffer(capacity: form.utf8CodeUnitCount + signed.count + url.count)
        message.append(form)
        message.append(signed)
        message.append(url)
        return message.authenticationCode(under: key)
    }
}
