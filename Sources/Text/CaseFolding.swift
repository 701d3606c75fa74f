import CHoldfastICU

/// ICU's simple case folding: each scalar to one scalar, so that two texts which differ in case only
/// become equal.
public enum CaseFolding {
    /// The end of the scalars that are folded by a table: Latin, Greek, Cyrillic, and more.
    static let tableCount = 0x2000

    /// The folded form of each scalar of the table.
    private static let table: [UInt32] = (0..<UInt32(tableCount)).map { HFFoldCase($0) }

    /// Returns the folded form of a scalar. Cost: a look-up; some 5 ns for scalars beyond U+1FFF.
    @inlinable @inline(__always)
    public static func fold(_ scalar: UInt32) -> UInt32 {
        if scalar < 0x80 { return scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
        return foldBeyondASCII(scalar)
    }

    @usableFromInline
    static func foldBeyondASCII(_ scalar: UInt32) -> UInt32 {
        if scalar < UInt32(tableCount) { return table[Int(scalar)] }
        return scalar < UTF8Scalars.invalidBase ? HFFoldCase(scalar) : scalar
    }
}
