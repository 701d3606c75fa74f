/// Ids that cannot be guessed: 22 characters of base64url, from 16 random bytes.
package enum RandomID {
    /// The length of an id.
    package static let byteCount = 22

    /// Returns a new id.
    package static func make() -> String {
        let bytes = ByteBuffer(capacity: 64)
        bytes.append(little: UInt64.random(in: 0 ... .max))
        bytes.append(little: UInt64.random(in: 0 ... .max))
        return Base64.urlText(of: bytes.bytes)
    }

    /// Whether a text has the form of an id.
    package static func isID(_ text: some StringProtocol) -> Bool {
        text.utf8.count == byteCount
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }
}
