import HoldfastJSON
import Testing

@Suite("JSON texts are read as RFC 8259 says")
struct GrammarTests {
    @Test(
        "what the grammar allows is read",
        arguments: [
            ("null", "null"), ("true", "true"), (" false ", "false"), ("0", "0"),
            ("\t-1\r\n", "-1"),
            ("\"\"", "<>"), ("\"x\"", "<x>"), ("[]", "[]"), ("{}", "{}"), (" [ ] ", "[]"),
            ("[[],[[]],{}]", "[[],[[]],{}]"),
            ("{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"e\"}", "{a:{b:[1,{c:null}]},d:<e>}"),
            ("{\"\":0}", "{:0}"), ("{\"a\" : 1 , \"b\" : [ 2 , 3 ] }", "{a:1,b:[2,3]}"),
            ("{\"a\":1,\"a\":2}", "{a:1,a:2}"),
            (
                "[1,true,false,null,\"x\",-0.5e+10]",
                "[1,true,false,null,<x>,-0.5e+10]"
            ),
            ("\"\u{7F}é漢😀\u{2028}\"", "<\u{7F}é漢😀\u{2028}>"), ("[\"a\"\n]", "[<a>]"),
            ("[\"[,]{:}\",\"\\\\\",\"\\\"\"]", "[<[,]{:}>,<\\>,<\">]"),
        ])
    func accepted(text: String, expected: String) throws {
        #expect(try withParsed(text, describe) == expected)
    }

    @Test(
        "what it does not allow is refused with the reason and the place",
        arguments: [
            ("", .empty, 0), (" \n", .empty, 0),
            ("{", .unexpectedEnd, 1), ("[1", .unexpectedEnd, 2), ("[1,", .unexpectedEnd, 3),
            ("[tru", .unexpectedEnd, 4), ("{\"a\"", .unexpectedEnd, 4), ("[[]", .unexpectedEnd, 3),
            ("{\"a\":", .unexpectedEnd, 5), ("{\"a\":1,", .unexpectedEnd, 7),
            ("\u{FEFF}{}", .byteOrderMark, 0),
            ("}", .expectedValue, 0), (",", .expectedValue, 0), ("x", .expectedValue, 0),
            ("'a'", .expectedValue, 0), ("[1,]", .expectedValue, 3), ("[1,,2]", .expectedValue, 3),
            ("{\"a\":}", .expectedValue, 5), ("[NaN]", .expectedValue, 1),
            ("+1", .expectedValue, 0),
            (".5", .expectedValue, 0), ("[x", .expectedValue, 1), ("/**/1", .expectedValue, 0),
            ("[,1]", .expectedValueOrEndOfArray, 1), ("[}", .expectedValueOrEndOfArray, 1),
            ("{1:2}", .expectedNameOrEndOfObject, 1), ("{,}", .expectedNameOrEndOfObject, 1),
            ("{a:1}", .expectedNameOrEndOfObject, 1), ("{]", .expectedNameOrEndOfObject, 1),
            ("{\"a\":1,}", .expectedName, 7), ("{\"a\":1,b:2}", .expectedName, 7),
            ("{\"a\" 1}", .expectedColon, 5), ("{\"a\",1}", .expectedColon, 4),
            ("[1 2]", .expectedCommaOrEndOfArray, 3), ("[\"a\"x]", .expectedCommaOrEndOfArray, 4),
            ("[\"a\"\"b\"]", .expectedCommaOrEndOfArray, 4), ("[1}", .expectedCommaOrEndOfArray, 2),
            ("[\"a\":1]", .expectedCommaOrEndOfArray, 4), ("[1:2]", .expectedCommaOrEndOfArray, 2),
            ("{\"a\":1 \"b\":2}", .expectedCommaOrEndOfObject, 7),
            ("{\"a\":1]", .expectedCommaOrEndOfObject, 6),
            ("{\"a\":[1]:2}", .expectedCommaOrEndOfObject, 8),
            ("1 2", .trailingContent, 2), ("{}{}", .trailingContent, 2),
            ("[]]", .trailingContent, 2),
            ("null,", .trailingContent, 4), ("\"a\" x", .trailingContent, 4),
            ("\"a\"\u{0}", .trailingContent, 3),
            ("truex", .invalidLiteral, 0), ("True", .expectedValue, 0),
            ("[nul]", .invalidLiteral, 1),
            ("[falsy]", .invalidLiteral, 1), ("tru", .invalidLiteral, 0),
            ("true\u{0}", .invalidLiteral, 0),
            ("[null\u{B}]", .invalidLiteral, 1), ("[true\"\"]", .invalidLiteral, 1),
            ("01", .invalidNumber, 0), ("-", .invalidNumber, 0), ("-01", .invalidNumber, 0),
            ("1.", .invalidNumber, 0), ("1.e5", .invalidNumber, 0), ("1e", .invalidNumber, 0),
            ("1e+", .invalidNumber, 0), ("1e5.5", .invalidNumber, 0), ("0x10", .invalidNumber, 0),
            ("[1\u{C}]", .invalidNumber, 1), ("1_000", .invalidNumber, 0),
            ("[--1]", .invalidNumber, 1),
            ("[-Infinity]", .invalidNumber, 1), ("1\u{A0}", .invalidNumber, 0),
            ("\"", .unterminatedString, 0), ("[\"a]", .unterminatedString, 1),
            ("\"\\\"", .unterminatedString, 0), ("{\"a\":\"b}", .unterminatedString, 5),
            ("\"a\nb\"", .controlCharacter, 2), ("[\"\u{0}\"]", .controlCharacter, 2),
            ("[\"\t\"]", .controlCharacter, 2), ("[\"\\\n\"]", .controlCharacter, 3),
            ("\"\\x\"", .invalidEscape, 1), ("\"\\u12\"", .invalidEscape, 1),
            ("\"a\\u00g0\"", .invalidEscape, 2), ("\"\\uD800\\u12x4\"", .invalidEscape, 7),
            ("\"\\U0041\"", .invalidEscape, 1), ("{\"\\'\":1}", .invalidEscape, 2),
            ("\"\\uD800\"", .loneSurrogate, 1), ("\"\\uDC00\"", .loneSurrogate, 1),
            ("\"\\uD800x\"", .loneSurrogate, 1), ("\"\\uD800\\n\"", .loneSurrogate, 1),
            ("\"\\uD800\\uD800\"", .loneSurrogate, 1), ("\"\\uDC00\\uD800\"", .loneSurrogate, 1),
            ("[1\u{1A}2]", .invalidNumber, 1), ("[1 \u{C} 2]", .expectedCommaOrEndOfArray, 3),
            ("\\\"a\"", .unterminatedString, 3),
        ] as [(String, JSONError.Code, Int)])
    func refused(text: String, code: JSONError.Code, offset: Int) {
        let error = fault(of: Array(text.utf8))
        #expect(error?.code == code)
        #expect(error?.offset == offset)
    }

