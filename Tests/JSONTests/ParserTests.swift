import Glibc
import HoldfastJSON
import Testing

@Suite("A parser reads one text after the other")
struct ParserTests {
    @Test(
        "what stands in the padding does not matter",
        arguments: [
            "1", "12", "-1.5", "true", "null", "\"x\"", "[1]", "{\"a\":\"b\"}", "[1,2",
            "tru", "1e", "-", "[tr", "{\"a\":1", "[1.", "\"abc", "[\"\\u12", "{\"a", "",
        ])
    func padding(text: String) throws {
        let expected = try? withParsed(text, describe)
        let parser = JSONParser()
        for padding in ["1", "e", "\"", "]", "}", "\\", " ", "ue", ",", "\0"] {
            var bytes = Array(text.utf8)
            while bytes.count < text.utf8.count + JSONParser.paddingByteCount {
                bytes += Array(padding.utf8)
            }
            bytes.withUnsafeBytes { bytes in
                let text = UnsafeRawBufferPointer(rebasing: bytes.prefix(text.utf8.count))
                #expect((try? parser.parse(text, hasPadding: true)).map(describe) == expected)
            }
        }
    }

    @Test("nothing beyond the end is read without padding, nothing beyond the padding with it")
    func pageEnd() throws {
        let pageByteCount = 4_096
        let flags = MAP_PRIVATE | MAP_ANONYMOUS
        let pages = try #require(mmap(nil, 2 * pageByteCount, PROT_READ | PROT_WRITE, flags, -1, 0))
        defer { munmap(pages, 2 * pageByteCount) }
        #expect(mprotect(pages + pageByteCount, pageByteCount, PROT_NONE) == 0)
        memset(pages, 0x31, pageByteCount)
        let parser = JSONParser()
        for text in [
            "[\"a string\",12]", "1", "[1", "\"abc\"", "\"a\\n\"", "tru", "[\"\\u00", "{\"a\":1",
        ] {
            let bytes = Array(text.utf8)
            let expected = try? withParsed(text, describe)
            for (hasPadding, room) in [(false, 0), (true, JSONParser.paddingByteCount)] {
                let start = pages + pageByteCount - bytes.count - room
                bytes.withUnsafeBytes {
                    UnsafeMutableRawBufferPointer(start: start, count: $0.count).copyMemory(
                        from: $0)
                }
                let source = UnsafeRawBufferPointer(start: start, count: bytes.count)
                let parsed = (try? parser.parse(source, hasPadding: hasPadding)).map(describe)
                #expect(parsed == expected, "\(text)")
                memset(start, 0x31, bytes.count)
            }
        }
    }

    @Test("strings without escapes are not copied from a padded text")
    func inPlace() throws {
        let parser = JSONParser()
        let bytes = Array("[\"abc\"]".utf8) + [UInt8](repeating: 0, count: 64)
        try bytes.withUnsafeBytes { bytes in
            let root = try parser.parse(
                UnsafeRawBufferPointer(rebasing: bytes.prefix(7)), hasPadding: true)
            let string = root.elements.first { _ in true }?.stringBytes
            #expect(string?.baseAddress == bytes.baseAddress.map { $0 + 2 })
        }
    }

    @Test("large and small texts, good and bad ones alternate")
    func reuse() throws {
        let parser = JSONParser()
        for count in [1, 100_000, 3, 300_000, 1_000, 5] {
            let text = "[" + (0..<count).map { "\"\($0)\\n\",\($0)" }.joined(separator: ",") + "]"
            try Array(text.utf8).withUnsafeBytes { bytes in
                let root = try parser.parse(bytes)
                #expect(root.count == 2 * count)
                var index = 0
                var isRight = true
                for value in root.elements {
                    isRight =
                        isRight
                        && (index % 2 == 0
                            ? value.string == "\(index / 2)\n" : value.int64 == Int64(index / 2))
                    index += 1
                }
                #expect(isRight)
                #expect(throws: JSONError.self) {
                    try parser.parse(UnsafeRawBufferPointer(rebasing: bytes.dropLast()))
                }
            }
        }
    }

    @Test(
        "values that take more memory than the caller allows are refused, at the limit they are read"
    )
    func memory() throws {
        let parser = JSONParser()
        try Array("[1,1]".utf8).withUnsafeBytes { bytes in
            // Two brackets, two numbers and a comma.
            let root = try parser.parse(bytes, memoryMax: 100)
            #expect(root.count == 2)
            #expect { try parser.parse(bytes, memoryMax: 99) } throws: {
                ($0 as? JSONError)?.code == .tooManyValues
            }
        }
    }

    @Test("the memory of a large text is given back, and that of a small one kept")
    func giveBack() throws {
        let parser = JSONParser()
        for (count, isKept) in [(10, true), (1 << 20, false), (100, true)] {
            let text = "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]"
            try Array(text.utf8).withUnsafeBytes { _ = try parser.parse($0) }
            #expect(parser.capacity >= text.utf8.count)
            parser.giveBack()
            #expect((parser.capacity > 0) == isKept)
        }
    }

    @Test("a long number keeps its text, and a string its 16 MiB")
    func long() throws {
        let digits = String(repeating: "7", count: 70_000)
        try withParsed("[\(digits)]") { array in
            let value = try #require(array.elements.first { _ in true })
            #expect(value.isBigInteger && value.double == .infinity)
            #expect(value.numberText?.count == 70_000)
        }
        let string = [UInt8](repeating: UInt8(ascii: "s"), count: 16 * 1024 * 1024)
        let text = Array("{\"a\":\"".utf8) + string + Array("\"}".utf8)
        try withParsed(text) { object in
            #expect(object.member(named: "a")?.stringBytes?.count == string.count)
        }
        let tooLong = [UInt8](repeating: UInt8(ascii: "1"), count: 1 << 24)
        #expect(fault(of: tooLong)?.code == .numberTooLong)
        #expect(fault(of: Array(tooLong.dropLast())) == nil)
    }
}
