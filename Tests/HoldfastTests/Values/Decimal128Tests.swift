import Foundation
import Holdfast
import Testing

@Suite("Decimal128")
struct Decimal128Tests {
    @Test("is written as an integer, a number with a point or a text")
    func literals() {
        let (whole, fraction, text): (Decimal128, Decimal128, Decimal128) = (12, 1.5, "1e3")
        #expect("\(whole)" == "12" && "\(fraction)" == "1.5" && text == 1000)
        #expect("\(-fraction)" == "-1.5" && Decimal128() == 0)
    }

    @Test("reads a text, and throws for one that is no number")
    func texts() throws {
        #expect(try Decimal128(string: "12.50") == 12.5)
        #expect(try Decimal128(string: "-Infinity") < .min)
        #expect(try Decimal128(string: "NaN").isNaN)
        for text in ["", "12x", "1.2.3", "--1"] {
            let fault = #expect(throws: InvalidValueText.self) { try Decimal128(string: text) }
            #expect(fault?.description.contains("Invalid decimal '\(text)'") == true)
        }
    }

    @Test(
        "takes the value of a number exactly, of a floating-point number to 15 significant digits")
    func numbers() {
        #expect(Decimal128(number: NSNumber(value: 0.1)) == "0.1")
        #expect(Decimal128(number: NSNumber(value: Int64.min)) == "-9223372036854775808")
        #expect(Decimal128(number: NSNumber(value: UInt64.max)) == "18446744073709551615")
        #expect(Decimal128(number: NSDecimalNumber(string: "1.25")) == 1.25)
        #expect(Decimal128(floatLiteral: 1.0 / 3).description == "0.333333333333333")
    }

    @Test("takes values of any type of number, and texts")
    func values() {
        #expect(
            Decimal128(value: 5) == 5 && Decimal128(value: UInt64.max) == "18446744073709551615")
        #expect(Decimal128(value: 2.5) == 2.5 && Decimal128(value: Float(0.5)) == 0.5)
        #expect(Decimal128(value: "7.25") == 7.25 && Decimal128(value: Decimal128(3)) == 3)
    }

    @Test("of a value that is no number ends the process")
    func noNumber() async {
        let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Decimal128(value: [1])
        }
        #expect(
            end.message.contains("Cannot convert value '[1]' of type 'Array<Int>' to decimal128"))
    }

    @Test("is made exactly of integers of up to 34 digits, of others not at all, or rounded")
    func wideIntegers() {
        let wide: Int128 = 9_999_999_999_999_999_999_999_999_999_999_999
        #expect(Decimal128(exactly: wide) == "9999999999999999999999999999999999")
        #expect(Decimal128(exactly: wide * 10 + 1) == nil)
        #expect(Decimal128(exactly: wide * 10) == "99999999999999999999999999999999990")
        #expect(Decimal128(exactly: -5)?.description == "-5")
        #expect(Decimal128(wide * 10 + 4) == "99999999999999999999999999999999990")
        #expect(Decimal128(wide * 10 + 6) == "1E+35")
    }

    @Test("calculates with 34 digits, and rounds ties to the even digit")
    func arithmetic() {
        #expect((Decimal128(1) / 3).description == "0." + String(repeating: "3", count: 34))
        #expect((Decimal128(2) / 3).description.hasSuffix("66667"))
        let large: Decimal128 = "1000000000000000000000000000000000"
        #expect(large + 0.5 == large && large + 1 + 0.5 == large + 2)
        var number: Decimal128 = 6
        number *= 7
        number -= 2
        number += 1
        number /= 2
        #expect(number == 20.5 && Decimal128(1) / 0 > .max && (Decimal128(0) / 0).isNaN)
    }

    @Test("is described without trailing zeros behind the point")
    func descriptions() {
        #expect((("2.5" as Decimal128) - "3.5").description == "-1")
        #expect(((1.234567 as Decimal128) + 9.876543).description == "11.11111")
        #expect(("100.00" as Decimal128).description == "100")
        #expect(("1.0E+30" as Decimal128).description == "1E+30")
        #expect(("NaN" as Decimal128).description == "NaN")
    }

    @Test("is equal to, and hashes as, the same number with other zeros")
    func equality() {
        let (short, long): (Decimal128, Decimal128) = ("1", "1.0")
        #expect(short == long && short.hashValue == long.hashValue)
        #expect(Set([short, long, "1.00"]).count == 1)
        #expect(("0" as Decimal128) == "-0.0" && ("NaN" as Decimal128) != "NaN")
    }

    @Test("has an order, least and greatest numbers, a magnitude and a sign")
    func order() {
        let sorted: [Decimal128] = [3, -1, 2.5].sorted()
        #expect(sorted == [-1, 2.5, 3] && sorted.min() == -1 && sorted.max() == 3)
        #expect(Decimal128.max.description == "9.999999999999999999999999999999999E+6144")
        #expect(Decimal128.min.description == "-9.999999999999999999999999999999999E+6144")
        #expect((-2.5 as Decimal128).magnitude == 2.5 && (-2.5 as Decimal128).isNegative)
        #expect(!(("NaN" as Decimal128) < 1) && !("NaN" as Decimal128).isSignaling)
    }

    @Test("is strided over")
    func strides() {
        let steps = Array(stride(from: 1 as Decimal128, to: 2, by: 0.25))
        #expect(steps == [1, 1.25, 1.5, 1.75])
        #expect(
            (1 as Decimal128).distance(to: 2.5) == 1.5 && (1 as Decimal128).advanced(by: 2) == 3)
    }

    @Test("is encoded as a text, and decoded from a text or a number")
    func coding() throws {
        let values: [Decimal128] = ["1.50", -7]
        let data = try JSONEncoder().encode(values)
        #expect(String(decoding: data, as: UTF8.self) == #"["1.50","-7"]"#)
        #expect(try JSONDecoder().decode([Decimal128].self, from: data) == values)
        let numbers = Data("[1.5, 9007199254740993]".utf8)
        #expect(
            try JSONDecoder().decode([Decimal128].self, from: numbers) == [1.5, "9007199254740993"])
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([Decimal128].self, from: Data(#"["x"]"#.utf8))
        }
    }

    @Test("is stored with its zeros, and found by an equal number")
    func storage() throws {
        let realm = try Realm.empty()
        let person = Person()
        person.balance = "12.50"
        try realm.write { realm.add(person) }
        #expect(person.balance == 12.5)
        #expect(realm.objects(Person.self).filter("balance == 12.5").count == 1)
    }
}
