import HoldfastBytes
import HoldfastJSON
import HoldfastTestSupport
import Testing

@Suite("Bytes as text, and pointers")
struct EncodingTests {
    private func decoded(_ text: String, _ alphabet: Base64.Alphabet) -> [UInt8]? {
        Array(text.utf8).withUnsafeBytes { Base64.decode($0, alphabet: alphabet) }
    }

    @Test(
        "base64 is RFC 4648's",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        let buffer = ByteBuffer()
        buffer.append("x" as StaticString)
        Array(plain.utf8).withUnsafeBytes { Base64.encode($0, into: buffer) }
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "x" + encoded)
        #expect(decoded(encoded, .standard) == Array(plain.utf8))
        #expect(decoded(encoded, .url) == Array(plain.utf8))
        let unpadded = String(encoded.prefix { $0 != "=" })
        #expect(decoded(unpadded, .url) == Array(plain.utf8))
        #expect(unpadded == encoded || decoded(unpadded, .standard) == nil)
    }

    @Test(
        "anything else is refused, and nothing is appended",
        arguments: [
            "A", "AA=", "A===", "====", "=", "AAAAA", "AA=A", "AA==AAAA", "AAA=AAAA", "AB==",
            "AAB=",
            "AA A", "AAA\n", " AAA", "AA==\n", "AAA.", "é==", "AAAA=", "AAAA====",
        ])
    func refused(text: String) {
        for alphabet in [Base64.Alphabet.standard, .url] {
            #expect(decoded(text, alphabet) == nil)
            let buffer = ByteBuffer()
            let isValid = Array(text.utf8).withUnsafeBytes {
                Base64.decode($0, alphabet: alphabet, into: buffer)
            }
            #expect(!isValid && buffer.count == 0)
        }
    }

    @Test("each alphabet has its own last two digits")
    func alphabets() {
        #expect(decoded("+/+/", .standard) == [0xFB, 0xFF, 0xBF])
        #expect(decoded("-_-_", .url) == [0xFB, 0xFF, 0xBF])
        #expect(decoded("+/+/", .url) == nil)
        #expect(decoded("-_-_", .standard) == nil)
    }

    @Test("random bytes read back from base64, within JSON too, and from hexadecimal")
    func roundTrip() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("encoded bytes"))
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let buffer = ByteBuffer()
            bytes.withUnsafeBytes { JSONWriter(buffer).base64($0) }
            let read = try withParsed(buffer.array) { $0.stringBytes.flatMap { Base64.decode($0) } }
            #expect(read == bytes)
            buffer.removeAll()
            bytes.withUnsafeBytes { Hexadecimal.encode($0, into: buffer) }
            #expect(Hexadecimal.decode(buffer.bytes) == bytes)
        }
    }

    @Test("hexadecimal is read in either case, and strictly")
    func hexadecimal() {
        func read(_ text: String) -> [UInt8]? {
            Array(text.utf8).withUnsafeBytes { Hexadecimal.decode($0) }
        }
        #expect(read("00fFAb") == [0x00, 0xFF, 0xAB])
        for text in ["0", "0g", "0x", " 0", "é"] { #expect(read(text) == nil) }
    }

    @Test("pointers are escaped and read")
    func pointers() throws {
        var pointer = JSONPointer()
        #expect(pointer.description == "" && pointer.steps.isEmpty)
        pointer.append("a/b~c")
        pointer.append(index: 12)
        pointer.append("")
        #expect(pointer.description == "/a~1b~0c/12/")
        #expect(pointer.steps == ["a/b~c", "12", ""])
        #expect(JSONPointer("/a~1b~0c/12/") == pointer)
        #expect(JSONPointer("/~01")?.steps == ["~1"])
        #expect(pointer == JSONPointer().appending("a/b~c").appending(index: 12).appending(""))
        for text in ["a", "/~", "/~2", "/a~/b"] { #expect(JSONPointer(text) == nil) }
    }
}
