@testable import HoldfastObjectStore
import HoldfastStorage
import Testing
import HoldfastTestSupport

@Suite("The overlay of uncommitted changes")
struct OverlayTests {
    private func key(_ kind: UInt8, _ number: Int) -> [UInt8] {
        [kind] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    /// A key of an index that begins as all of them do: its order can't be told without its last bytes.
    private func longKey(_ number: Int) -> [UInt8] {
        [3] + [UInt8](repeating: 0x61, count: 24) + key(0, number)
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

    @Test("finds keys that rise, and those that come or are looked for between them")
    func rising() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("rising keys"))
        for _ in 0..<SeededGenerator.scaled(40) {
            let overlay = Overlay()
            var model: [[UInt8]: [UInt8]?] = [:]
            // Some rounds never have a key that does not rise.
            let fallsOnceIn = [8, 40, .max].randomElement(using: &random) ?? 8
            var numbers = (rows: 1000, keys: 1000)
            for step in 0..<Int.random(in: 1..<200, using: &random) {
                let marked = (overlay.mark(), model)
                for _ in 0..<Int.random(in: 1..<4, using: &random) {
                    numbers.rows += Int.random(in: 1..<4, using: &random)
                    numbers.keys += Int.random(in: 1..<300, using: &random)
                    let falls = Int.random(in: 0..<fallsOnceIn, using: &random) == 0
                    for key in [
                        key(7, falls ? numbers.rows - 5 : numbers.rows), key(2, numbers.keys),
                    ] {
                        put(overlay, key, [UInt8(truncatingIfNeeded: step)])
                        model[key] = .some([UInt8(truncatingIfNeeded: step)])
                    }
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    overlay.roll(backTo: marked.0)
                    model = marked.1
                }
                guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
                for number in [
                    0, numbers.rows, numbers.rows - 1, numbers.rows + 1, .max,
                    Int.random(in: 1000...numbers.rows, using: &random),
                ] {
                    let key = key(7, number)
                    #expect(value(overlay, key) == model[key])
                }
            }
            var cursor = Overlay.Cursor(overlay, KeyRange(lower: [], upper: nil))
            var walked: [[UInt8]] = []
            if Bool.random(using: &random) {
                while let (key, _) = cursor.next() { walked.append(Array(key)) }
                #expect(walked == model.keys.sorted { $0.lexicographicallyPrecedes($1) })
            }
            #expect(changes(overlay) == model)
        }
    }

    @Test("walks a range over several kinds up to its end, wherever that lies")
    func kinds() {
        let overlay = Overlay()
        let keys = [2, 3, 4, 7].flatMap { kind in (1...3).map { key(UInt8(kind), $0) } }
        for key in keys.reversed() { put(overlay, key, [1]) }
        func walked(_ lower: [UInt8], _ upper: [UInt8]?) -> [[UInt8]] {
            var cursor = Overlay.Cursor(overlay, KeyRange(lower: lower, upper: upper))
            var found: [[UInt8]] = []
            while let (key, _) = cursor.next() { found.append(Array(key)) }
            return found
        }
        let bounds = keys + (0...9).map { [$0] } + [key(3, 2) + [0], key(7, 9)]
        for lower in bounds + [[]] {
            for upper in bounds.map(Optional.some) + [nil] {
                let expected = keys.filter { key in
                    !key.lexicographicallyPrecedes(lower)
                        && upper.map { key.lexicographicallyPrecedes($0) } ?? true
                }
                #expect(walked(lower, upper) == expected)
            }
        }
    }

