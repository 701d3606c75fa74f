import HoldfastText
import Testing

@Suite("Words of other products")
struct ForeignWordsTests {
    private let words = ForeignWords(
        ["default": "defaultvalue initial", "data": "db", "url": "db data"],
        advice: ["An int counts up.": "autoincrement"])

    @Test("mean a word of ours, whatever their case and separators")
    func word() {
        for name in ["defaultValue", "default_value", "DEFAULT-VALUE", "initial()"] {
            #expect(words.help(with: name) == .word("default"))
        }
        for name in ["", "_", "values", String(repeating: "d", count: 100)] {
            #expect(words.help(with: name) == nil)
        }
    }

    @Test("mean only a word that is known where they stand")
    func known() {
        #expect(words.word(for: "db") == "data")
        #expect(words.word(for: "db") { $0 == "url" } == "url")
        #expect(words.word(for: "db") { _ in false } == nil)
    }

    @Test("have a sentence where no word takes their place")
    func advice() {
        #expect(words.help(with: "auto_increment") { _ in false } == .advice("An int counts up."))
        #expect(words.word(for: "auto_increment") == nil)
    }
}
