import HoldfastBytes
import Glibc
import HoldfastJSON
import HoldfastTestSupport
import Testing

@Suite("What is written is the JSON it should be")
struct WriterTests {
    private func number(below limit: UInt64, _ random: inout SeededGenerator) -> UInt64 {
        UInt64.random(in: 0..<limit, using: &random)
    }

    private func written(_ body: (JSONWriter) -> Void) -> String {
        let buffer = ByteBuffer(capacity: 16)
        body(JSONWriter(buffer))
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test("integers of every length are written digit by digit")
    func integers() {
        var power: UInt64 = 1
        for _ in 0..<20 {
            for value in [power &- 1, power, power &+ 1, power &* 9, power &* 3 &+ 7] {
                #expect(written { $0.uint(value) } == String(value))
                let signed = Int64(bitPattern: value)
                #expect(written { $0.int(signed) } == String(signed))
                #expect(written { $0.int(0 &- signed) } == String(0 &- signed))
            }
            power = power &* 10
        }
        #expect(written { $0.int(.min) } == "-9223372036854775808")
        #expect(written { $0.uint(.max) } == "18446744073709551615")
        #expect(written { json in json.quoted { json.int(-5) } } == "\"-5\"")
        for value in 0..<100_000 where written({ $0.int(Int64(value)) }) != String(value) {
            Issue.record("\(value)")
        }
    }

    @Test(
        "doubles have the shortest form that is no integer",
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-42, "-42.0"), (0.1, "0.1"), (1.5, "1.5"),
            (100_000, "100000.0"), (1e15, "1000000000000000.0"), (0x1p53, "9007199254740992.0"),
            (1e16, "1e+16"), (1e22, "1e+22"), (1e-5, "0.00001"), (1e-7, "1e-07"),
            (.leastNonzeroMagnitude, "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
            (51.37601, "51.37601"), (-1.0 / 3, "-0.3333333333333333"), (.nan, "\"NaN\""),
            (.infinity, "\"Infinity\""), (-.infinity, "\"-Infinity\""),
        ] as [(Double, String)])
    func doubles(value: Double, text: String) {
        #expect(written { $0.double(value) } == text)
    }

    @Test(
        "floats have the shortest form of a float",
        arguments: [
            (0.1, "0.1"), (16_777_216, "16777216.0"), (-0.0, "-0.0"),
            (3.4028235e38, "3.4028235e+38"),
            (.leastNonzeroMagnitude, "1e-45"), (.nan, "\"NaN\""), (-.infinity, "\"-Infinity\""),
        ] as [(Float, String)])
    func floats(value: Float, text: String) {
        #expect(written { $0.float(value) } == text)
    }

