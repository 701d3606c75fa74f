import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows
import HoldfastText

extension Predicate {
    /// The demands of the predicate on single plain properties of the root class: one constraint for each
    /// property that an index could serve, in the order of the properties.
    ///
    /// Equality, IN, orders, BETWEEN, BEGINSWITH and LIKE with case, comparisons with null, `!=` and NOT count, and ORs of them
    /// on one property; constraints on one property are intersected. Cost: n log n in the terms.
    package var constraints: [IndexConstraint] {
        // Most queries are one comparison, which says everything of its property or nothing.
        if case .comparison(let comparison) = self {
            guard let own = RangeAnalysis.ranges(of: comparison) else { return [] }
            return [
                IndexConstraint(
                    member: own.member, ranges: own.ranges, covered: own.isExact ? [0] : [],
                    isExact: own.isExact)
            ]
        }
        let analyses = conjuncts.map { RangeAnalysis($0) }
        let members = Set(analyses.flatMap { $0.ranges.map(\.member) })
        return members.sorted().map { member in
            var ranges: [[OrderedKeyRange]] = []
            var covered: [Int] = []
            for (index, analysis) in analyses.enumerated() {
                guard let own = analysis.ranges(of: member) else { continue }
                ranges.append(own)
                if analysis.isExact { covered.append(index) }
            }
            return IndexConstraint(
                member: member, ranges: OrderedKeyRange.intersection(of: ranges), covered: covered,
                isExact: covered.count == analyses.count)
        }
    }

    /// The parts that all have to be true: the terms of an AND, or the predicate itself.
    package var conjuncts: [Predicate] {
        if case .and(let parts) = self { parts } else { [self] }
    }

    /// The parts of which one has to be true: the terms of an OR, or the predicate itself.
    var disjuncts: [Predicate] {
        if case .or(let parts) = self { parts } else { [self] }
    }

    /// Returns the predicate that is true if all of some are; nil without any.
    package static func conjunction(_ parts: [Predicate]) -> Predicate? {
        parts.count > 1 ? .and(parts) : parts.first
    }
}

/// The ranges that a predicate implies for single properties of the object itself.
private struct RangeAnalysis {
    /// For each property, of which there are few; a match has its value in these ranges.
    var ranges: [(member: Int, ranges: [OrderedKeyRange])] = []
    /// Whether the one property's ranges say everything that the predicate says.
    var isExact = false

    /// Ranges of one property, and whether they say everything.
    typealias Found = (ranges: [OrderedKeyRange], isExact: Bool)
    /// The same with the property.
    typealias Own = (member: Int, ranges: [OrderedKeyRange], isExact: Bool)

    init(_ predicate: Predicate) {
        switch predicate {
        case .constant, .within: return
        case .not(let part):
            // Only exact ranges can be inverted.
            let analysis = RangeAnalysis(part)
            guard analysis.isExact, analysis.ranges.count == 1 else { return }
            ranges = analysis.ranges.map { ($0.member, OrderedKeyRange.complement($0.ranges)) }
            isExact = true
        case .comparison(let comparison):
            guard let own = Self.ranges(of: comparison) else { return }
            ranges = [(own.member, own.ranges)]
            isExact = own.isExact
        case .and(let parts):
            let analyses = parts.map { RangeAnalysis($0) }
            var lists: [Int: [[OrderedKeyRange]]] = [:]
            for own in analyses.lazy.flatMap(\.ranges) {
                lists[own.member, default: []].append(own.ranges)
            }
            ranges = lists.sorted { $0.key < $1.key }
                .map { ($0.key, OrderedKeyRange.intersection(of: $0.value)) }
            isExact = ranges.count == 1 && analyses.allSatisfy(\.isExact)
        case .or(let parts):
            var isExact = true
            for (number, part) in parts.enumerated() {
                let analysis = RangeAnalysis(part)
                isExact = isExact && analysis.isExact
                if number == 0 {
                    ranges = analysis.ranges
                } else {
                    // A property that one part says nothing of may have any value.
                    ranges.removeAll { analysis.index(of: $0.member) == nil }
                    for index in ranges.indices {
                        ranges[index].ranges += analysis.ranges(of: ranges[index].member) ?? []
                    }
                }
                if ranges.isEmpty { return }
            }
            for index in ranges.indices {
                ranges[index].ranges = OrderedKeyRange.union(ranges[index].ranges)
            }
            self.isExact = isExact && ranges.count == 1
        }
    }

    /// Finds the position of a property's ranges; nil without ranges.
    private func index(of member: Int) -> Int? { ranges.firstIndex { $0.member == member } }

    /// Returns the ranges of a property; nil when a match may have any value of it.
    func ranges(of member: Int) -> [OrderedKeyRange]? {
        index(of: member).map { ranges[$0].ranges }
    }

