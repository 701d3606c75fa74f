import HoldfastBytes
import HoldfastJSON
import HoldfastTestSupport

/// Mutated documents: they are refused with an offset inside the text, or parsed; a parsed document that is
/// written is parsed as the same again.
struct JSONTarget {
    private let parser = JSONParser()

    private static let documents = [
        #"{"_id":"a","n":[1,-2,3.5e10,0.1,1E-7,123456789012345678901234567890],"t":true,"f":false,"z":null}"#,
        #"["\u00e9\ud83d\ude00\n\"\\\/",{"":{}},[[]],[[[[1]]]],"𝄞",""]"#,
        #"  {"a" : {"b" : [ {"c" : "d"} , 0 , -0 , -0.0 ] } }  "#, "0", "\"x\"", "[]", "null",
    ]
    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "\\ud800", "0", "-", ".", "e", "1e999",
        "true",
        "nul", "\u{0}", "\u{1F}", " ", "\n", "é", "9223372036854775807", "\"a\":",
    ]

    func round(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            var text = Array(
                Self.documents[Int.random(in: Self.documents.indices, using: &random)].utf8)
            for _ in 0..<Int.random(in: 0...3, using: &random) { change(&text, &random) }
            try check(text)
        }
    }

    private func change(_ text: inout [UInt8], _ random: inout SeededGenerator) {
        let offset = Int.random(in: 0...text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text.removeSubrange(offset...)
        case 1 where offset < text.count: text[offset] = UInt8(truncatingIfNeeded: random.next())
        case 2:
            let end = min(text.count, offset + Int.random(in: 0...8, using: &random))
            text.insert(
                contentsOf: text[offset..<end], at: Int.random(in: 0...text.count, using: &random))
        default:
            let piece = Self.pieces[Int.random(in: Self.pieces.indices, using: &random)]
            text.insert(contentsOf: piece.utf8, at: offset)
        }
    }

    private func check(_ text: [UInt8]) throws {
        // A copy of its own, so that a read beyond the end is seen by a memory checker.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: text.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: text)
        let value: JSONValue
        do throws(JSONError) {
            value = try parser.parse(UnsafeRawBufferPointer(copy))
        } catch {
            try expect(
                error.offset >= 0 && error.offset <= text.count,
                "an error at \(error.offset) of \(text.count) bytes: \(text)")
            return
        }
        let buffer = ByteBuffer()
        write(value, JSONWriter(buffer))
        let other = JSONParser()
        defer { withExtendedLifetime(other) {} }
        let again = ByteBuffer()
        write(try other.parse(buffer.bytes), JSONWriter(again))
        try expect(buffer.array == again.array, "written differently again: \(text)")
    }

    private func write(_ value: JSONValue, _ writer: JSONWriter) {
        switch value.kind {
        case .null: writer.null()
        case .bool: writer.bool(value.bool ?? false)
        case .integer, .double:
            _ = (value.int64, value.exactInt64, value.double, value.float)
            if let text = value.numberText { writer.raw(text) }
        case .string: if let bytes = value.stringBytes { writer.string(bytes) }
        case .array, .object:
            _ = value.repeatedName
            writer.each(of: value) { write($0, $1) }
        }
    }
}