    @Test("random doubles and floats read back bit for bit")
    func numbersRoundTrip() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("numbers"))
        let buffer = ByteBuffer()
        let parser = JSONParser()
        for _ in 0..<50_000 {
            let bits = random.next()
            let value = Double(bitPattern: bits)
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: bits))
            guard value.isFinite, float.isFinite else { continue }
            buffer.removeAll()
            JSONWriter(buffer).array { array in
                array.element().double(value)
                array.element().float(float)
                array.element().double(Double(Int64(bitPattern: bits) >> 20) / 1_000)
                array.element().int(Int64(bitPattern: bits))
            }
            let elements = Array(try parser.parse(buffer.bytes).elements)
            let isRight =
                elements.count == 4 && elements[0].double?.bitPattern == value.bitPattern
                && elements[1].float?.bitPattern == float.bitPattern
                && elements[2].double == Double(Int64(bitPattern: bits) >> 20) / 1_000
                && elements[3].int64 == Int64(bitPattern: bits)
                && elements[0].kind == .double && elements[3].kind == .integer
            if !isRight { Issue.record("\(value) \(float) \(bits)") }
        }
    }

    @Test("the parser agrees with the C library on random decimal texts")
    func decimalTexts() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("decimal texts"))
        let parser = JSONParser()
        for _ in 0..<50_000 {
            var text = number(below: 2, &random) == 0 ? "-" : ""
            text += String(random.next() >> number(below: 64, &random))
            if number(below: 3, &random) > 0 {
                text += "." + String(random.next() >> number(below: 64, &random))
            }
            if number(below: 2, &random) == 0 {
                text += "e" + String(Int(number(below: 660, &random)) - 330)
            }
            let read = try Array(text.utf8).withUnsafeBytes { try parser.parse($0).double }
            if read?.bitPattern != strtod(text, nil).bitPattern && text != "-0" {
                Issue.record("\(text)")
            }
        }
    }

    @Test("strings escape quotes, backslashes and control characters, and nothing else")
    func strings() {
        #expect(written { $0.string("") } == "\"\"")
        #expect(written { $0.string("a/é漢😀\u{7F}") } == "\"a/é漢😀\u{7F}\"")
        #expect(
            written { $0.string("\"\\\n\r\t\u{8}\u{C}\0\u{1F}") }
                == #""\"\\\n\r\t\b\f\u0000\u001f""#)
        #expect(written { $0.key("id") } == "\"id\":")
        #expect(written { $0.key("a\"b" as String) } == "\"a\\\"b\":")
        #expect(JSONWriter.encodedKey("é\n") == Array("\"é\\n\":".utf8))
    }

    @Test("a byte that needs an escape is found at every place")
    func escapePlaces() throws {
        for count in 0..<50 {
            for place in 0..<count {
                for byte: UInt8 in [0x22, 0x5C, 0x00, 0x1F, 0x0A] {
                    var bytes = [UInt8](repeating: 0x7E, count: count)
                    bytes[place] = byte
                    let buffer = ByteBuffer()
                    bytes.withUnsafeBytes { JSONWriter(buffer).string($0) }
                    let read = try withParsed(buffer.array) { $0.stringBytes.map(Array.init) }
                    if read != bytes { Issue.record("\(count) \(place) \(byte)") }
                }
            }
        }
    }

    @Test("objects and arrays get their commas")
    func structure() {
        let text = written { writer in
            writer.object { object in
                object.member("none").null()
                object.member("list").array { array in
                    array.element().bool(true)
                    array.element().object { _ in }
                    array.element().array { _ in }
                }
                object.member(named: "\"").string("x")
            }
        }
        #expect(text == #"{"none":null,"list":[true,{},[]],"\"":"x"}"#)
    }

    @Test("random values read back as they were written")
    func randomValues() throws {
        var random = SeededGenerator(seed: SeededGenerator.testSeed("written values"))
        let parser = JSONParser()
        for _ in 0..<2_000 {
            let buffer = ByteBuffer()
            var expected = ""
            write(&random, JSONWriter(buffer), depth: 0, &expected)
            let read = describe(try parser.parse(buffer.bytes, depthMax: 6))
            if read != expected { Issue.record("\(read) is not \(expected)") }
        }
    }

    private func write(
        _ random: inout SeededGenerator, _ writer: JSONWriter, depth: Int, _ expected: inout String
    ) {
        func text() -> String {
            let scalars: [Unicode.Scalar] = [
                "a", "\"", "\\", "\n", "é", "漢", "😀", "\u{1}", "/", " ",
            ]
            var view = String.UnicodeScalarView()
            for _ in 0..<number(below: 40, &random) {
                view.append(scalars[Int(number(below: 10, &random))])
            }
            return String(view)
        }
        switch number(below: depth > 4 ? 5 : 8, &random) {
        case 0: writer.null(); expected += "null"
        case 1: writer.bool(true); expected += "true"
        case 2, 3:
            let value = Int64(bitPattern: random.next()) >> Int64(number(below: 64, &random))
            writer.int(value)
            expected += String(value)
        case 4:
            let value = text()
            writer.string(value)
            expected += "<\(value)>"
        case 5, 6:
            writer.array { array in
                expected += "["
                for index in 0..<number(below: 6, &random) {
                    if index > 0 { expected += "," }
                    write(&random, array.element(), depth: depth + 1, &expected)
                }
                expected += "]"
            }
        default:
            writer.object { object in
                expected += "{"
                for index in 0..<number(below: 6, &random) {
                    let name = text()
                    expected += (index > 0 ? "," : "") + name + ":"
                    write(&random, object.member(named: name), depth: depth + 1, &expected)
                }
                expected += "}"
            }
        }
    }
}
