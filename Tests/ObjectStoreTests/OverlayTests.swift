@testable import ObjectStore
import Storage
import Testing
import TestSupport

@Suite("The overlay of uncommitted changes")
struct OverlayTests {
    private func key(_ kind: UInt8, _ number: Int) -> [UInt8] {
        [kind] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private func put(_ overlay: Overlay, _ key: [UInt8], _ value: [UInt8]) {
        key.withUnsafeBytes { key in
            value.withUnsafeBytes { value in _ = overlay.put(key, value) }
        }
    }

    /// What a batch sets; nil for a removal.
    private func changes(_ overlay: Overlay) -> [[UInt8]: [UInt8]?] {
        let batch = overlay.batch()
        for (one, next) in zip(batch.changes, batch.changes.dropFirst()) {
            #expect(Array(one.key).lexicographicallyPrecedes(Array(next.key)))
        }
        return Dictionary(
            uniqueKeysWithValues: batch.changes.map { (Array($0.key), $0.value.map { Array($0) }) })
    }

    @Test("has what was changed last, also after going back to marks within marks")
    func marks() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("overlay marks"))
        for _ in 0..<SeededGenerator.scaled(60) {
            let overlay = Overlay()
            var model: [[UInt8]: [UInt8]?] = [:]
            for _ in 0..<6 {
                let outer = overlay.mark()
                let outerModel = model
                for _ in 0..<3 {
                    change(overlay, &model, &random)
                    let inner = overlay.mark()
                    let innerModel = model
                    change(overlay, &model, &random)
                    if Bool.random(using: &random) {
                        overlay.roll(backTo: inner)
                        model = innerModel
                    }
                    change(overlay, &model, &random)
                    #expect(changes(overlay) == model)
                }
                if Bool.random(using: &random) {
                    overlay.roll(backTo: outer)
                    model = outerModel
                }
                #expect(changes(overlay) == model)
                for (key, value) in model {
                    key.withUnsafeBytes {
                        switch (overlay.entry($0), value) {
                        case (.value(let found), let value?): #expect(Array(found) == value)
                        case (.removed, nil): break
                        default: Issue.record("\(key) is not \(String(describing: value))")
                        }
                    }
                }
            }
            overlay.reset()
            #expect(overlay.isEmpty && changes(overlay).isEmpty)
        }
    }

    /// A few random changes, of keys that are looked up and of those that are only scanned.
    private func change(
        _ overlay: Overlay, _ model: inout [[UInt8]: [UInt8]?], _ random: inout SeededGenerator
    ) {
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let kind = [2, 3, 5, 7].randomElement(using: &random) ?? 7
            let key = key(UInt8(kind), Int.random(in: 0..<6, using: &random))
            let value = [UInt8](
                repeating: UInt8.random(in: 0...255, using: &random),
                count: Int.random(in: 0..<1200, using: &random))
            switch (kind, Int.random(in: 0..<4, using: &random)) {
            case (_, 0):
                key.withUnsafeBytes { overlay.remove($0) }
                model[key] = .some(nil)
            case (5, _):
                key.withUnsafeBytes { key in
                    value.withUnsafeBytes { overlay.putInPlace(key, $0) }
                }
                model[key] = .some(value)
            default:
                put(overlay, key, value)
                model[key] = .some(value)
            }
        }
    }

    @Test("hands over very many changes in the order of their keys, each once")
    func many() {
        let overlay = Overlay()
        let count = 150_000
        for index in 0..<count {
            // Rows come in order, index entries in none, and every third of them again.
            put(
                overlay,
                key(index % 2 == 0 ? 7 : 3, index % 2 == 0 ? index : index * 7919 % 50_021), [1])
        }
        let batch = overlay.batch()
        #expect(
            batch.changes.count == count / 2
                + Set((0..<count / 2).map { (2 * $0 + 1) * 7919 % 50_021 }).count)
        for (one, next) in zip(batch.changes, batch.changes.dropFirst())
        where !Array(one.key).lexicographicallyPrecedes(Array(next.key)) {
            Issue.record("\(Array(next.key)) after \(Array(one.key))")
            return
        }
    }
}
