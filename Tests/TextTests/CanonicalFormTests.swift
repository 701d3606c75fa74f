import Testing

@testable import HoldfastText

/// The forms of texts that look the same.
@Suite("Canonical forms")
struct CanonicalFormTests {
    @Test(
        "compose and decompose letters, and leave what has one form alone",
        arguments: [
            ("", ""), ("plain", "plain"), ("\u{E9}", "e\u{301}"), ("\u{1E69}", "s\u{323}\u{307}"),
            ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("\u{1F600}\u{E9}", "\u{1F600}e\u{301}"),
            ("\u{FB01}", "\u{FB01}"), ("e\u{0}\u{E9}", "e\u{0}e\u{301}"),
        ])
    func forms(composed: String, decomposed: String) {
        for text in [composed, decomposed] {
            #expect(Array(CanonicalForm.composed.of(text).utf8) == Array(composed.utf8))
            #expect(Array(CanonicalForm.decomposed.of(text).utf8) == Array(decomposed.utf8))
        }
    }

    @Test("a scalar that becomes several has room for them, in a long text too")
    func growth() {
        // U+1D160 is three scalars beyond the first 65,536, U+0390 three short ones apart.
        for scalar in ["\u{1D160}", "\u{390}", "\u{1F82}", "\u{FB2C}"] {
            let text = String(repeating: scalar, count: 1000)
            let apart = CanonicalForm.decomposed.of(text)
            #expect(apart == text && apart.unicodeScalars.count >= 3000)
            #expect(CanonicalForm.composed.of(text) == text)
        }
    }
}