    @Test("takes rising keys again that were taken back, before and after one was looked for")
    func again() {
        for looksUp in [false, true] {
            let overlay = Overlay()
            put(overlay, key(7, 1), [1])
            let mark = overlay.mark()
            for number in 2...9 { put(overlay, key(7, number), [2]) }
            if looksUp { #expect(value(overlay, key(7, 5)) == [2]) }
            overlay.roll(backTo: mark)
            #expect(value(overlay, key(7, 5)) == nil)
            let inner = overlay.mark()
            for number in [5, 9, 10] { put(overlay, key(7, number), [3]) }
            #expect(value(overlay, key(7, 9)) == [3])
            #expect(changes(overlay).keys.count == 4)
            overlay.roll(backTo: inner)
            #expect(changes(overlay) == [key(7, 1): [1]])
        }
    }

    /// What the overlay says of a key; nil for nothing.
    private func value(_ overlay: Overlay, _ key: [UInt8]) -> [UInt8]?? {
        key.withUnsafeBytes {
            switch overlay.entry($0) {
            case .none: nil
            case .removed: .some(nil)
            case .value(let value): .some(Array(value))
            }
        }
    }

    @Test("hands over very many changes in the order of their keys, each once with its last value")
    func many() {
        let overlay = Overlay()
        var model: [[UInt8]: [UInt8]] = [:]
        for index in 0..<150_000 {
            // Rows come in order, entries of indexes and inverse links in none, some of them again.
            let key =
                switch index % 3 {
                case 0: key(7, index)
                case 1: key(3, index * 7919 % 40_009)
                default: key(4, index * 6151 % 60_013)
                }
            let value = [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8)]
            put(overlay, key, value)
            model[key] = value
        }
        let batch = overlay.batch()
        let expected = model.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        #expect(batch.changes.count == expected.count)
        for (change, expected) in zip(batch.changes, expected)
        where !change.key.elementsEqual(expected.key)
            || change.value?.elementsEqual(expected.value) != true
        {
            Issue.record("\(Array(change.key)) in the place of \(expected.key)")
            return
        }
        var position = 0
        overlay.forEachPart(changeCount: 1000) { part in
            let whole = batch.changes[position..<position + part.changes.count]
            #expect(part.changes.elementsEqual(whole) { $0.key.elementsEqual($1.key) })
            position += part.changes.count
            // A part is full unless it is its kind's last.
            #expect(
                part.changes.count == 1000 || position == batch.changes.count
                    || batch.changes[position].key[0] != batch.changes[position - 1].key[0])
        }
        #expect(position == batch.changes.count)
    }

    /// Enough changes of one kind that a thread begins to sort them while they are still being made.
    @Test(
        "sorts very many changes while they are made, also when some were scanned or taken back",
        arguments: ["all", "scanned early", "scanned late", "taken back"])
    func beside(_ round: String) {
        let overlay = Overlay()
        var model: [Int: Int] = [:]
        var before = (mark: overlay.mark(), model: model)
        for index in 0..<205_000 {
            switch (round, index) {
            case ("scanned early", 3000), ("scanned late", 67_000):
                var cursor = Overlay.Cursor(overlay, KeyRange(lower: [3], upper: nil))
                #expect(cursor.next().map { Array($0.0) } == model.keys.min().map(longKey))
            case ("taken back", 60_000), ("taken back", 180_000):
                before = (overlay.mark(), model)
            case ("taken back", 70_000), ("taken back", 200_000):
                overlay.roll(backTo: before.mark)
                model = before.model
            default: break
            }
            let number = index * 7919 % 150_001
            let (changed, value) = (longKey(number), index)
            changed.withUnsafeBytes { changed in
                withUnsafeBytes(of: value) { _ = overlay.put(changed, $0) }
            }
            model[number] = index
        }
        let expected = model.keys.sorted()
        var position = 0
        overlay.forEachPart(changeCount: 5000) { part in
            for change in part.changes {
                guard position < expected.count,
                    change.key.elementsEqual(longKey(expected[position])),
                    change.value?.loadUnaligned(as: Int.self) == model[expected[position]]
                else {
                    Issue.record("\(Array(change.key)) is at place \(position)")
                    position = .max / 2
                    return
                }
                position += 1
            }
        }
        #expect(position == expected.count)
    }

    @Test("forgets changes that are still being sorted")
    func reset() {
        let overlay = Overlay()
        for _ in 0..<4 {
            for number in 0..<66_000 { put(overlay, longKey(number * 7919 % 200_003), [1]) }
            overlay.reset()
        }
        #expect(changes(overlay).isEmpty)
    }

    @Test("orders long keys that begin alike, end early or come again, byte by byte")
    func alike() {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("alike keys"))
        for _ in 0..<SeededGenerator.scaled(4) {
            let overlay = Overlay()
            var model: [[UInt8]: [UInt8]?] = [:]
            let stems = (0..<3).map { _ in
                (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                    UInt8.random(in: 0...1, using: &random) &* 0xFF
                }
            }
            for number in 0..<5000 {
                let stem = stems[Int.random(in: 0..<3, using: &random)]
                let rest = (0..<Int.random(in: 0..<4, using: &random)).map { _ in
                    ([0, 0, 1, 0x7F, 0x80, 0xFF] as [UInt8]).randomElement(using: &random) ?? 0
                }
                let key = [3 as UInt8] + stem + rest as [UInt8]
                let value = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
                put(overlay, key, value)
                model[key] = value
            }
            #expect(changes(overlay) == model)
        }
    }
}
