/// A set of properties of one class, by position. Sets of the first 64 need no allocation.
public struct MemberSet: Hashable, Sendable {
    @usableFromInline var first: UInt64 = 0
    @usableFromInline var rest: [UInt64] = []

    package init() {}

    private init(first: UInt64) { self.first = first }

    /// Makes a set of positions.
    package init(_ members: some Sequence<Int>) {
        for member in members { insert(member) }
    }

    /// Makes the set of the positions below a count.
    package init(below count: Int) {
        first = count < 64 ? 1 << UInt64(count) - 1 : .max
        for member in 64..<max(64, count) { insert(member) }
    }

    package var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

    /// Adds a position.
    package mutating func insert(_ member: Int) {
        if member < 64 {
            first |= 1 << UInt64(member)
        } else {
            let word = member / 64 - 1
            while rest.count <= word { rest.append(0) }
            rest[word] |= 1 << UInt64(member % 64)
        }
    }

    package func contains(_ member: Int) -> Bool {
        if member < 64 { return first >> UInt64(member) & 1 != 0 }
        let word = member / 64 - 1
        return word < rest.count && rest[word] >> UInt64(member % 64) & 1 != 0
    }

    /// The positions, in order.
    package var positions: [Int] {
        words.enumerated().flatMap { word, bits in
            (0..<64).lazy.filter { bits >> UInt64($0) & 1 != 0 }.map { 64 * word + $0 }
        }
    }

    /// Whether no position is in both sets.
    @inlinable @inline(__always)
    public func isDisjoint(with other: MemberSet) -> Bool {
        first & other.first == 0
            && (rest.isEmpty || other.rest.isEmpty || isRestDisjoint(with: other))
    }

    /// Whether no position from 64 on is in both sets.
    @usableFromInline
    func isRestDisjoint(with other: MemberSet) -> Bool {
        zip(rest, other.rest).allSatisfy { $0 & $1 == 0 }
    }

    /// The positions that are in both sets.
    package func intersection(_ other: MemberSet) -> MemberSet {
        if rest.isEmpty || other.rest.isEmpty { return MemberSet(first: first & other.first) }
        return MemberSet(words: zip(words, other.words).map { $0 & $1 })
    }

    /// The positions that are not in another set.
    package func subtracting(_ other: MemberSet) -> MemberSet {
        if rest.isEmpty { return MemberSet(first: first & ~other.first) }
        let taken = other.words
        return MemberSet(words: words.enumerated().map { $0 < taken.count ? $1 & ~taken[$0] : $1 })
    }

    /// Whether every position is in another set.
    package func isSubset(of other: MemberSet) -> Bool {
        first & ~other.first == 0 && (rest.isEmpty || subtracting(other).isEmpty)
    }

    /// Adds every position of another set.
    package mutating func formUnion(_ other: MemberSet) {
        first |= other.first
        for (word, bits) in other.rest.enumerated() {
            if word < rest.count { rest[word] |= bits } else { rest.append(bits) }
        }
    }

    /// The positions that are in either set.
    package func union(_ other: MemberSet) -> MemberSet {
        var all = self
        all.formUnion(other)
        return all
    }

    /// The words of the set, 64 positions each, without trailing zeros.
    package var words: [UInt64] {
        var words = [first] + rest
        while words.last == 0 { words.removeLast() }
        return words
    }

    package init(words: [UInt64]) {
        first = words.first ?? 0
        rest = Array(words.dropFirst())
        // Equal sets have equal words.
        while rest.last == 0 { rest.removeLast() }
    }
}
