import Testing

@testable import HoldfastQuery

@Suite("Search in long texts")
struct TextNeedleTests {
    private struct Source {
        var state: UInt64
        mutating func next(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(limit))
        }
        mutating func text(_ count: Int) -> String {
            String(
                (0..<next(count + 1)).map { _ in ["a", "A", "b", "é", "É", "😀"][next(6)] }.joined())
        }
    }

    /// Compares every beginning of the text with every beginning of the pattern.
    private func fits(_ text: String, _ pattern: String, ignoresCase: Bool) -> Bool {
        func scalars(_ text: String) -> [UInt32] {
            (ignoresCase ? text.lowercased() : text).unicodeScalars.map(\.value)
        }
        let (text, pattern) = (scalars(text), scalars(pattern))
        var row = [Bool](repeating: false, count: text.count + 1)
        row[0] = true
        for wanted in pattern {
            var before = row[0]
            row[0] = wanted == 0x2A && before
            var place = 1
            while place <= text.count {
                let here = row[place]
                row[place] =
                    wanted == 0x2A
                    ? here || row[place - 1]
                    : before && (wanted == 0x3F || text[place - 1] == wanted)
                before = here
                place += 1
            }
        }
        return row[text.count]
    }

    private func withBytes<Result>(
        _ a: String, _ b: String,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        Array(a.utf8).withUnsafeBytes { a in Array(b.utf8).withUnsafeBytes { b in body(a, b) } }
    }

    @Test("what is found is what comparing at each place finds", arguments: [1, 2, 3])
    func random(seed: UInt64) {
        var source = Source(state: seed)
        for _ in 0..<3000 {
            let (text, part) = (source.text(30), source.text(5))
            withBytes(text, part) { text, part in
                let expected = TextMatch.contains(text, part, ignoresCase: false)
                for units in [TextNeedle.Units.bytes, .scalars] {
                    var offset = 0
                    #expect(TextNeedle(part, units).find(in: text, from: &offset) == expected)
                    #expect(
                        TextNeedle(part, units).isSuffix(of: text, from: 0)
                            == TextMatch.ends(text, part, ignoresCase: false))
                }
                var offset = 0
                #expect(
                    TextNeedle(part, .folded).find(in: text, from: &offset)
                        == TextMatch.contains(text, part, ignoresCase: true))
                #expect(
                    TextNeedle(part, .folded).isSuffix(of: text, from: 0)
                        == TextMatch.ends(text, part, ignoresCase: true))
            }
        }
    }

    @Test(
        "texts that nearly match everywhere are searched to the right end, by every operator",
        arguments: [1, 2])
    func long(seed: UInt64) {
        var source = Source(state: seed)
        let run = String(repeating: "a", count: 800)
        for _ in 0..<5 {
            let text = run + source.text(6) + run + source.text(6)
            let part = String(repeating: "a", count: 500 + source.next(320)) + source.text(2)
            for ignoresCase in [false, true] {
                withBytes(text, part) { bytes, partBytes in
                    #expect(
                        TextMatch.contains(bytes, partBytes, ignoresCase: ignoresCase)
                            == fits(text, "*\(part)*", ignoresCase: ignoresCase))
                }
                for pattern in [
                    "*\(part)", "a*\(part)*\(source.text(4))", "*\(part)*?", "*?\(part)",
                ] {
                    withBytes(text, pattern) { bytes, patternBytes in
                        #expect(
                            TextMatch.like(bytes, patternBytes, ignoresCase: ignoresCase)
                                == fits(text, pattern, ignoresCase: ignoresCase))
                    }
                }
            }
        }
    }

    @Test("megabytes are searched for tens of thousands of bytes that nearly match everywhere")
    func megabytes() {
        let text = String(repeating: "a", count: 1 << 20)
        let part = String(repeating: "a", count: 50_000) + "b"
        withBytes(text, part) { text, part in
            #expect(!TextMatch.contains(text, part, ignoresCase: false))
            #expect(!TextMatch.contains(text, part, ignoresCase: true))
        }
        withBytes(text, "*\(part)*") { text, pattern in
            #expect(!TextMatch.like(text, pattern, ignoresCase: false))
            #expect(!TextMatch.like(text, pattern, ignoresCase: true))
        }
    }
}