    @Test(
        "bytes that are not UTF-8 are refused at the first of them",
        arguments: [
            ([0x22, 0x80, 0x22], 1), ([0x22, 0xC0, 0x80, 0x22], 1), ([0x22, 0xC3, 0x22], 1),
            ([0x22, 0xED, 0xA0, 0x80, 0x22], 1), ([0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], 1),
            ([0x22, 0xF0, 0x80, 0x80, 0x80, 0x22], 1), ([0x22, 0xE0, 0x9F, 0xBF, 0x22], 1),
            ([0x22, 0x61, 0xC3, 0xA9, 0xFF, 0x22], 4), ([0x31, 0xFF], 1),
            ([0xFF, 0xFE, 0x31, 0x00], 0),
            ([0x22, 0x0A, 0xF8], 2), ([0x5B, 0x22, 0xE2, 0x82, 0x22, 0x5D], 2),
        ] as [([UInt8], Int)])
    func notUTF8(bytes: [UInt8], offset: Int) {
        let error = fault(of: bytes)
        #expect(error?.code == .invalidUTF8)
        #expect(error?.offset == offset)
    }

    static let rich = """
        {"name":"Lavāsān \\u00e9\\ud83d\\ude00\\n","list":[1,-2.5e-3,true,false,null,"",[],{}],
         "nested":{"a":{"b":[["c"]]}},"big":123456789012345678901234567890}
        """

    @Test("no prefix of an object is a text")
    func prefixes() throws {
        let bytes = Array(Self.rich.utf8)
        #expect(fault(of: bytes) == nil)
        for count in 0..<bytes.count {
            let error = fault(of: Array(bytes[..<count]))
            #expect(error != nil, "\(count) bytes")
            #expect((error?.offset ?? -1) <= count)
        }
    }

    @Test(
        "nesting is refused one level above the limit, which the message names",
        arguments: [1, 2, 128, 1_000])
    func depth(limit: Int) throws {
        func nested(_ depth: Int) -> [UInt8] {
            let open = (0..<depth).map { $0 % 2 == 0 ? "[" : "{\"a\":" }
            let close = (0..<depth).reversed().map { $0 % 2 == 0 ? "]" : "}" }
            let innermost = depth % 2 == 0 ? "0" : ""
            return Array((open.joined() + innermost + close.joined()).utf8)
        }
        #expect(fault(of: nested(limit), depthMax: limit) == nil)
        let error = fault(of: nested(limit + 1), depthMax: limit)
        #expect(error?.code == .tooDeep)
        #expect(error?.message.contains("\(limit) levels") == true)
        #expect(fault(of: Array("1".utf8), depthMax: 0) == nil)
        #expect(fault(of: Array("[]".utf8), depthMax: 0)?.code == .tooDeep)
    }

    @Test("an error tells line and column")
    func position() throws {
        let bytes = Array("{\n \"é\": x}".utf8)
        let error = try #require(fault(of: bytes))
        let position = bytes.withUnsafeBytes { error.position(in: $0) }
        #expect(position.line == 2)
        #expect(position.column == 7)
        #expect(error.description.hasSuffix("(byte 9)"))
    }
}
