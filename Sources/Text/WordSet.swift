import HoldfastBytes

/// The distinct words of one text, in the order of their bytes. One thread at a time uses it. It keeps its memory from text to
/// text.
package final class WordSet {
    /// The maximum size of a word in bytes. Longer words are cut, and equal all words with the same beginning.
    package static let wordByteCountMax = 128
    /// The maximum size of words that never equal a cut word. Words are cut before a character, which has at most four bytes.
    package static let exactByteCountMax = wordByteCountMax - 4

    private let reader = WordReader()
    private var buffer = ByteBuffer(capacity: 1024)
    private var spans: ContiguousArray<Range<Int>> = []

    package init() {}

    package var count: Int { spans.count }

    /// A word; valid until the next text is read.
    package subscript(index: Int) -> UnsafeRawBufferPointer { bytes(spans[index]) }

    private func bytes(_ span: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: buffer.bytes[span])
    }

    /// Takes the words of a text. Cost: reading it, and n log n in the words.
    package func read(_ text: UnsafeRawBufferPointer) {
        buffer.removeAll()
        spans.removeAll(keepingCapacity: true)
        reader.forEachWord(text) { word in
            let count = Self.cutByteCount(word)
            spans.append(buffer.count..<(buffer.count + count))
            buffer.append(UnsafeRawBufferPointer(rebasing: word[..<count]))
            return true
        }
        spans.sort { compareKeys(bytes($0), bytes($1)) < 0 }
        var kept = 0
        for index in spans.indices {
            if kept > 0, compareKeys(bytes(spans[kept - 1]), bytes(spans[index])) == 0 { continue }
            spans[kept] = spans[index]
            kept += 1
        }
        spans.removeSubrange(kept...)
    }

    /// Returns the number of bytes of a word after cutting it at a character.
    package static func cutByteCount(_ word: UnsafeRawBufferPointer) -> Int {
        guard word.count > wordByteCountMax else { return word.count }
        var count = wordByteCountMax
        while count > 0, word[count] & 0xC0 == 0x80 { count -= 1 }
        return count
    }

    /// Passes the words that are only in this set.
    package func forEachWord(notIn other: WordSet, _ body: (UnsafeRawBufferPointer) -> Void) {
        var index = 0
        for word in spans {
            let own = bytes(word)
            while index < other.count, compareKeys(other[index], own) < 0 { index += 1 }
            if index < other.count, compareKeys(other[index], own) == 0 { continue }
            body(own)
        }
    }

    /// Frees memory that only a long text needs.
    package func shrink(to byteCount: Int) {
        if spans.capacity * MemoryLayout<Range<Int>>.stride > byteCount { spans = [] }
        if buffer.roomByteCount > byteCount { buffer = ByteBuffer(capacity: 1024) }
    }
}
