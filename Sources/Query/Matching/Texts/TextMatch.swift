import Glibc
import HoldfastBytes
import HoldfastRows
import HoldfastText

/// The string operators on UTF-8 bytes in place.
///
/// Bytes that are not UTF-8 (in data values) count as one scalar each, beyond Unicode's range.
enum TextMatch {
    static func equals(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, ignoresCase: Bool
    ) -> Bool {
        if !ignoresCase { return a.count == b.count && sameBytes(a, 0, b) }
        var offset = 0
        return hasPrefix(a, from: &offset, b) && offset == a.count
    }

    private static func sameBytes(
        _ text: UnsafeRawBufferPointer, _ offset: Int, _ part: UnsafeRawBufferPointer
    ) -> Bool {
        guard part.count > 0, let a = text.baseAddress, let b = part.baseAddress else {
            return part.isEmpty
        }
        return memcmp(a + offset, b, part.count) == 0
    }

    /// Whether `text` goes on with `prefix` at `offset`, but for case; moves the offset behind it, or behind where they differ.
    private static func hasPrefix(
        _ text: UnsafeRawBufferPointer, from offset: inout Int, _ prefix: UnsafeRawBufferPointer
    ) -> Bool {
        var position = 0
        while position < prefix.count {
            guard offset < text.count,
                CaseFolding.fold(UTF8Scalars.next(text, &offset))
                    == CaseFolding.fold(UTF8Scalars.next(prefix, &position))
            else { return false }
        }
        return true
    }

    static func begins(
        _ text: UnsafeRawBufferPointer, _ prefix: UnsafeRawBufferPointer, ignoresCase: Bool
    ) -> Bool {
        if !ignoresCase { return text.count >= prefix.count && sameBytes(text, 0, prefix) }
        var offset = 0
        return hasPrefix(text, from: &offset, prefix)
    }

    static func ends(
        _ text: UnsafeRawBufferPointer, _ suffix: UnsafeRawBufferPointer, ignoresCase: Bool
    ) -> Bool {
        if !ignoresCase {
            return text.count >= suffix.count && sameBytes(text, text.count - suffix.count, suffix)
        }
        var (a, b) = (text.count, suffix.count)
        while b > 0 {
            guard a > 0 else { return false }
            a = UTF8Scalars.start(before: a, text)
            b = UTF8Scalars.start(before: b, suffix)
            var (offsetA, offsetB) = (a, b)
            guard
                CaseFolding.fold(UTF8Scalars.next(text, &offsetA))
                    == CaseFolding.fold(UTF8Scalars.next(suffix, &offsetB))
            else { return false }
        }
        return true
    }

    /// Whether a text contains another. Cost: linear in both.
    static func contains(
        _ text: UnsafeRawBufferPointer, _ part: UnsafeRawBufferPointer, ignoresCase: Bool
    ) -> Bool {
        guard part.count > 0, let needle = part.baseAddress else { return true }
        guard let hay = text.baseAddress else { return false }
        if !ignoresCase { return find(needle, part.count, in: hay, text.count) }
        var offsetOfNeedle = 0
        let first = CaseFolding.fold(UTF8Scalars.next(part, &offsetOfNeedle))
        var (begin, work) = (0, 0)
        while begin < text.count {
            // An ASCII character folds to itself or its lower case: most are passed by at once.
            let byte = text[begin]
            if byte < 0x80, CaseFolding.fold(UInt32(byte)) != first {
                begin += 1
                continue
            }
            var offset = begin
            if hasPrefix(text, from: &offset, part) { return true }
            work += offset - begin
            if work > 16 * begin + 4096 {
                return TextNeedle(part, .folded).find(in: text, from: &begin)
            }
            _ = UTF8Scalars.next(text, &begin)
        }
        return false
    }

    private static func find(
        _ needle: UnsafeRawPointer, _ needleCount: Int, in hay: UnsafeRawPointer, _ hayCount: Int
    ) -> Bool {
        let first = Int32(needle.load(as: UInt8.self))
        var (begin, work) = (0, 0)
        while begin + needleCount <= hayCount {
            guard let found = memchr(hay + begin, first, hayCount - needleCount - begin + 1)
            else { return false }
            if memcmp(found, needle, needleCount) == 0 { return true }
            begin = UnsafeRawPointer(found) - hay + 1
            // As if all of it had been compared.
            work += needleCount
            if work > 64 * begin + 65536 {
                return TextNeedle(UnsafeRawBufferPointer(start: needle, count: needleCount), .bytes)
                    .find(in: UnsafeRawBufferPointer(start: hay, count: hayCount), from: &begin)
            }
        }
        return false
    }

    /// Whether the whole text fits a pattern: `*` for any run of scalars, `?` for exactly one. Cost: linear in
    /// both; with `?` behind a `*` the product of the lengths at worst. Only the last `*` is ever tried again.
    ///
    /// - `budget`: Spent where it is that product; false where it fails.
    static func like(
        _ text: UnsafeRawBufferPointer, _ pattern: UnsafeRawBufferPointer, ignoresCase: Bool,
        within budget: Budget? = nil
    ) -> Bool {
        let (star, one) = (UInt32(0x2A), UInt32(0x3F))
        var (t, p) = (0, 0)
        var retry: (text: Int, pattern: Int)?
        var work = 0
        while t < text.count {
            work += 1
            if work & 63 == 0, let budget, !budget.spend(8) { return false }
            if p < pattern.count {
                var afterP = p
                let wanted = UTF8Scalars.next(pattern, &afterP)
                if wanted == star {
                    retry = (t, afterP)
                    p = afterP
                    continue
                }
                var afterT = t
                let found = UTF8Scalars.next(text, &afterT)
                if wanted == one || wanted == found
                    || (ignoresCase && CaseFolding.fold(wanted) == CaseFolding.fold(found))
                {
                    (t, p) = (afterT, afterP)
                    continue
                }
            }
            guard let (from, resume) = retry else { return false }
            if work > 16 * from + 4096 {
                let rest = UnsafeRawBufferPointer(rebasing: pattern[resume...])
                if !rest.contains(0x3F) {
                    return likeLiterals(text, from: from, rest, ignoresCase ? .folded : .scalars)
                }
                work = .min
            }
            t = from
            _ = UTF8Scalars.next(text, &t)
            retry = (t, resume)
            p = resume
        }
        while p < pattern.count, pattern[p] == 0x2A { p += 1 }
        return p == pattern.count
    }

