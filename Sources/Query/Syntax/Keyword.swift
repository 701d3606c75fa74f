/// The reserved words of the language.
///
/// Every word of a query is looked up here, so a word is compared as one number: its bytes in lower case.
enum Keyword {
    /// The most bytes of a keyword.
    private static let byteCountMax = 14

    private struct Entry {
        var word: UInt128
        var kind: Token.Kind
        /// Whether only the spellings in small and in capital letters are keywords: `Not`, `Any` and `True`
        /// are identifiers.
        var isExact: Bool
    }

    /// By hash, with open addressing; at most a third of the slots are taken.
    private static let table: [Entry?] = {
        let free: [(StaticString, Token.Kind)] = [
            ("and", .and), ("or", .or), ("beginswith", .beginsWith), ("endswith", .endsWith),
            ("contains", .contains), ("text", .text), ("like", .like), ("between", .between),
            ("geowithin", .geoWithin), ("truepredicate", .truePredicate),
            ("falsepredicate", .falsePredicate), ("sort", .sort), ("distinct", .distinct),
            ("limit", .limit), ("bin", .binary), ("binary", .binary), ("obj", .object),
            ("asc", .ascending), ("ascending", .ascending), ("desc", .descending),
            ("descending", .descending), ("subquery", .subquery), ("geobox", .geoBox),
            ("geopolygon", .geoPolygon), ("geocircle", .geoCircle), ("null", .null),
            ("nil", .null), ("inf", .infinity), ("infinity", .infinity), ("nan", .nan),
        ]
        let exact: [(StaticString, Token.Kind)] = [
            ("in", .inList), ("not", .not), ("any", .any), ("some", .any), ("all", .all),
            ("none", .none), ("true", .trueValue), ("false", .falseValue), ("first", .first),
            ("last", .last), ("size", .size),
        ]
        func entry(_ word: (StaticString, Token.Kind), isExact: Bool) -> Entry {
            let bytes = UnsafeBufferPointer(
                start: word.0.utf8Start, count: word.0.utf8CodeUnitCount)
            return Entry(
                word: bytes.reduce(0) { $0 << 8 | UInt128($1) }, kind: word.1, isExact: isExact)
        }
        var table = [Entry?](repeating: nil, count: slotCount)
        for entry in free.map({ entry($0, isExact: false) })
            + exact.map({ entry($0, isExact: true) })
        {
            var slot = hash(entry.word)
            while table[slot] != nil { slot = (slot + 1) % slotCount }
            table[slot] = entry
        }
        return table
    }()

    /// How many slots the table has; a power of two.
    private static let slotCount = 128

    /// Where to look for a word first: Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
    private static func hash(_ word: UInt128) -> Int {
        let folded = UInt64(truncatingIfNeeded: word ^ word >> 64)
        return Int((folded &* 0x9E37_79B9_7F4A_7C15) >> 57)
    }

    /// The keyword that some bytes are; nil for an identifier.
    static func find(_ bytes: ArraySlice<UInt8>) -> Token.Kind? {
        guard bytes.count <= byteCountMax else { return nil }
        var word: UInt128 = 0
        var capitalCount = 0
        for byte in bytes {
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if isCapital { capitalCount += 1 }
            word = word << 8 | UInt128(isCapital ? byte | 0x20 : byte)
        }
        var slot = hash(word)
        while let entry = table[slot] {
            if entry.word == word {
                let isEven = capitalCount == 0 || capitalCount == bytes.count
                return isEven || !entry.isExact ? entry.kind : nil
            }
            slot = (slot + 1) % slotCount
        }
        return nil
    }
}
