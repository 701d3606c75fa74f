import HoldfastBytes
import HoldfastRows

/// A range of values of one property as bytes of ``OrderedKey``: from `lower` up to, but without, `upper`.
///
/// A prefix or suffix around the value's key (a tag, an object key) leaves the range as it is: put the
/// same tag before both bounds, and every entry with a value in the range lies between them.
package struct OrderedKeyRange: Hashable, Sendable {
    /// The first bytes in the range.
    package var lower: [UInt8]
    /// The first bytes behind the range.
    package var upper: [UInt8]
    /// The one value that the range holds, if it holds only one; its key is `lower`.
    package var isSingleValue = false

    static let null = OrderedKeyRange(lower: [0], upper: [1], isSingleValue: true)
    /// Every value but null.
    static let notNull = OrderedKeyRange(lower: [1], upper: [2])

    /// Every value, null too.
    package static let all = OrderedKeyRange(lower: [0], upper: [2])

    /// Everything outside some ranges, which are in order and disjoint.
    static func complement(_ ranges: [OrderedKeyRange]) -> [OrderedKeyRange] {
        var rest: [OrderedKeyRange] = []
        var lower = all.lower
        for range in ranges {
            if lower.lexicographicallyPrecedes(range.lower) {
                rest.append(between(lower, range.lower))
            }
            lower = range.upper
        }
        if lower.lexicographicallyPrecedes(all.upper) { rest.append(between(lower, all.upper)) }
        return rest
    }

    private static func between(_ lower: [UInt8], _ upper: [UInt8]) -> OrderedKeyRange {
        OrderedKeyRange(
            lower: lower, upper: upper, isSingleValue: lower == null.lower && upper == null.upper)
    }

    package static func value(_ key: [UInt8]) -> OrderedKeyRange {
        OrderedKeyRange(lower: key, upper: successor(of: key), isSingleValue: true)
    }

    /// Returns the least bytes that are greater than every extension of `prefix`.
    static func successor(of prefix: [UInt8]) -> [UInt8] {
        guard let last = prefix.lastIndex(where: { $0 < 0xFF }) else { return [0xFF] }
        return prefix.withUnsafeBytes { prefix in
            [UInt8](unsafeByteCount: last + 1) { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: prefix[...last]))
                bytes[last] += 1
            }
        }
    }

    var isEmpty: Bool {
        lower.withUnsafeBytes { lower in upper.withUnsafeBytes { compareKeys(lower, $0) >= 0 } }
    }

    /// Returns the ranges in order, overlapping ones joined and empty ones left out.
    static func union(_ ranges: [OrderedKeyRange]) -> [OrderedKeyRange] {
        if ranges.count == 1, ranges[0].isSingleValue || !ranges[0].isEmpty { return ranges }
        let sorted = ranges.filter { !$0.isEmpty }
            .sorted { $0.lower.lexicographicallyPrecedes($1.lower) }
        var joined: [OrderedKeyRange] = []
        for range in sorted {
            guard let last = joined.last, range.lower.lexicographicallyPrecedes(last.upper) else {
                joined.append(range)
                continue
            }
            if last.upper.lexicographicallyPrecedes(range.upper) {
                joined[joined.count - 1].upper = range.upper
                joined[joined.count - 1].isSingleValue = false
            } else if last != range {
                joined[joined.count - 1].isSingleValue = last.isSingleValue && range.isSingleValue
            }
        }
        return joined
    }

    /// Intersects ordered lists of ranges: pairs, then pairs of the results, so that many lists of few ranges cost n log n.
    static func intersection(of lists: [[OrderedKeyRange]]) -> [OrderedKeyRange] {
        var lists = lists
        while lists.count > 1 {
            lists = stride(from: 0, to: lists.count, by: 2).map { index in
                index + 1 < lists.count
                    ? intersection(lists[index], lists[index + 1]) : lists[index]
            }
        }
        return lists.first ?? [all]
    }

    /// Intersects two ordered lists of ranges.
    static func intersection(_ a: [OrderedKeyRange], _ b: [OrderedKeyRange]) -> [OrderedKeyRange] {
        var common: [OrderedKeyRange] = []
        var (i, j) = (0, 0)
        while i < a.count, j < b.count {
            let lower = a[i].lower.lexicographicallyPrecedes(b[j].lower) ? b[j].lower : a[i].lower
            let aEndsFirst = a[i].upper.lexicographicallyPrecedes(b[j].upper)
            let upper = aEndsFirst ? a[i].upper : b[j].upper
            let range = OrderedKeyRange(
                lower: lower, upper: upper, isSingleValue: a[i].isSingleValue || b[j].isSingleValue)
            if !range.isEmpty { common.append(range) }
            if aEndsFirst { i += 1 } else { j += 1 }
        }
        return common
    }
}
