import CHoldfastICU
import HoldfastTestSupport
import Testing
import HoldfastText

@Suite("Words")
struct WordTests {
    private func words(_ text: String) -> [String] {
        var found: [String] = []
        var text = text
        text.withUTF8 {
            WordReader().forEachWord(UnsafeRawBufferPointer($0)) {
                found.append(String(decoding: $0, as: UTF8.self))
                return true
            }
        }
        return found
    }

    @Test(
        "words are found in any script, lower-cased and without accents",
        arguments: [
            ("", []), (" .,- ", []), ("Hello, World!", ["hello", "world"]),
            ("can't won’t", ["can't", "won’t"]),
            ("a-b a_b _ _a __", ["a", "b", "a_b", "_a", "__"]),
            ("3.14 1,000;5 v1.2", ["3.14", "1,000;5", "v1.2"]), ("e.g. U.S.A.", ["e.g", "u.s.a"]),
            ("Zürich ÅNGSTRÖM", ["zurich", "angstrom"]), ("Zu\u{308}rich", ["zurich"]),
            ("Москва—Київ", ["москва", "киів"]), ("ΑΘΉΝΑ", ["αθηνα"]),
            ("東京都", ["東京", "都"]), ("コーヒー", ["コーヒー"]), ("สวัสดีครับ", ["สวสด", "ครบ"]),
            ("한국어 문서", ["한국어", "문서"]), ("שָׁלוֹם", ["שלום"]), ("x\u{0}y", ["x", "y"]),
            ("mail@example.com", ["mail", "example.com"]), ("é@é @é é@ @", ["e", "e", "e", "e"]),
            ("12é", ["12e"]), ("👍 ok", ["ok"]),
        ])
    func words(text: String, expected: [String]) {
        #expect(words(text) == expected)
    }

    @Test("a reader stops when told to, and goes on with the next text")
    func stops() {
        let reader = WordReader()
        for text in ["one two three", "één twee drie"] {
            var count = 0
            var text = text
            text.withUTF8 {
                reader.forEachWord(UnsafeRawBufferPointer($0)) { _ in
                    count += 1
                    return count < 2
                }
            }
            #expect(count == 2)
        }
    }

    @Test("the short way for ASCII finds what ICU finds")
    func randomASCII() throws {
        let seed = SeededGenerator.testSeed("WordTests")
        var random = SeededGenerator(seed: seed)
        let icu = try #require(HFWordsMake())
        defer { HFWordsFree(icu) }
        let common = Array("aZ09_.',;:-\" \n".utf8)
        for _ in 0..<SeededGenerator.scaled(20_000) {
            let bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Int.random(in: 0..<8, using: &random) == 0
                    ? UInt8.random(in: 0..<128, using: &random)
                    : common.randomElement(using: &random) ?? 0
            }
            var expected: [[UInt8]] = []
            for part in bytes.split(separator: UInt8(ascii: "@")).map(Array.init) {
                part.withUnsafeBytes {
                    var (start, end) = (0, 0)
                    guard HFWordsBegin(icu, $0.baseAddress, $0.count) else { return }
                    while HFWordsNext(icu, &start, &end) {
                        expected.append(part[start..<end].map(lowered))
                    }
                }
            }
            var found: [[UInt8]] = []
            bytes.withUnsafeBytes {
                WordReader().forEachWord($0) {
                    found.append(Array($0))
                    return true
                }
            }
            #expect(found == expected, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
        }
    }

    private func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    // MARK: Searches

    private func terms(_ terms: [TextSearch.Term]) -> [String] {
        terms.map { String(decoding: $0.word, as: UTF8.self) + ($0.isPrefix ? "*" : "") }
    }

    @Test("a search is read as words that occur, are excluded or begin so")
    func reading() throws {
        let search = try TextSearch(
            "  Zürich\t-Bern\nlak* a-b -x-y* +c zurich -Genève 'quoted' *d ")
        #expect(terms(search.required) == ["a", "b", "c", "d", "lak*", "quoted", "zurich"])
        #expect(search.excluded.map { terms($0) } == [["bern"], ["geneve"], ["x", "y*"]])
        #expect(try terms(TextSearch("-only").required) == [])
        #expect(try terms(TextSearch("lone - . * word").required) == ["lone", "word"])
    }

    @Test(
        "what can't be searched for is refused",
        arguments: [
            ("", TextSearch.Fault.noWords), (" - * ., ", .noWords), ("a -a", .contradiction("a")),
            ("É -e", .contradiction("e")), ("-b* c b*", .contradiction("b")),
            ("a b -a-b", .contradiction("a")),
        ])
    func refused(text: String, fault: TextSearch.Fault) {
        #expect(throws: fault) { try TextSearch(text) }
    }

    @Test("a search has at most a thousand words")
    func limit() throws {
        let words = (0..<TextSearch.termCountMax).map { "w\($0)" }.joined(separator: " ")
        #expect(try TextSearch(words).required.count == TextSearch.termCountMax)
        #expect(throws: TextSearch.Fault.tooMany) { try TextSearch(words + " x") }
        #expect(throws: TextSearch.Fault.tooMany) { try TextSearch(words + "-x") }
    }

    @Test("random texts match as the plainest reading says")
    func randomSearches() throws {
        let seed = SeededGenerator.testSeed("WordTests, searches")
        var random = SeededGenerator(seed: seed)
        let pool = ["a", "ab", "abc", "é", "ea", "B", "東京", "x1"]
        for _ in 0..<SeededGenerator.scaled(3_000) {
            let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                let word = pool.randomElement(using: &random) ?? "a"
                return (Bool.random(using: &random) ? "" : "-") + word
                    + (Int.random(in: 0..<3, using: &random) == 0 ? "*" : "")
            }
            guard let search = try? TextSearch(items.joined(separator: " ")) else { continue }
            let matcher = TextSearchMatcher(search)
            for _ in 0..<4 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    pool.randomElement(using: &random) ?? ""
                }.joined(separator: [" ", ", ", "-"].randomElement(using: &random) ?? " ")
                let has = Set(words(text))
                func occurs(_ item: String) -> Bool {
                    words(item).enumerated().allSatisfy { place, word in
                        let isPrefix = item.hasSuffix("*") && place == words(item).count - 1
                        return has.contains { isPrefix ? $0.hasPrefix(word) : $0 == word }
                    }
                }
                let expected = items.allSatisfy { occurs($0) != $0.hasPrefix("-") }
                var bytes = text
                let result = bytes.withUTF8 { matcher.matches(UnsafeRawBufferPointer($0)) }
                #expect(result == expected, "seed \(seed): \(items) in \(text)")
            }
        }
    }
}
