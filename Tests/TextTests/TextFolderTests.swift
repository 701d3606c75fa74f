import Foundation
import HoldfastTestSupport
import Testing
import HoldfastText

@Suite("Texts without case and accents")
struct TextFolderTests {
    private func folded(_ text: String, case ignoresCase: Bool) -> String {
        let folder = TextFolder(ignoresCase: ignoresCase)
        var text = text
        return text.withUTF8 {
            String(decoding: folder.fold(UnsafeRawBufferPointer($0)), as: UTF8.self)
        }
    }

    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test(
        "case folds letter by letter, in every script",
        arguments: [
            ("PARIS", "paris"), ("Straße", "straße"), ("STRASSE", "strasse"), ("ẞ", "ß"),
            ("ΣΊΣΥΦΟΣ", "σίσυφοσ"), ("ς", "σ"), ("МОСКВА", "москва"), ("ԱԲ", "աբ"), ("K", "k"),
            ("ſ", "s"), ("Ǆ ǅ", "ǆ ǆ"), ("İ", "İ"), ("ı", "ı"), ("Ꭰ", "Ꭰ"), ("ꭰ", "Ꭰ"),
            ("𐐀", "𐐨"), ("Ⓐ", "ⓐ"), ("東京", "東京"), ("", ""),
        ])
    func caseFolding(text: String, expected: String) {
        #expect(scalars(text).map { CaseFolding.fold($0) } == scalars(expected))
    }

    @Test(
        "accents go, letters of their own stay",
        arguments: [
            ("Zürich", "Zurich"), ("Zu\u{308}rich", "Zurich"), ("Åse", "Ase"), ("\u{212B}", "A"),
            ("øßæłđ", "øßæłđ"), ("Việt Nam", "Viet Nam"), ("ΐ", "ι"), ("ёй", "еи"), ("İ", "I"),
            ("각", "각"), ("\u{1100}\u{1161}\u{11A8}", "각"), ("\u{1100}\u{1161}", "가"),
            ("가\u{11A8}", "각"), ("x\u{11A8}", "x\u{11A8}"), ("か\u{3099}", "か"), ("が", "か"),
            ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिनदी"), ("\u{301}", ""), ("a\u{301}\u{327}b", "ab"),
            ("𝅘𝅥", "𝅘𝅥"), ("\u{FA19}", "神"), ("e\u{E0100}", "e"), ("plain", "plain"),
        ])
    func accents(text: String, expected: String) {
        let result = folded(text, case: false)
        #expect(scalars(result) == scalars(expected.decomposedWithoutHangul))
    }

    @Test("both at once", arguments: [("ÉCOLE", "ecole"), ("İZMİR", "izmir"), ("ΆΛΦΑ", "αλφα")])
    func both(text: String, expected: String) {
        #expect(scalars(folded(text, case: true)) == scalars(expected))
    }

    @Test("bytes that are not UTF-8 stay, each by itself")
    func invalidBytes() {
        let folder = TextFolder(ignoresCase: true)
        let bytes: [UInt8] = [0xC3, 0x41, 0xFF, 0xC3, 0xA9, 0xE2, 0x82]
        let result = bytes.withUnsafeBytes { Array(folder.fold($0)) }
        #expect(result == [0xC3, 0x61, 0xFF, 0x65, 0xE2, 0x82])
    }

    @Test("any text without accents is its decomposition without nonspacing marks")
    func randomTexts() {
        let seed = SeededGenerator.testSeed("TextFolderTests")
        var random = SeededGenerator(seed: seed)
        let ranges: [ClosedRange<UInt32>] = [
            0x20...0x24F, 0x300...0x36F, 0x370...0x58F, 0x590...0xDFF, 0xE00...0x1FFF,
            0x1100...0x11FF, 0x2000...0x33FF, 0xAC00...0xD7A3, 0xF900...0xFFFD, 0x1D000...0x1D3FF,
            0x2F800...0x2FA1F, 0xE0000...0xE01FF,
        ]
        for _ in 0..<SeededGenerator.scaled(20_000) {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                let range = ranges.randomElement(using: &random) ?? 0x20...0x7E
                // ICU 72 knows Unicode 15, the standard library newer ones, which also move some letters to
                // another category: those lie in planes that are not drawn from.
                if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)),
                    let age = scalar.properties.age, age.major <= 15, age != (15, 1)
                {
                    text.append(scalar)
                }
            }
            let expected = String(
                String.UnicodeScalarView(
                    String(text).decomposedStringWithCanonicalMapping.unicodeScalars.filter {
                        $0.properties.generalCategory != .nonspacingMark
                    }))
            let result = folded(String(text), case: false)
            #expect(
                result.decomposedStringWithCanonicalMapping
                    == expected.decomposedStringWithCanonicalMapping,
                "seed \(seed): \(text.map { String($0.value, radix: 16) })")
        }
    }
}

extension String {
    /// The canonical decomposition, but for Hangul: other letters that are made of several stay several.
    fileprivate var decomposedWithoutHangul: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if (0xAC00...0xD7A3).contains(scalar.value) {
                result.append(scalar)
            } else {
                result += String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
            }
        }
        return String(result)
    }
}
