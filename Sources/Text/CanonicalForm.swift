import CHoldfastICU

/// A canonical form of texts (Unicode, UAX 15), in which texts that look the same and mean the same have the same bytes.
package enum CanonicalForm: Sendable {
    /// Letters and their accents are one scalar, if Unicode has one (NFC).
    case composed
    /// Letters and their accents are separate scalars (NFD).
    case decomposed

    /// The largest number of UTF-16 units that one unit becomes.
    private static let growthMax = 4

    /// Returns a text in this form. Returns the text itself if it is ASCII, or if memory is short.
    package func of(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let units = Array(text.utf16)
        let result = [UInt16](unsafeUninitializedCapacity: Self.growthMax * units.count) {
            result, count in
            let written = HFNormalize(
                self == .composed, units, Int32(clamping: units.count), result.baseAddress,
                Int32(clamping: result.count))
            count = max(0, Int(written))
        }
        return result.isEmpty ? text : String(decoding: result, as: UTF16.self)
    }
}
