/// A stored token: its hash and its rights.
///
/// It lies under its number (``StoreKey``), which is random, never 0, and the identity of the token's bearer: belongings refer to
/// the number. Its fields are written by ``RecordCoder``, in the order below. A form with more fields gets a number of its own,
/// and a store that has one another format, so that no program ignores a field that takes something away.
package struct TokenRecord: CodedRecord, Equatable, Sendable {
    /// The identity of the token's bearer.
    package var number: UInt64
    /// The operator's name for it; of no other token.
    package var name: String
    /// The SHA-256 of the token, 32 bytes; of no other token.
    package var hash: [UInt8]
    /// The right, by its name.
    package var right: String
    /// When it was made, in seconds since 1970.
    package var seconds: Int64
    /// When it ends, in seconds since 1970; ``Int64/max`` for never.
    package var end: Int64 = .max
    /// The id of its user; empty without one.
    package var user = ""
    /// The claims of the user, as the text of a JSON object; empty without claims.
    package var claims = ""
    /// The names of the only classes that it is for; empty for all.
    package var classes: [String] = []
    /// The version at which its terms last changed the readable part of the store; 0 if they never did.
    package var accessVersion: UInt64 = 0

    package static let hashByteCount = 32
    /// The forms without expiry, user and claims, without classes, and without ``accessVersion``, and the written form.
    private static let forms: ClosedRange<UInt8> = 1...4

    package init(number: UInt64, name: String, hash: [UInt8], right: String, seconds: Int64) {
        self.number = number
        self.name = name
        self.hash = hash
        self.right = right
        self.seconds = seconds
    }

    /// Reads the entry under a key; nil when it is damaged, or of a form that this program does not know.
    init?(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard key.count == StoreKey.tokenByteCount else { return nil }
        self.init(
            number: StoreKey.trailingObjectKey(key), name: "", hash: [], right: "", seconds: 0)
        guard read(value), number != 0, hash.count == Self.hashByteCount else { return nil }
    }

    mutating func code(_ coder: inout RecordCoder) {
        var form = Self.forms.upperBound
        coder.code(&form)
        if !Self.forms.contains(form) { coder.fail() }
        coder.code(&hash)
        coder.code(&name)
        coder.code(&right)
        coder.code(&seconds)
        // Stores that were upgraded in place still have tokens of this form.
        if form == 1 { return }
        coder.code(&end)
        coder.code(&user)
        coder.code(&claims)
        if form == 2 { return }
        coder.code(&classes, of: "") { coder, name in coder.code(&name) }
        if form == 3 { return }
        coder.code(&accessVersion)
    }
}
