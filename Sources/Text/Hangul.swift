/// The composition of Hangul syllables from letters, by The Unicode Standard, section 3.12.
enum Hangul {
    private static let (syllables, leads, vowels, tails) = (
        UInt32(0xAC00), UInt32(0x1100), UInt32(0x1161), UInt32(0x11A7)
    )
    private static let (leadCount, vowelCount, tailCount) = (UInt32(19), UInt32(21), UInt32(28))

    /// Composes a scalar and the letter behind it; nil when they stay two.
    @inline(__always)
    static func composition(_ first: UInt32, _ second: UInt32) -> UInt32? {
        guard second >= vowels, second < tails + tailCount else { return nil }
        if second < vowels + vowelCount {
            guard first >= leads, first < leads + leadCount else { return nil }
            return syllables + ((first - leads) * vowelCount + second - vowels) * tailCount
        }
        guard second > tails, first >= syllables,
            first < syllables + leadCount * vowelCount * tailCount,
            (first - syllables) % tailCount == 0
        else { return nil }
        return first + second - tails
    }
}