    /// Whether the text behind `offset` fits `*` and then a pattern without `?`.
    private static func likeLiterals(
        _ text: UnsafeRawBufferPointer, from offset: Int, _ pattern: UnsafeRawBufferPointer,
        _ units: TextNeedle.Units
    ) -> Bool {
        var (offset, start) = (offset, 0)
        while let end = pattern[start...].firstIndex(of: 0x2A) {
            let literal = UnsafeRawBufferPointer(rebasing: pattern[start..<end])
            if !TextNeedle(literal, units).find(in: text, from: &offset) { return false }
            start = end + 1
        }
        return TextNeedle(UnsafeRawBufferPointer(rebasing: pattern[start...]), units)
            .isSuffix(of: text, from: offset)
    }

    /// Compares two texts by their scalars but for case: negative, 0 or positive. Cost: up to the first that differs.
    static func foldedOrder(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let first = CaseFolding.fold(UTF8Scalars.next(a, &i))
            let second = CaseFolding.fold(UTF8Scalars.next(b, &j))
            if first != second { return first < second ? -1 : 1 }
        }
        return (a.count - i) - (b.count - j)
    }

    /// Whether `left ⋈ right` holds of two texts.
    static func holds(
        _ left: UnsafeRawBufferPointer, _ comparison: ComparisonOperator,
        _ right: UnsafeRawBufferPointer, ignoresCase: Bool, within budget: Budget? = nil
    ) -> Bool {
        switch comparison {
        case .equal: equals(left, right, ignoresCase: ignoresCase)
        case .notEqual: !equals(left, right, ignoresCase: ignoresCase)
        case .beginsWith: begins(left, right, ignoresCase: ignoresCase)
        case .endsWith: ends(left, right, ignoresCase: ignoresCase)
        case .contains: contains(left, right, ignoresCase: ignoresCase)
        case .like: like(left, right, ignoresCase: ignoresCase, within: budget)
        case .less, .lessEqual, .greater, .greaterEqual:
            comparison.holds(ofOrder: compareKeys(left, right))
        // They have tests of their own.
        case .matches, .text: false
        }
    }
}

/// A text prepared for a search in others in time linear in both, for any content (Knuth, Morris and Pratt). It costs eight bytes
/// of memory for each unit: ``TextMatch`` makes one when simple comparing has taken too long.
struct TextNeedle {
    /// The units that are compared.
    enum Units {
        case bytes
        case scalars
        /// Scalars, but for case.
        case folded
    }

    private let kind: Units
    private let units: [UInt32]
    /// Of each beginning, how long the longest shorter one is that it ends with.
    private let borders: [Int32]

    init(_ part: UnsafeRawBufferPointer, _ kind: Units) {
        self.kind = kind
        var units: [UInt32] = []
        units.reserveCapacity(part.count)
        var offset = 0
        while offset < part.count { units.append(Self.next(part, &offset, kind)) }
        var borders: [Int32] = units.isEmpty ? [] : [0]
        borders.reserveCapacity(units.count)
        var length = 0
        for unit in units.dropFirst() {
            while length > 0, units[length] != unit { length = Int(borders[length - 1]) }
            if units[length] == unit { length += 1 }
            borders.append(Int32(length))
        }
        self.units = units
        self.borders = borders
    }

    @inline(__always)
    private static func next(
        _ text: UnsafeRawBufferPointer, _ offset: inout Int, _ kind: Units
    ) -> UInt32 {
        switch kind {
        case .bytes:
            offset += 1
            return UInt32(text[offset - 1])
        case .scalars: return UTF8Scalars.next(text, &offset)
        case .folded: return CaseFolding.fold(UTF8Scalars.next(text, &offset))
        }
    }

    /// Returns how much of the needle stands before the next unit, given how much stood before this one.
    @inline(__always)
    private func advance(_ matched: Int, _ unit: UInt32) -> Int {
        var matched = matched == units.count ? Int(borders[matched - 1]) : matched
        while matched > 0, units[matched] != unit { matched = Int(borders[matched - 1]) }
        return units[matched] == unit ? matched + 1 : 0
    }

    /// Finds the first occurrence from `offset` on, and moves the offset behind it; false without one.
    func find(in text: UnsafeRawBufferPointer, from offset: inout Int) -> Bool {
        if units.isEmpty { return true }
        var matched = 0
        while offset < text.count {
            matched = advance(matched, Self.next(text, &offset, kind))
            if matched == units.count { return true }
        }
        return false
    }

    /// Whether the text behind `offset` ends with it.
    func isSuffix(of text: UnsafeRawBufferPointer, from offset: Int) -> Bool {
        if units.isEmpty { return true }
        var (offset, matched) = (offset, 0)
        while offset < text.count { matched = advance(matched, Self.next(text, &offset, kind)) }
        return matched == units.count
    }
}
