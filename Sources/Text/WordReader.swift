import HoldfastBytes
import CHoldfastICU

/// Finds the words of texts in any script, without their case and accents.
///
/// Words are those that ICU's word iterator finds and that are no punctuation: `can't` and `3.14` are
/// one word each, `a-b` is two. One thread at a time uses a reader; it keeps its memory from text to text.
package final class WordReader {
    private let folder = TextFolder(ignoresCase: true)
    private let words: OpaquePointer?

    /// Makes a reader. Cost: microseconds, but for the first of a process.
    package init() { words = HFWordsMake() }

    deinit { HFWordsFree(words) }

    /// Hands over each word of a text, folded, until `body` returns false. A word is valid only within
    /// `body`. Cost: some 10 ns a character of ASCII, 100 ns of other text.
    package func forEachWord(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) {
        if UTF8Scalars.isASCII(text) {
            ASCIIWords.forEachWord(text) { range in
                body(folder.fold(UnsafeRawBufferPointer(rebasing: text[range])))
            }
            return
        }
        // Versions of ICU differ in whether '@' is part of a word. It is not: the parts between are read by
        // themselves.
        var begin = 0
        while begin <= text.count {
            var end = begin
            while end < text.count, text[end] != UInt8(ascii: "@") { end += 1 }
            let part = UnsafeRawBufferPointer(rebasing: text[begin..<end])
            if !part.isEmpty, !forEachWord(ofPart: part, body) { return }
            begin = end + 1
        }
    }

    /// Hands over the words of a part by ICU; false when no more are wanted.
    private func forEachWord(
        ofPart text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        guard let words, HFWordsBegin(words, text.baseAddress, text.count) else { return true }
        var (start, end) = (0, 0)
        while HFWordsNext(words, &start, &end) {
            let word = folder.fold(UnsafeRawBufferPointer(rebasing: text[start..<end]))
            if !word.isEmpty, !body(word) { return false }
        }
        return true
    }
}
