/// Simple case folding: each scalar to one scalar, so that two texts which differ in case only become
/// equal.
///
/// A scalar folds to the lower case of its upper case, where both are single scalars. This is Unicode's
/// simple folding but for Cherokee, whose folding goes to upper case (the same texts are equal), and
/// the dotless i, which is left alone.
enum CaseFolding {
    /// What each scalar below U+0590 (Latin, Greek, Cyrillic, Armenian) folds to.
    private static let table: [UInt32] = (0..<0x590).map { compute($0) }

    /// The folded form of a scalar. Cost: a look-up for the scripts above, the standard library's
    /// property tables for others.
    @inline(__always)
    static func fold(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        return foldBeyondASCII(scalar)
    }

    private static func foldBeyondASCII(_ scalar: UInt32) -> UInt32 {
        scalar < 0x590 ? table[Int(scalar)] : compute(scalar)
    }

    private static func compute(_ code: UInt32) -> UInt32 {
        guard code != 0x131, let scalar = Unicode.Scalar(code) else { return code }
        let upper = single(scalar.properties.uppercaseMapping) ?? scalar
        let folded =
            single(upper.properties.lowercaseMapping)
            ?? single(scalar.properties.lowercaseMapping) ?? scalar
        return folded.value
    }

    private static func single(_ mapping: String) -> Unicode.Scalar? {
        let scalars = mapping.unicodeScalars
        guard let first = scalars.first,
            scalars.index(after: scalars.startIndex) == scalars.endIndex
        else { return nil }
        return first
    }
}