    /// Returns the ranges of one comparison, and whether they say everything.
    static func ranges(of comparison: Comparison) -> Own? {
        guard let compared = ComparedPath(comparison), !compared.relation.folds,
            compared.quantifier == nil, let member = compared.path.ownMember,
            case .scalar(let type) = compared.path.type
        else { return nil }
        let operation = compared.relation.comparison
        guard let relation = compared.constantIsLeft ? operation.swapped : operation else {
            return nil
        }
        let found: Found?
        if let quantifier = compared.listQuantifier {
            found = ranges(relation, compared.constants, quantifier, ElementStorage(type))
        } else {
            found = ranges(relation, compared.constants[0], ElementStorage(type))
        }
        return found.map { (member, OrderedKeyRange.union($0.ranges), $0.isExact) }
    }

    /// Returns the ranges of `property ⋈ q {values}`.
    private static func ranges(
        _ relation: ComparisonOperator, _ values: [Value], _ quantifier: Quantifier,
        _ storage: ElementStorage
    ) -> Found? {
        var each: [[OrderedKeyRange]] = []
        each.reserveCapacity(values.count)
        var isExact = true
        for value in values {
            guard let (ranges, exact) = ranges(relation, value, storage) else { return nil }
            each.append(OrderedKeyRange.union(ranges))
            isExact = isExact && exact
        }
        switch quantifier {
        case .any: return (OrderedKeyRange.union(each.flatMap { $0 }), isExact)
        case .all: return (OrderedKeyRange.intersection(of: each), isExact)
        case .none:
            guard isExact else { return nil }
            return (OrderedKeyRange.complement(OrderedKeyRange.union(each.flatMap { $0 })), true)
        }
    }

    /// Returns the ranges of `property ⋈ value`; nil when they would be almost everything.
    private static func ranges(
        _ relation: ComparisonOperator, _ value: Value, _ storage: ElementStorage
    ) -> Found? {
        if case .null = value {
            switch relation {
            case .equal, .lessEqual, .greaterEqual, .like: return ([.null], true)
            case .less, .greater: return ([], true)
            case .notEqual: return ([.notNull], true)
            default: return nil
            }
        }
        if relation == .notEqual {
            guard let (equal, isExact) = ranges(.equal, value, storage), isExact else { return nil }
            return (OrderedKeyRange.complement(equal), true)
        }
        if storage == .string || storage == .data { return textRanges(relation, value, storage) }
        if storage == .mixed { return mixedRanges(relation, value) }
        switch relation {
        case .equal, .less, .lessEqual, .greater, .greaterEqual: break
        default: return nil
        }
        guard let ordinals = Ordinal.range(relation, value, as: storage) else { return ([], true) }
        let lower = key(ordinals.lowerBound, storage)
        let upper = OrderedKeyRange.successor(of: key(ordinals.upperBound, storage))
        return (
            [
                OrderedKeyRange(
                    lower: lower, upper: upper,
                    isSingleValue: ordinals.lowerBound == ordinals.upperBound)
            ], true
        )
    }

