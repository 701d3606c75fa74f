/// The reserved words of the language.
///
/// Every word of a query is looked up here, so a word is compared as one number: its bytes in lower case.
enum Keyword {
    /// The bytes of the longest keyword, at most 16: a word is a number of 128 bits.
    private static let byteCountMax: Int = {
        var byteCountMax = 0
        var rest = table.keys.max() ?? 0
        while rest > 0 {
            byteCountMax += 1
            rest >>= 8
        }
        return byteCountMax
    }()

    /// By word; `isExact` says that only the spellings in small and in capital letters are keywords: `Not`, `Any`
    /// and `True` are identifiers.
    private static let table: [UInt128: (kind: Token.Kind, isExact: Bool)] = {
        let free: [(StaticString, Token.Kind)] = [
            ("and", .and), ("or", .or), ("beginswith", .comparison(.beginsWith)),
            ("endswith", .comparison(.endsWith)), ("contains", .comparison(.contains)),
            ("text", .comparison(.text)), ("like", .comparison(.like)), ("between", .between),
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
        var table: [UInt128: (kind: Token.Kind, isExact: Bool)] = [:]
        for (words, isExact) in [(free, false), (exact, true)] {
            for (text, kind) in words {
                assert(text.utf8CodeUnitCount <= 16, "\(text) is too long for a keyword")
                let bytes = UnsafeBufferPointer(
                    start: text.utf8Start, count: text.utf8CodeUnitCount)
                table[bytes.reduce(0) { $0 << 8 | UInt128($1) }] = (kind, isExact)
            }
        }
        return table
    }()

    /// Finds the keyword that some bytes are; nil for an identifier.
    static func find(_ bytes: some Collection<UInt8>) -> Token.Kind? {
        guard bytes.count <= byteCountMax else { return nil }
        var word: UInt128 = 0
        var capitalCount = 0
        for byte in bytes {
            let isCapital = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
            if isCapital { capitalCount += 1 }
            word = word << 8 | UInt128(isCapital ? byte | 0x20 : byte)
        }
        guard let (kind, isExact) = table[word] else { return nil }
        return !isExact || capitalCount == 0 || capitalCount == bytes.count ? kind : nil
    }
}
