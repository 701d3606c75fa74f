import CHoldfastICU

/// Finds the words of texts in any script, without their case and accents.
///
/// Words are the results of ICU's word iterator without punctuation: `can't` and `3.14` are one word each, `a-b` is two. One
/// thread at a time uses a reader. It keeps its memory from text to text.
package final class WordReader {
    private let folder = TextFolder(ignoresCase: true)
    private let words: OpaquePointer?

    /// Makes a reader. Cost: microseconds; more for the first in a process.
    package init() { words = HFWordsMake() }

    deinit { HFWordsFree(words) }

    /// Passes each word of a text, folded, until `body` returns false. A word is valid only within `body`. Cost: about 3 ns for
    /// each character of an ASCII text, 13 ns for each byte of another one.
    package func forEachWord(
        _ text: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) {
        if UTF8Scalars.isASCII(text) {
            ASCIIWords.forEachWord(text) { range in
                body(folder.fold(UnsafeRawBufferPointer(rebasing: text[range])))
            }
            return
        }
        // Versions of ICU differ in whether '@' is part of a word. Here it is not: the parts between are read separately.
        var begin = 0
        while begin <= text.count {
            var end = begin
            while end < text.count, text[end] != UInt8(ascii: "@") { end += 1 }
            let part = UnsafeRawBufferPointer(rebasing: text[begin..<end])
            if !part.isEmpty, !forEachWord(ofPart: part, body) { return }
            begin = end + 1
        }
    }

    /// Passes the words of a part, found by ICU. Returns false once `body` has returned false.
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

/// The words of an ASCII text, with the same results as ICU by the rules of UAX 29 in a quarter of the time. A test compares both.
enum ASCIIWords {
    /// The kind of a character in these rules.
    private enum Kind: UInt8 {
        case other, letter, digit
        /// `_`, which joins letters, digits and itself.
        case joiner
        /// `.` and `'`: between letters, and between digits.
        case middle
        /// `,` and `;`: between digits.
        case middleOfDigits
    }

    private static let kinds: [Kind] = (UInt8(0)..<128).map { byte in
        switch byte {
        case 0x30...0x39: .digit
        case 0x41...0x5A, 0x61...0x7A: .letter
        case UInt8(ascii: "_"): .joiner
        case UInt8(ascii: "."), UInt8(ascii: "'"): .middle
        case UInt8(ascii: ","), UInt8(ascii: ";"): .middleOfDigits
        default: .other
        }
    }

    /// Passes the range of each word, until `body` returns false.
    static func forEachWord(_ text: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Bool) {
        kinds.withUnsafeBufferPointer { kinds in
            func kind(_ offset: Int) -> Kind {
                offset < text.count ? kinds[Int(text[offset] & 0x7F)] : .other
            }
            var offset = 0
            while offset < text.count {
                let start = offset
                var last = kind(offset)
                offset += 1
                guard last == .letter || last == .digit || last == .joiner else { continue }
                var isWord = last != .joiner
                while true {
                    let next = kind(offset)
                    switch next {
                    // A single `_` is not a word; ICU takes several for one.
                    case .letter, .digit, .joiner: isWord = true
                    case .middle where last == .letter || last == .digit,
                        .middleOfDigits where last == .digit:
                        // It joins only if the same kind follows.
                        guard kind(offset + 1) == last else {
                            if isWord, !body(start..<offset) { return }
                            offset += 1
                            last = .other
                            break
                        }
                        offset += 2
                        continue
                    default:
                        if isWord, !body(start..<offset) { return }
                        last = .other
                    }
                    if last == .other { break }
                    last = next
                    offset += 1
                }
            }
        }
    }
}