    private static func key(_ ordinal: UInt128, _ storage: ElementStorage) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 24)
        Ordinal.appendKey(ordinal, storage, to: buffer)
        return buffer.array
    }

    /// Returns the ranges of `text ⋈ constant`. Keys of long texts are cut: texts that share the cut
    /// beginning with a long constant have to be looked at.
    private static func textRanges(
        _ relation: ComparisonOperator, _ value: Value, _ storage: ElementStorage
    ) -> Found? {
        switch relation {
        case .equal, .less, .lessEqual, .greater, .greaterEqual, .beginsWith: break
        case .like:
            guard storage == .string, case .string(let pattern) = value else { return nil }
            return likeRanges(pattern)
        default: return nil
        }
        switch value {
        case .string(var text) where storage == .string:
            return text.withUTF8 { textRanges(relation, UnsafeRawBufferPointer($0)) }
        case .data(let bytes) where storage == .data:
            return bytes.withUnsafeBytes { textRanges(relation, $0) }
        default: return ([], true)
        }
    }

    private static func textRanges(
        _ relation: ComparisonOperator, _ text: UnsafeRawBufferPointer
    ) -> Found {
        let (whole, isWhole) = OrderedKey.key(text: text)
        if relation == .equal { return ([.value(whole)], isWhole) }
        let buffer = ByteBuffer(capacity: 64)
        OrderedKey.append(prefix: text, to: buffer)
        let prefix = buffer.array
        if relation == .beginsWith {
            let behind = OrderedKeyRange.successor(of: prefix)
            return ([OrderedKeyRange(lower: prefix, upper: behind)], isWhole)
        }
        guard !isWhole else { return ([range(relation, of: whole, [1], [2])], true) }
        // A value that begins like a cut key may lie on either side of it.
        let wider: ComparisonOperator =
            relation == .less || relation == .lessEqual ? .lessEqual : .greaterEqual
        return ([range(wider, of: prefix, [1], [2])], false)
    }

    /// Returns the keys in an order relation to one key and to the keys that begin with it, from `least` up to `end`.
    private static func range(
        _ relation: ComparisonOperator, of key: [UInt8], _ least: [UInt8], _ end: [UInt8]
    ) -> OrderedKeyRange {
        let behind = OrderedKeyRange.successor(of: key)
        return switch relation {
        case .less: OrderedKeyRange(lower: least, upper: key)
        case .lessEqual: OrderedKeyRange(lower: least, upper: behind)
        case .greater: OrderedKeyRange(lower: behind, upper: end)
        default: OrderedKeyRange(lower: key, upper: end)
        }
    }

    /// Returns the ranges of `text LIKE pattern`: of the text before the first wildcard; nil without such a text.
    private static func likeRanges(_ pattern: String) -> Found? {
        let bytes = Array(pattern.utf8)
        func isWildcard(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: "*") || byte == UInt8(ascii: "?")
        }
        guard let end = bytes.firstIndex(where: isWildcard) else {
            return textRanges(.equal, .string(pattern), .string)
        }
        let isPrefix = bytes[end...].allSatisfy { $0 == UInt8(ascii: "*") }
        if end == 0 { return isPrefix ? ([.notNull], true) : nil }
        let prefix = String(decoding: bytes[..<end], as: UTF8.self)
        guard let (ranges, isExact) = textRanges(.beginsWith, .string(prefix), .string) else {
            return nil
        }
        return (ranges, isExact && isPrefix)
    }

    /// Returns the ranges of `mixed ⋈ constant`: the ranges of the constant's kind.
    private static func mixedRanges(_ relation: ComparisonOperator, _ value: Value) -> Found? {
        guard let scalar = value.scalarType else { return nil }
        let bytes = ByteBuffer(capacity: 32)
        MixedWriter(bytes).value(value)
        let rank = MixedView(bytes.bytes).kind.rank
        if scalar == .string || scalar == .data {
            guard let (ranges, isExact) = textRanges(relation, value, ElementStorage(scalar)) else {
                return nil
            }
            // The keys of texts, but with the kind behind the first byte.
            func inKind(_ bound: [UInt8]) -> [UInt8] {
                bound.first == 1 ? [1, rank] + bound.dropFirst() : [1, rank + 1]
            }
            return (
                ranges.map {
                    OrderedKeyRange(
                        lower: inKind($0.lower), upper: inKind($0.upper),
                        isSingleValue: $0.isSingleValue)
                }, isExact
            )
        }
        let buffer = ByteBuffer(capacity: 32)
        OrderedKey.append(MixedView(bytes.bytes), to: buffer)
        let key = buffer.array
        if relation == .equal { return ([.value(key)], true) }
        return relation.isOrder
            ? ([range(relation, of: key, [1, rank], [1, rank + 1])], true) : nil
    }
}

/// The demand of a predicate on one property, in the terms of an index of it.
package struct IndexConstraint: Hashable, Sendable {
    /// The property, by position in its class: a single plain value.
    package var member: Int
    /// The ranges of the property's keys of all matches: in order, disjoint; empty if nothing matches.
    package var ranges: [OrderedKeyRange]
    /// The positions of the ``Predicate/conjuncts`` that the ranges determine.
    package var covered: [Int] = []
    /// Whether the ranges determine all of them, so that every object within the ranges matches.
    package var isExact: Bool

    /// Whether the ranges leave out more than null and single values.
    package var isSelective: Bool {
        guard let first = ranges.first, let last = ranges.last else { return true }
        return OrderedKeyRange.notNull.lower.lexicographicallyPrecedes(first.lower)
            || last.upper.lexicographicallyPrecedes(OrderedKeyRange.notNull.upper)
    }
}

/// The demand of a comparison on the words of one property, in the terms of a full-text index of it.
package struct WordConstraint: Sendable {
    /// The property, by position in the root class: a single string.
    package var member: Int
    /// The words, of which an index can tell; at least one is required.
    package var search: TextSearch
    /// Whether every object that has the words matches; else each has to be tested.
    package var isExact: Bool
}

extension Comparison {
    /// The search for words that an index could answer; nil for other comparisons and for searches that only
    /// exclude words: almost everything matches the latter.
    package var wordConstraint: WordConstraint? {
        guard comparison == .text, case .path(let path, nil) = left, let member = path.ownMember,
            case .constant(.string(let text)) = right, let search = try? TextSearch(text),
            !search.required.isEmpty
        else { return nil }
        // Words that the index has cut have to be looked at.
        let indexed = search.withoutExcluded { $0.word.count > WordSet.exactByteCountMax }
        let isExact =
            indexed == search
            && search.required.allSatisfy { $0.word.count <= WordSet.exactByteCountMax }
        return WordConstraint(member: member, search: indexed, isExact: isExact)
    }
}
