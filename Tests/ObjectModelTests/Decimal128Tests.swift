import HoldfastObjectModel
import Testing
import HoldfastTestSupport

@Suite("Decimal numbers")
struct Decimal128Tests {
    /// Text, the text that it is written as, and its rank among these: made by Python's `decimal` with
    /// the precision and range of decimal128.
    private static let vectors: [(text: String, written: String, rank: Int)] = [
        ("NaN", "NaN", 0),
        ("-Infinity", "-Infinity", 1),
        ("-1E+6144", "-1.000000000000000000000000000000000E+6144", 2),
        ("-82001826330434839548620E56", "-8.2001826330434839548620E+78", 3),
        ("-51361341E54", "-5.1361341E+61", 4),
        ("-2815901E51", "-2.815901E+57", 5),
        ("-686563551505877E30", "-6.86563551505877E+44", 6),
        ("-147104974650752917034236671276E10", "-1.47104974650752917034236671276E+39", 7),
        ("-58649208E30", "-5.8649208E+37", 8),
        ("-9999999999999999999999999999999999", "-9999999999999999999999999999999999", 9),
        ("-393363387500474395755131373537990E1", "-3.93363387500474395755131373537990E+33", 10),
        ("-1.1", "-1.1", 11),
        ("-1234567890E-20", "-1.234567890E-11", 12),
        ("-8E-13", "-8E-13", 13),
        ("-89E-23", "-8.9E-22", 14),
        ("-23194875749118625276E-55", "-2.3194875749118625276E-36", 15),
        ("-1E-6176", "-1E-6176", 16),
        ("0", "0", 17),
        ("-0", "-0", 17),
        ("0.0", "0.0", 17),
        ("0E+10", "0E+10", 17),
        ("0E-6176", "0E-6176", 17),
        ("1E-6176", "1E-6176", 18),
        ("1E-6143", "1E-6143", 19),
        ("890786666176031372159E-54", "8.90786666176031372159E-34", 20),
        ("24595711777741E-42", "2.4595711777741E-29", 21),
        ("601815908301661318609E-45", "6.01815908301661318609E-25", 22),
        ("2402344834782450E-28", "2.402344834782450E-13", 23),
        ("4728038E-14", "4.728038E-8", 24),
        ("1e-7", "1E-7", 25),
        ("684656321223307924E-24", "6.84656321223307924E-7", 26),
        ("1e-6", "0.000001", 27),
        ("1234567890E-15", "0.000001234567890", 28),
        ("0.1", "0.1", 29),
        (".5", "0.5", 30),
        ("1", "1", 31),
        ("1.0", "1.0", 31),
        ("1.10", "1.10", 32),
        ("5.", "5", 33),
        ("0.5e1", "5", 33),
        ("+7", "7", 34),
        ("007", "7", 34),
        ("131144024264628897514026140141931E-27", "131144.024264628897514026140141931", 35),
        ("21993518190937865797E-14", "219935.18190937865797", 36),
        ("123e5", "1.23E+7", 37),
        ("95559E3", "9.5559E+7", 38),
        ("0841485253E8", "8.41485253E+16", 39),
        ("12345678901234567890.12345678901234", "12345678901234567890.12345678901234", 40),
        ("11637265167612220297299E0", "11637265167612220297299", 41),
        ("7180334018780175989834788783848372E-7", "718033401878017598983478878.3848372", 42),
        ("909960308246281E13", "9.09960308246281E+27", 43),
        ("1E+30", "1E+30", 44),
        ("9999999999999999999999999999999999", "9999999999999999999999999999999999", 45),
        ("5242731672E25", "5.242731672E+34", 46),
        ("98682828807290222791805E27", "9.8682828807290222791805E+49", 47),
        ("1E+6111", "1E+6111", 48),
        ("1E+6112", "1.0E+6112", 49),
        ("100E+6142", "1.000000000000000000000000000000000E+6144", 50),
        (
            "9.999999999999999999999999999999999E+6144",
            "9.999999999999999999999999999999999E+6144", 51
        ),
        ("Infinity", "Infinity", 52),
    ]

    @Test("a text is read exactly and written with every digit that it was given")
    func text() throws {
        for vector in Self.vectors {
            let number = try #require(Decimal128(vector.text), "\(vector.text)")
            #expect(number.description == vector.written)
            #expect(Decimal128(vector.written) == number)
        }
    }

    @Test("ordinals rise with the numbers, equal ones have one, and NaN is the least")
    func order() throws {
        let numbers = try Self.vectors.map { (try #require(Decimal128($0.text)), $0.rank) }
        for (a, x) in numbers {
            for (b, y) in numbers {
                #expect((a.ordinal < b.ordinal) == (x < y), "\(a) \(b)")
                #expect((a.ordinal == b.ordinal) == (x == y), "\(a) \(b)")
            }
        }
        #expect(Decimal128.nan.ordinal == 0)
        #expect(Decimal128("Infinity")?.ordinal == Decimal128.greatestOrdinal)
    }

    @Test(
        "what would have to be rounded, is out of range or isn't a number is refused",
        arguments: [
            "12345678901234567890123456789012345", "1E-6177", "1E+6145", "10E+6144", "", " 1", "1 ",
            "1e", "1e+", ".", "-", "--1", "1.2.3", "0x1", "nan", "inf", "infinity", "1_000", "١",
            "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000000001e",
        ])
    func refused(text: String) {
        #expect(Decimal128(text) == nil)
    }

    @Test("integers go in exactly, and floors come out")
    func integers() throws {
        for value in [Int64.min, .min + 1, -10, -1, 0, 1, 10, 1 << 53 + 1, .max] {
            let number = Decimal128(value)
            #expect(number.description == "\(value)")
            #expect(number.integerFloor == value)
            #expect(number.isIntegral)
        }
        let floors: [(String, Int64?, Bool)] = [
            ("1.10", 1, false), ("-1.1", -2, false), ("2.0", 2, true), ("-0.5", -1, false),
            ("1E-6176", 0, false), ("-1E-6176", -1, false),
            ("9.2E+18", 9_200_000_000_000_000_000, true),
            ("9223372036854775807.9", .max, false), ("9223372036854775808", nil, true),
            ("-9223372036854775808", .min, true), ("-9223372036854775808.5", nil, false),
            ("1E+100", nil, true), ("NaN", nil, false), ("Infinity", nil, false),
        ]
        for (text, floor, isIntegral) in floors {
            let number = try #require(Decimal128(text))
            #expect(number.integerFloor == floor, "\(text)")
            #expect(number.isIntegral == isIntegral, "\(text)")
        }
    }

    @Test("a double becomes the decimal of fifteen digits, a float that of seven")
    func rounding() {
        #expect(Decimal128(rounding: 0.1, digitCount: 15).description == "0.1")
        #expect(Decimal128(rounding: 1.0 / 3, digitCount: 15).description == "0.333333333333333")
        #expect(Decimal128(rounding: Double(Float(0.1)), digitCount: 7).description == "0.1")
        #expect(Decimal128(rounding: .nan, digitCount: 15).kind == .nan)
        #expect(Decimal128(rounding: -.infinity, digitCount: 15).description == "-Infinity")
    }

    @Test("any bits are a number that is written, and read back where they are the usual ones")
    func anyBits() {
        let seed = SeededGenerator.testSeed("bits of decimals")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<SeededGenerator.scaled(20_000) {
            let number = Decimal128(high: random.next(), low: random.next())
            let text = number.description
            let read = Decimal128(text)
            #expect(read != nil, "\(text), seed \(seed)")
            #expect(read?.ordinal == number.ordinal, "\(text), seed \(seed)")
        }
    }
}
