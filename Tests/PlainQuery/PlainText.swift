/// What operators on texts mean, on arrays of code points, or of the bytes of data.
struct PlainText {
    /// What the text consists of.
    private(set) var scalars: [Unicode.Scalar]

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    init(_ bytes: [UInt8]) { scalars = bytes.map { Unicode.Scalar($0) } }

    /// The same without what does not count.
    func folded(case ignoresCase: Bool, accents ignoresAccents: Bool) -> PlainText {
        var result = self
        if ignoresAccents {
            result.scalars = scalars.filter { !(0x300...0x36F).contains($0.value) }
                .map { Self.letters[$0] ?? $0 }
        }
        if ignoresCase {
            result.scalars = result.scalars.map { scalar in
                let lower = Array(scalar.properties.lowercaseMapping.unicodeScalars)
                return lower.count == 1 ? lower[0] : scalar
            }
        }
        return result
    }

    /// The letters of the tests that have accents.
    private static let letters: [Unicode.Scalar: Unicode.Scalar] = [
        "é": "e", "É": "E", "ü": "u", "Å": "A", "å": "a",
    ]

    func begins(with other: PlainText) -> Bool { scalars.starts(with: other.scalars) }

    func ends(with other: PlainText) -> Bool {
        scalars.reversed().starts(with: other.scalars.reversed())
    }

    func contains(_ other: PlainText) -> Bool {
        other.scalars.isEmpty
            || scalars.indices.contains { scalars[$0...].starts(with: other.scalars) }
    }

    /// Whether it is, as a whole, what a pattern with `*` and `?` says.
    func isLike(_ pattern: PlainText) -> Bool { Self.isLike(scalars[...], pattern.scalars[...]) }

    private static func isLike(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if first == "*" {
            return isLike(text, rest) || (!text.isEmpty && isLike(text.dropFirst(), pattern))
        }
        guard let own = text.first, first == "?" || own == first else { return false }
        return isLike(text.dropFirst(), rest)
    }

    /// Its words: runs of letters and digits, in lower case and without accents.
    var words: [[Unicode.Scalar]] {
        folded(case: true, accents: true).scalars
            .split { !($0.properties.isAlphabetic || $0.properties.numericType != nil) }
            .map { Array($0) }
    }

    /// Whether a search finds it: all its words occur, and none that has `-` before it; `*` behind a word is
    /// the beginning of one.
    func isFound(by search: String) -> Bool {
        let own = words
        return search.split(separator: " ").allSatisfy { term in
            let isExcluded = term.hasPrefix("-")
            let wanted = PlainText(String(term)).words.first ?? []
            let occurs = own.contains {
                term.hasSuffix("*") ? $0.starts(with: wanted) : $0 == wanted
            }
            return occurs != isExcluded
        }
    }

    /// Whether it is, as a whole, what a regular expression says, of those that the tests use: letters, `.`,
    /// `[…]`, and `*` or `+` behind one.
    func matches(_ pattern: String, ignoresCase: Bool, ignoresAccents: Bool) -> Bool {
        let own = folded(case: ignoresCase, accents: ignoresAccents)
        let text = PlainText(pattern).folded(case: ignoresCase, accents: ignoresAccents)
        return Self.matches(own.scalars[...], text.scalars[...])
    }

    private static func matches(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        var rest = pattern.dropFirst()
        var wanted = [first]
        if first == "[" {
            wanted = Array(rest.prefix { $0 != "]" })
            rest = rest.dropFirst(wanted.count + 1)
        }
        func fits(_ scalar: Unicode.Scalar) -> Bool { first == "." || wanted.contains(scalar) }
        switch rest.first {
        case "*":
            if matches(text, rest.dropFirst()) { return true }
            return text.first.map(fits) == true && matches(text.dropFirst(), pattern)
        case "+":
            guard text.first.map(fits) == true else { return false }
            return matches(text.dropFirst(), rest.dropFirst())
                || matches(text.dropFirst(), pattern)
        default: return text.first.map(fits) == true && matches(text.dropFirst(), rest)
        }
    }
}
