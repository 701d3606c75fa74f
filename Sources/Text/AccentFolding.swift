import CHoldfastICU

/// A scalar without its accents: its canonical decomposition without nonspacing marks
/// (category Mn).
///
/// Syllables of Hangul stay whole, as people see them; ``TextFolder`` puts those together that are
/// written as single letters. Marks that are left over stay in the order in which they stand.
enum AccentFolding {
    /// Stands for several scalars in the table.
    private static let several = UInt32.max
    /// Stands for none.
    static let nothing: UInt32 = 0

    /// The scalar that is left of each one below ``CaseFolding/tableCount``.
    private static let table: [UInt32] = (0..<UInt32(CaseFolding.tableCount)).map { scalar in
        var left = nothing
        decompose(scalar) { left = left == nothing ? $0 : several }
        return left
    }

    /// Hands over what is left of a scalar that is not ASCII.
    @inline(__always)
    static func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
        if scalar < UInt32(CaseFolding.tableCount) {
            let part = table[Int(scalar)]
            if part != several {
                if part != nothing { body(part) }
                return
            }
        } else if isWhole(scalar) {
            return body(scalar)
        }
        decompose(scalar, body)
    }

    /// Whether a scalar beyond the table has nothing to take away, told without a look-up: ideographs and
    /// syllables, which make up whole texts, private use, and bytes that are not UTF-8.
    private static func isWhole(_ scalar: UInt32) -> Bool {
        (scalar >= 0x3400 && scalar < 0xA000) || (scalar >= 0xAC00 && scalar < 0xF900)
            || scalar >= 0xE_0200
    }

    private static func decompose(_ scalar: UInt32, _ body: (UInt32) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: Int(HFDecompositionMax)) { parts in
            guard let start = parts.baseAddress else { return }
            for part in parts[..<Int(HFDecompose(scalar, start))] where !HFIsNonspacingMark(part) {
                body(part)
            }
        }
    }
}
