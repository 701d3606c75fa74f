import Testing

@testable import HoldfastQuery

@Suite("codes of texts")
struct TextCodeTests {
    /// Texts of all lengths up to 40, each with every one of its bytes changed, and null.
    private static let texts: [[UInt8]?] =
        [nil]
        + (0...40).flatMap { count -> [[UInt8]] in
            let text = [UInt8](repeating: 7, count: count)
            return [text]
                + text.indices.map { index in
                    var other = text
                    other[index] = 8
                    return other
                }
        }

    /// The texts in memory of their own, twice.
    private static func withTexts(
        hashMask: UInt32, _ body: (UnsafeMutablePointer<HashedText>) -> Void
    ) {
        let hashed = UnsafeMutablePointer<HashedText>.allocate(capacity: 2 * texts.count)
        var copies: [UnsafeMutableRawBufferPointer] = []
        for (index, text) in (texts + texts).enumerated() {
            guard let text else {
                hashed[index] = .null
                continue
            }
            let copy = UnsafeMutableRawBufferPointer.allocate(
                byteCount: max(text.count, 1), alignment: 1)
            copy.copyBytes(from: text)
            copies.append(copy)
            let bytes = UnsafeRawBufferPointer(rebasing: copy[..<text.count])
            hashed[index] = HashedText(
                start: bytes.baseAddress, count: text.count,
                hash: TextChunk.hash(bytes) & hashMask)
        }
        body(hashed)
        for copy in copies { copy.deallocate() }
        hashed.deallocate()
    }

    @Test(
        "each text has one code, whatever its length and its hash",
        arguments: [0, 3, UInt32.max])
    func codes(hashMask: UInt32) {
        let table = CodeTable<HashedText>()
        let count = Self.texts.count
        Self.withTexts(hashMask: hashMask) { texts in
            var codes = [UInt32](repeating: 0, count: 2 * count)
            codes.withUnsafeMutableBufferPointer { codes in
                guard let start = codes.baseAddress else { return }
                table.encode(texts, count, into: start)
                table.encode(texts + count, count, into: start + count)
            }
            #expect(codes == (0..<2).flatMap { _ in (0..<count).map(UInt32.init) })
        }
        #expect(table.count == count)
    }
}
