import Glibc
import HoldfastJSON
import Testing

@Suite("Values say what was written")
struct ValueTests {
    struct Number: Sendable {
        var text: String
        var kind: JSONValue.Kind
        var int64: Int64?
        var exact: Int64?
        var double: Double
        var isBig = false
    }

    @Test(
        "numbers keep their kind, their value and their text",
        arguments: [
            Number(text: "0", kind: .integer, int64: 0, exact: 0, double: 0),
            Number(text: "-0", kind: .integer, int64: 0, exact: 0, double: -0.0),
            Number(
                text: "9223372036854775807", kind: .integer, int64: .max, exact: .max,
                double: 0x1p63),
            Number(
                text: "-9223372036854775808", kind: .integer, int64: .min, exact: .min,
                double: -0x1p63),
            Number(text: "9223372036854775808", kind: .double, double: 0x1p63, isBig: true),
            Number(text: "-9223372036854775809", kind: .double, double: -0x1p63, isBig: true),
            Number(text: "18446744073709551615", kind: .double, double: 0x1p64, isBig: true),
            Number(text: "18446744073709551616", kind: .double, double: 0x1p64, isBig: true),
            Number(text: "100000000000000000000", kind: .double, double: 1e20, isBig: true),
            Number(text: "42.0", kind: .double, exact: 42, double: 42),
            Number(text: "-42.000e0", kind: .double, exact: -42, double: -42),
            Number(text: "4.2e1", kind: .double, exact: 42, double: 42),
            Number(text: "420e-1", kind: .double, exact: 42, double: 42),
            Number(text: "0.00042E+5", kind: .double, exact: 42, double: 42),
            Number(text: "42.5", kind: .double, double: 42.5),
            Number(text: "4503599627370497.0000001", kind: .double, double: 4503599627370497),
            Number(text: "9223372036854775807.0", kind: .double, exact: .max, double: 0x1p63),
            Number(text: "9223372036854775808.0", kind: .double, double: 0x1p63),
            Number(text: "-9.223372036854775808e18", kind: .double, exact: .min, double: -0x1p63),
            Number(text: "0.1", kind: .double, double: 0.1),
            Number(text: "1E5", kind: .double, exact: 100_000, double: 1e5),
            Number(text: "0e99999999999", kind: .double, exact: 0, double: 0),
            Number(text: "1e400", kind: .double, double: .infinity),
            Number(text: "-1e400", kind: .double, double: -.infinity),
            Number(text: "1e-400", kind: .double, double: 0),
            Number(text: "1e99999999999999999999", kind: .double, double: .infinity),
            Number(text: "1e-99999999999999999999", kind: .double, double: 0),
            Number(text: "5e-324", kind: .double, double: .leastNonzeroMagnitude),
            Number(text: "1.7976931348623157e308", kind: .double, double: .greatestFiniteMagnitude),
            Number(
                text: "2.2250738585072011e-308", kind: .double,
                double: Double.leastNormalMagnitude.nextDown),
            Number(
                text: "9007199254740993.0", kind: .double, exact: 9007199254740993,
                double: 9007199254740992),
            Number(text: "51.37601", kind: .double, double: 51.37601),
            Number(text: "123456789012345678.5", kind: .double, double: 123456789012345678.5),
        ])
    func number(_ number: Number) throws {
        for text in [number.text, " \(number.text)\n"] {
            try withParsed(text) { value in try check(value, number) }
        }
        try withParsed("[\(number.text)]") { array in
            try check(try #require(array.elements.first { _ in true }), number)
        }
        try withParsed("{\"a\":\(number.text) }") { object in
            try check(try #require(object.member(named: "a" as StaticString)), number)
        }
    }

    private func check(_ value: JSONValue, _ number: Number) throws {
        #expect(value.kind == number.kind)
        #expect(value.int64 == number.int64)
        #expect(value.exactInt64 == number.exact)
        #expect(value.double?.bitPattern == number.double.bitPattern)
        #expect(value.isBigInteger == number.isBig)
        #expect(value.numberText.map { String(decoding: $0, as: UTF8.self) } == number.text)
        #expect(value.string == nil && value.bool == nil && !value.isNull && value.count == 0)
    }

    @Test("a float is rounded once, from the text")
    func floats() throws {
        // As a double this is halfway between two floats, and would be rounded to the even one.
        let text = "1.00000017881393432617187499999"
        try withParsed(text) { value in
            #expect(value.float?.bitPattern == strtof(text, nil).bitPattern)
            #expect(value.double.map { Float($0) } != value.float)
        }
        try withParsed("[1e39,-1e39,1e-50,0.1,7,1e99999999999999999999,1E+2]") { array in
            #expect(
                array.elements.map(\.float) == [.infinity, -.infinity, 0, 0.1, 7, .infinity, 100])
        }
    }

    @Test("integers in strings are read strictly")
    func digits() {
        func read(_ text: String) -> Int64? {
            Array(text.utf8).withUnsafeBytes { Int64(jsonDigits: $0) }
        }
        #expect(read("-9223372036854775808") == .min)
        #expect(read("9223372036854775807") == .max)
        #expect(read("007") == 7)
        for text in [
            "", "-", "+1", " 1", "1 ", "1.0", "9223372036854775808", "-9223372036854775809",
        ] {
            #expect(read(text) == nil, "\(text)")
        }
    }

    @Test(
        "escapes become what they stand for, in names too",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u0041\u00e9\u6f22""#, "Aé漢"),
            (#""\ud83d\ude00\uDBFF\uDFFF""#, "😀\u{10FFFF}"), (#""\u0000x""#, "\0x"),
            (
                #""a long beginning without any escape \n and a long end without any escape""#,
                "a long beginning without any escape \n and a long end without any escape"
            ),
            (#""\\\\\\\\\\\\\\\\\\\\\\""#, #"\\\\\\\\\\\"#),
            (#""\uFFFF\uFFFE""#, "\u{FFFF}\u{FFFE}"),
        ])
    func escapes(text: String, expected: String) throws {
        #expect(try withParsed(text) { $0.string } == expected)
        try withParsed("{\(text):[\(text),\(text)],\"b\":\"plain\"}") { object in
            let list = try #require(object.member(named: expected))
            #expect(list.elements.map(\.string) == [expected, expected])
            #expect(object.member(named: "b" as StaticString)?.string == "plain")
        }
    }

    @Test("strings of every length end where they end")
    func lengths() throws {
        for count in 0..<100 {
            let text = String(repeating: "x", count: count)
            try withParsed("[\"\(text)\",\"\(text)\\n\",1]") { array in
                #expect(array.elements.map(\.string) == [text, text + "\n", nil])
            }
        }
    }

    @Test("arrays and objects count and give what is directly in them")
    func children() throws {
        try withParsed("{\"a\":[1,[2,[3]],{\"x\":[4]}],\"b\":{},\"c\":{\"a\":5},\"d\":6}") { root in
            #expect(root.count == 4)
            let names = root.members.map { String(decoding: $0.name, as: UTF8.self) }
            #expect(names == ["a", "b", "c", "d"])
            let list = try #require(root.member(named: "a" as StaticString))
            #expect(list.count == 3)
            #expect(list.elements.map(\.kind) == [.integer, .array, .object])
            #expect(root.member(named: "d")?.int64 == 6)
            #expect(root.member(named: "x") == nil)
            #expect(Array(list.members).isEmpty && Array(root.elements).isEmpty)
            #expect(root.member(named: "d").map { Array($0.elements).count } == 0)
        }
    }

    @Test("names that repeat are all there, and found", arguments: [2, 16, 17, 200])
    func repeatedNames(count: Int) throws {
        let members = (0..<count).map { "\"name\($0)\":\($0)" }
        try withParsed("{\(members.joined(separator: ","))}") { object in
            #expect(object.count == count)
            #expect(object.repeatedName == nil)
        }
        let repeated = members + ["\"n\\u0061me1\":true"]
        try withParsed("{\(repeated.joined(separator: ","))}") { object in
            #expect(object.count == count + 1)
            #expect(object.repeatedName.map { String(decoding: $0, as: UTF8.self) } == "name1")
            #expect(object.member(named: "name1")?.int64 == 1)
        }
        try withParsed("{\"\":1,\"\":2}") { #expect($0.repeatedName?.count == 0) }
        try withParsed("[1]") { #expect($0.repeatedName == nil) }
    }
}
