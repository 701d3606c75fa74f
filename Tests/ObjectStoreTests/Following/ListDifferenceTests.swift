import HoldfastBytes
@testable import HoldfastObjectStore
import HoldfastTestSupport
import Testing

@Suite("Differences of lists")
struct ListDifferenceTests {
    private func difference(_ splices: [(Int, Int, Int)]) -> ListDifference {
        ListDifference(splices.map { ListSplice($0.0, removed: $0.1, inserted: $0.2) })
    }

    @Test("splices become indices before and after")
    func table() {
        #expect(difference([]).isEmpty)
        let pushed = difference([(0, 0, 2), (5, 1, 0)])
        #expect(pushed.insertions == [0..<2] && pushed.deletions == [3..<4])
        #expect(pushed.modifications.isEmpty && pushed.count == 3)
        let set = difference([(4, 1, 1), (0, 1, 0), (3, 1, 1)])
        #expect(set.modifications == [4..<5] && set.deletions == [0..<1])
        #expect(set.insertions.isEmpty)
        #expect(difference([(2, 0, 3), (2, 3, 0)]).isEmpty, "what came and went was never seen")
        let gone = difference([(2, 1, 1), (2, 1, 0)])
        #expect(gone.deletions == [2..<3] && gone.modifications.isEmpty)
        let grown = difference([(7, 2, 3)])
        #expect(grown.modifications == [7..<9] && grown.insertions == [9..<10])
    }

    @Test("what is taken out of a long list takes no room")
    func bounded() {
        let cleared = difference([(1_000_000, 0, 1), (0, 1_000_000_000, 0)])
        #expect(cleared.deletions == [0..<999_999_999])
        #expect(cleared.insertions.isEmpty && cleared.modifications.isEmpty)
    }

    @Test("what has changed behind an element is a modification, unless the element is new")
    func changed() {
        let difference = ListDifference(
            [ListSplice(1, removed: 2, inserted: 1)], changed: [0, 1, 2, 9])
        #expect(difference.modifications == [0..<2, 3..<4, 10..<11])
        #expect(difference.deletions == [2..<3] && difference.insertions.isEmpty)
        let inserted = ListDifference([ListSplice(0, removed: 0, inserted: 2)], changed: [1, 2])
        #expect(inserted.modifications == [0..<1] && inserted.insertions == [0..<2])
    }

    @Test("a client that applies random splices as indices has the new list")
    func randomSplices() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("splices of lists"))
        for _ in 0..<SeededGenerator.scaled(2_000) {
            let old = Array(0..<Int.random(in: 0...30, using: &random))
            var new = old
            var splices: [ListSplice] = []
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let index = Int.random(in: 0...new.count, using: &random)
                let removed = Int.random(in: 0...min(4, new.count - index), using: &random)
                let inserted = Int.random(in: 0...4, using: &random)
                new.replaceSubrange(
                    index..<(index + removed),
                    with: (0..<inserted).map { _ in Int.random(in: 1_000...9_999, using: &random) })
                splices.append(ListSplice(index, removed: removed, inserted: inserted))
            }
            let difference = ListDifference(splices)
            #expect(difference.applied(to: old, new) == new, "\(splices)")
            let middle = Int.random(in: 0...splices.count, using: &random)
            let steps = ListDifference(Array(splices[..<middle]))
                .followed(by: ListDifference(Array(splices[middle...])))
            #expect(steps.applied(to: old, new) == new, "\(splices) in two steps, \(middle) first")
            #expect(steps.told(to: old, new) == new, "\(splices) in two steps, \(middle) first")
            let count = Int.random(in: 0...old.count, using: &random)
            let first = difference.ofFirst(count)
            #expect(
                first.difference.told(to: Array(old[..<count]), new)
                    == Array(new[..<first.count]), "the first \(count): \(splices)")
            #expect(difference.told(to: old, new) == new, "\(splices)")
            var edits = ListEdits()
            for splice in splices { edits.append(splice) }
            #expect(
                ListDifference(edits.splices).applied(to: old, new) == new,
                "joined to \(edits.splices)")
        }
    }

    @Test("a client that applies the comparison of two random lists has the new one")
    func randomLists() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("comparisons of lists"))
        let texts = (0..<40).map { Array("element \($0)".utf8) }
        let buffer = ByteBuffer()
        var elements: [UnsafeRawBufferPointer?] = [nil]
        for text in texts { buffer.append(text) }
        var start = 0
        for text in texts {
            elements.append(
                UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<(start + text.count)]))
            start += text.count
        }
        for _ in 0..<SeededGenerator.scaled(2_000) {
            let kinds = Int.random(in: 1...elements.count, using: &random)
            func make(_ random: inout SeededGenerator) -> [Int] {
                (0..<Int.random(in: 0...30, using: &random)).map { _ in
                    Int.random(in: 0..<kinds, using: &random)
                }
            }
            let old = make(&random)
            var new = make(&random)
            if Bool.random(using: &random) {
                new = old
                if !new.isEmpty { new.remove(at: Int.random(in: new.indices, using: &random)) }
                new.insert(0, at: Int.random(in: 0...new.count, using: &random))
            }
            let difference = ListDifference(
                from: old.map { elements[$0] }, to: new.map { elements[$0] })
            #expect(difference.applied(to: old, new) == new, "\(old) to \(new)")
            if old == new { #expect(difference.isEmpty) }
        }
    }

    @Test("what stays in order is not told, and what moves goes and comes")
    func comparison() {
        let bytes = Array<UInt8>(0..<20)
        bytes.withUnsafeBytes { bytes in
            func list(_ values: [Int]) -> [UnsafeRawBufferPointer?] {
                values.map { UnsafeRawBufferPointer(rebasing: bytes[$0..<($0 + 1)]) }
            }
            let shifted = ListDifference(from: list([1, 2, 3, 4]), to: list([2, 3, 4, 5]))
            #expect(shifted.deletions == [0..<1] && shifted.insertions == [3..<4])
            let moved = ListDifference(from: list([1, 2, 3, 4]), to: list([4, 1, 2, 3]))
            #expect(moved.deletions == [3..<4] && moved.insertions == [0..<1])
            let set = ListDifference(from: list([1, 2, 3]), to: list([1, 7, 3]))
            #expect(set.modifications == [1..<2] && set.count == 1)
            let cleared = ListDifference(from: list([1, 2, 3]), to: [])
            #expect(cleared.deletions == [0..<3] && cleared.count == 3)
        }
    }
}

extension ListDifference {
    /// What a client makes of a list: it takes out, puts in, and then sets what changed at its place.
    func applied<Element>(to old: [Element], _ new: [Element]) -> [Element] {
        var list = old.enumerated().map { (old: Optional($0), value: $1) }
        for range in deletions.reversed() { list.removeSubrange(range) }
        for index in insertions.joined() { list.insert((nil, new[index]), at: index) }
        let modified = Set(modifications.joined())
        for (index, element) in list.enumerated() where element.old.map(modified.contains) ?? false
        {
            list[index].value = new[index]
        }
        return list.map(\.value)
    }
}

extension ListDifference {
    /// What a client has that is told the indices and the elements at ``toldIndices``.
    fileprivate func told(to old: [Int], _ new: [Int]) -> [Int] {
        var list = old
        for index in deletions.joined().reversed() { list.remove(at: index) }
        for index in insertions.joined() { list.insert(0, at: index) }
        for index in toldIndices { list[index] = new[index] }
        return list
    }
}
