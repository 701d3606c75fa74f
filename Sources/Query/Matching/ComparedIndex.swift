import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The values of one side of a comparison, made ready to be compared with any number of others: for equality by
/// their hashes, for an order by the least and greatest of each kind.
///
/// It says what comparing with each of the values would; ``ValueRelation`` decides. One thread at a time uses it.
final class ComparedIndex {
    /// Values among which an order is total: of one type, plain or in `mixed` values.
    private struct Kind {
        var isPlain: Bool
        var storage: ElementStorage?
        var least: ComparedValue
        var greatest: ComparedValue
    }

    /// `a ⋈ value`, where the operator is an equality or an order.
    private let relation: ValueRelation
    private let equality: ValueRelation
    private let less: ValueRelation
    private let ignoresCase: Bool
    private let folder: TextFolder?
    private let bound: BoundSource

    /// The values that differ from each other, by their hashes.
    private var buckets: [Int: [ComparedValue]] = [:]
    private var differentCount = 0
    private var kinds: [Kind] = []
    /// Whether plain reals are among the values, and plain decimals: each equals several of the others.
    private var hasReal = false
    private var hasDecimal = false

    init(_ relation: Relation, _ bound: BoundSource) {
        self.relation = ValueRelation(relation)
        self.bound = bound
        var other = relation
        other.comparison = .equal
        equality = ValueRelation(other)
        other.comparison = .less
        less = ValueRelation(other)
        folder = TextFolder(relation)
        ignoresCase = relation.ignoresCase
    }

    private var budget: Budget { bound.budget }

    /// Adds a value; false once the budget has failed.
    func add(_ value: ComparedValue) -> Bool {
        guard budget.spend(1 + value.bytes.count >> 6) else { return false }
        if relation.comparison.isOrder {
            order(value)
            return true
        }
        if value.kind == nil {
            switch value.storage {
            case .decimal: hasDecimal = true
            case .float, .double: hasReal = true
            default: break
            }
        }
        let hash = hash(value)
        for known in buckets[hash] ?? [] where isSame(known, value) { return budget.spend() }
        buckets[hash, default: []].append(value)
        differentCount += 1
        return budget.holds(
            differentCount * (MemoryLayout<ComparedValue>.stride + Self.bucketByteCount))
    }

    /// The memory of a bucket.
    private static let bucketByteCount = 80

    /// Whether two values are compared alike with every other one.
    private func isSame(_ a: ComparedValue, _ b: ComparedValue) -> Bool {
        a.storage == b.storage && a.kind == b.kind
            && (a.storage == .embedded || equality.holds(a, b))
    }

    private func order(_ value: ComparedValue) {
        let isPlain = value.kind == nil
        for index in kinds.indices
        where kinds[index].isPlain == isPlain && kinds[index].storage == value.storage {
            if less.holds(value, kinds[index].least) { kinds[index].least = value }
            if less.holds(kinds[index].greatest, value) { kinds[index].greatest = value }
            return
        }
        kinds.append(Kind(isPlain: isPlain, storage: value.storage, least: value, greatest: value))
    }

    /// Whether `value ⋈ other` holds for so many of the values.
    func holds(_ quantifier: Quantifier, _ value: ComparedValue) -> Bool {
        switch quantifier {
        case .any: any(value)
        case .all: all(value)
        case .none: !any(value)
        }
    }

    private func any(_ value: ComparedValue) -> Bool {
        switch relation.comparison {
        case .equal: isEqualToAny(value)
        case .notEqual: !isEqualToAll(value)
        case .less, .lessEqual: kinds.contains { relation.holds(value, $0.greatest) }
        default: kinds.contains { relation.holds(value, $0.least) }
        }
    }

    private func all(_ value: ComparedValue) -> Bool {
        switch relation.comparison {
        case .equal: isEqualToAll(value)
        case .notEqual: !isEqualToAny(value)
        case .less, .lessEqual: kinds.allSatisfy { relation.holds(value, $0.least) }
        default: kinds.allSatisfy { relation.holds(value, $0.greatest) }
        }
    }

    private func isEqualToAny(_ value: ComparedValue) -> Bool {
        guard budget.spend(1 + value.bytes.count >> 6) else { return false }
        if isRounded(value) {
            return buckets.contains { bucket in
                Quantifier.any.holds(of: bucket.value, within: budget) { equality.holds(value, $0) }
            }
        }
        return Quantifier.any.holds(of: buckets[hash(value)] ?? [], within: budget) {
            equality.holds(value, $0)
        }
    }

    /// Whether a value equals all others. They differ, so that one or two of them decide.
    private func isEqualToAll(_ value: ComparedValue) -> Bool {
        buckets.allSatisfy { bucket in
            Quantifier.all.holds(of: bucket.value, within: budget) { equality.holds(value, $0) }
        }
    }

    /// Whether a value may equal values with another hash: a plain decimal equals every real that rounds to it.
    private func isRounded(_ value: ComparedValue) -> Bool {
        guard value.kind == nil else { return false }
        switch value.storage {
        case .decimal: return hasReal
        case .float, .double: return hasDecimal
        default: return false
        }
    }

    /// Equal for equal values.
    private func hash(_ value: ComparedValue) -> Int {
        var hasher = Hasher()
        switch value.storage {
        case .string, .data:
            hasher.combine(value.rank)
            let text = folder.map { $0.fold(value.bytes) } ?? value.bytes
            if ignoresCase, folder == nil {
                var offset = 0
                while offset < text.count {
                    hasher.combine(CaseFolding.fold(UTF8Scalars.next(text, &offset)))
                }
            } else {
                hasher.combine(bytes: text)
            }
        case .int, .float, .double, .decimal: hasher.combine(value.doubleFloor)
        case nil, .embedded: break
        default:
            hasher.combine(value.rank)
            hasher.combine(value.ordinal)
        }
        return hasher.finalize()
    }
}

extension ComparedValue {
    /// The greatest double that is no greater than a number, the same for numbers that are the same; 0 stands for −0 too.
    fileprivate var doubleFloor: Double {
        if storage == .decimal { return Decimal128(ordinal: ordinal).doubleFloor.value + 0 }
        switch number {
        case .int(let value):
            let double = Double(value)
            // Above the greatest int a double has no exact counterpart to compare with.
            guard let back = Int64(exactly: double) else { return double.nextDown }
            return back > value ? double.nextDown : double
        case .float(let value): return value.isNaN ? 0 : Double(value) + 0
        case .double(let value): return value.isNaN ? 0 : value + 0
        default: return 0
        }
    }
}
