import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

/// An observer's own sections, which follow what it is told alone.
private final class SectionMirror {
    private(set) var sections: [[String]] = []
    private(set) var calls = 0

    /// - `shown`: What the sections show at the call: looked at for what came or has changed.
    func follow(_ change: SectionedResultsChange<some Any>, showing shown: [[String]]) {
        calls += 1
        guard
            case .update(
                _, let deletions, let insertions, let modifications, let inserted, let deleted) =
                change
        else { return sections = shown }
        for path in modifications { sections[path.section][path.item] = "changed" }
        for path in deletions.reversed() { sections[path.section].remove(at: path.item) }
        for section in deleted.reversed() { sections.remove(at: section) }
        for section in inserted { sections.insert([], at: section) }
        for path in insertions {
            sections[path.section].insert(shown[path.section][path.item], at: path.item)
        }
        for (section, lines) in sections.enumerated() {
            for (item, line) in lines.enumerated() where line == "changed" {
                sections[section][item] = shown[section][item]
            }
        }
    }
}

/// An observer's own list of the elements of one section.
private final class ElementMirror {
    private(set) var elements: [String] = []
    private(set) var calls = 0

    func follow(_ change: SectionedResultsChange<some Any>, showing shown: [String]) {
        calls += 1
        guard
            case .update(
                _, let deletions, let insertions, let modifications, _, let deleted) = change
        else { return elements = shown }
        for path in modifications { elements[path.item] = "changed" }
        for path in deletions.reversed() { elements.remove(at: path.item) }
        if !deleted.isEmpty { elements = [] }
        for path in insertions { elements.insert(shown[path.item], at: path.item) }
        for (item, line) in elements.enumerated() where line == "changed" {
            elements[item] = shown[item]
        }
    }
}

@Suite("Sections under random writes")
struct SectionModelTests {
    private final class Piece: Object {
        @Persisted(primaryKey: true) var id: Int
        @Persisted var group: Int
        @Persisted var rank: Int
        @Persisted var other: Piece?

        var line: String { "\(id) \(group) \(rank) \(other?.rank ?? -1)" }
    }

    private final class PieceProjection: Projection<Piece> {
        @Projected(\Piece.line) var line
        @Projected(\Piece.group) var team
    }

    /// The pieces as plain values.
    private struct Model {
        struct Plain {
            var id: Int
            var group: Int
            var rank = 0
            var other: Int?
        }

        var pieces: [Int: Plain] = [:]

        /// Changes one piece, here and in a realm.
        mutating func change(_ realm: Realm, _ random: inout SeededGenerator) {
            let id = Int.random(in: 0..<40, using: &random)
            let value = Int.random(in: 0..<8, using: &random)
            guard let piece = realm.object(ofType: Piece.self, forPrimaryKey: id) else {
                realm.add(Piece(value: [id, value]))
                pieces[id] = Plain(id: id, group: value)
                return
            }
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                realm.delete(piece)
                pieces[id] = nil
                for other in pieces.keys where pieces[other]?.other == id {
                    pieces[other]?.other = nil
                }
            case 2, 3:
                piece.group = value
                pieces[id]?.group = value
            case 4, 5, 6:
                piece.rank = value
                pieces[id]?.rank = value
            default:
                piece.other = realm.object(ofType: Piece.self, forPrimaryKey: value)
                let other = pieces[value]?.id
                pieces[id]?.other = other
            }
        }

        /// The lines of the pieces in an order, in sections by their groups.
        func sections(_ order: (Plain) -> [Int]) -> [[String]] {
            let sorted = pieces.values.sorted { order($0).lexicographicallyPrecedes(order($1)) }
            var groups: [Int] = []
            for piece in sorted where !groups.contains(piece.group) { groups.append(piece.group) }
            return groups.map { group in
                sorted.filter { $0.group == group }.map { piece in
                    let other = piece.other.flatMap { pieces[$0]?.rank } ?? -1
                    return "\(piece.id) \(piece.group) \(piece.rank) \(other)"
                }
            }
        }
    }

    @Test("an observer's own sections are those of a plain model behind each write")
    func mirrors() throws {
        let seed = SeededGenerator.testSeed("sections under random writes")
        var random = SeededGenerator(seed: seed)
        let realm = try Realm.ofSample("\(Self.self) \(seed)", [Piece.self])
        var model = Model()
        try realm.write { realm.add(Piece(value: [0, 3])) }
        model.pieces[0] = Model.Plain(id: 0, group: 3)
        let pieces = realm.objects(Piece.self)
        let byGroup = pieces.sectioned(by: \.group, sortDescriptors: ["group", "rank", "id"])
        // Its sections change places.
        let byRank = realm.objects(PieceProjection.self).sectioned(
            by: { $0.team }, sortDescriptors: ["rank", "id"])
        let third = byGroup[0]
        let (groups, ranks, own) = (SectionMirror(), SectionMirror(), ElementMirror())
        let tokens = [
            byGroup.observe { groups.follow($0, showing: byGroup.map { $0.map(\.line) }) },
            byRank.observe { ranks.follow($0, showing: byRank.map { $0.map(\.line) }) },
            third.observe { own.follow($0, showing: third.map(\.line)) },
        ]
        for step in 0..<SeededGenerator.scaled(500) {
            try realm.write {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    model.change(realm, &random)
                }
            }
            let expected = model.sections { [$0.group, $0.rank, $0.id] }
            let ofThird = model.pieces.values.contains { $0.group == 3 }
            try #require(groups.sections == expected, "step \(step) of seed \(seed)")
            try #require(
                ranks.sections == model.sections { [$0.rank, $0.id] },
                "step \(step) of seed \(seed)")
            try #require(
                own.elements
                    == (ofThird ? expected.first { $0[0].split(separator: " ")[1] == "3" } : []),
                "step \(step) of seed \(seed)")
        }
        #expect(own.calls > 10 && own.calls < groups.calls)
        withExtendedLifetime(tokens) {}
    }
}
