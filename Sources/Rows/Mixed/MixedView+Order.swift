import HoldfastBytes
import HoldfastObjectModel

extension MixedView {
    /// A number of any kind; nil for other values.
    package var number: MixedNumber? {
        guard let address = payload.baseAddress else { return nil }
        switch kind {
        case .int: return MixedNumber(address.storedInt)
        case .double: return MixedNumber(address.storedDouble)
        case .float: return MixedNumber(Double(address.storedFloat))
        case .decimal: return MixedNumber(address.storedDecimal)
        default: return nil
        }
    }

    /// Returns the order of two values, by which sets are sorted and told apart: negative, 0 or positive.
    ///
    /// Kinds come in the order of ``MixedKind/rank``; numbers of all kinds compare exactly, so that 1, 1.0
    /// and the decimal 1 are one; lists compare element by element, maps entry by entry, key before value.
    ///
    /// - `depth`: The number of lists and maps around the values; damaged ones that nest deeper than
    ///   allowed count as equal.
    package static func order(_ a: MixedView, _ b: MixedView, depth: Int = 0) -> Int {
        let (x, y) = (a.kind, b.kind)
        if x.rank != y.rank { return Int(x.rank) - Int(y.rank) }
        switch x {
        case .null: return 0
        case .int, .double, .float, .decimal:
            guard let left = a.number, let right = b.number else { return 0 }
            return left < right ? -1 : left == right ? 0 : 1
        case .bool, .string, .data, .objectID, .uuid: return compareKeys(a.payload, b.payload)
        case .date:
            guard let left = a.payload.baseAddress, let right = b.payload.baseAddress else {
                return 0
            }
            return left.storedDate < right.storedDate
                ? -1 : left.storedDate == right.storedDate ? 0 : 1
        case .link:
            guard let left = a.link, let right = b.link else { return 0 }
            return left < right ? -1 : left == right ? 0 : 1
        case .list, .map:
            guard depth < ModelLimits.mixedDepthMax else { return 0 }
            let (left, right) = (a.count, b.count)
            for index in 0..<min(left, right) {
                if x == .map {
                    let order = compareKeys(a.key(index), b.key(index))
                    if order != 0 { return order }
                }
                let order = order(a.element(index), b.element(index), depth: depth + 1)
                if order != 0 { return order }
            }
            return left - right
        }
    }
}
