import HoldfastObjectModel
import Testing

@testable import HoldfastQuery

@Suite("Lexer")
struct LexerTests {
    private func kinds(_ text: String) throws -> [Token.Kind] {
        var lexer = Lexer(SourceText(text))
        var kinds: [Token.Kind] = []
        while true {
            let token = try lexer.next()
            if token.kind == .end { return kinds }
            kinds.append(token.kind)
        }
    }

    /// The first token of a text and what it says.
    private func first(
        _ text: String
    ) throws -> (kind: Token.Kind, value: Value, name: String, index: Int) {
        var lexer = Lexer(SourceText(text))
        let token = try lexer.next()
        return (token.kind, lexer.value, lexer.name(token), token.index)
    }

    @Test("a minus belongs to the identifier or the number beside it")
    func minus() throws {
        #expect(try kinds("age-5") == [.identifier])
        #expect(try kinds("1-0") == [.natural, .number])
        #expect(try kinds("age -5") == [.identifier, .number])
        #expect(try kinds("age - 5") == [.identifier, .minus, .natural])
    }

    @Test("a T begins a timestamp only where a colon and nanoseconds follow")
    func timestamps() throws {
        #expect(try kinds("T399") == [.identifier])
        #expect(try kinds("T2017-12-04") == [.identifier])
        #expect(try first("T399:0").value == .date(.init(seconds: 399, nanoseconds: 0)))
        #expect(try first("T-1:-5").value == .date(.init(seconds: -2, nanoseconds: 999_999_995)))
        #expect(try first("T+2:5").value == .date(.init(seconds: 2, nanoseconds: 5)))
        #expect(throws: QueryError.self) { try first("T-1:5") }
        #expect(throws: QueryError.self) { try first("T1:-5") }
        #expect(
            try first("2017-12-4@0:1:2").value
                == .date(.init(seconds: 1_512_345_662, nanoseconds: 0)))
        #expect(
            try first("2017-12-04T00:01:02.000000007Z").value
                == first("2017-12-04T00:01:02:7").value)
        #expect(
            try first("2017-12-04T01:01:02+01:00").value == first("2017-12-04T00:01:02").value)
        #expect(try first("0001-01-01T00:00:00Z").kind == .timestamp)
        #expect(try kinds("2017-12-04T00:01:02Zx") == [.timestamp, .identifier])
        #expect(try kinds("2017-12-04T00:01:02+1") == [.timestamp, .number])
        #expect(
            try first("2017-12-04T00:01:02:7").value
                == .date(.init(seconds: 1_512_345_662, nanoseconds: 7)))
        #expect(
            try first("1969-12-31@23:59:59:1").value
                == .date(.init(seconds: -2, nanoseconds: 999_999_999)))
        #expect(throws: QueryError.self) { try first("1899-12-31@0:0:0") }
        #expect(throws: QueryError.self) { try first("2017-13-01@0:0:0") }
        #expect(throws: QueryError.self) { try first("2017-12-04@0:0:0:-1") }
        #expect(try kinds("2017-12-04") == [.natural, .number, .number])
    }

    @Test("keywords are recognised in their spellings only")
    func keywords() throws {
        #expect(
            try kinds("AND aNd && Or || TRUEPredicate") == [
                .and, .and, .and, .or, .or, .truePredicate,
            ])
        #expect(try kinds("NOT not Not !") == [.not, .not, .identifier, .not])
        #expect(
            try kinds("any ANY Any some SOME Some all ALL All none NONE") == [
                .any, .any, .identifier, .any, .any, .identifier, .all, .all, .identifier, .none,
                .none,
            ])
        #expect(try kinds("true TRUE True") == [.trueValue, .trueValue, .identifier])
        #expect(try kinds("NOT0=0") == [.identifier, .comparison(.equal), .natural])
        #expect(
            try kinds("a=1AND NOTb=2") == [
                .identifier, .comparison(.equal), .natural, .and, .identifier, .comparison(.equal),
                .natural,
            ])
        #expect(
            try kinds("nil NULL inf -Infinity +NaN info") == [
                .null, .null, .infinity, .infinity, .nan, .identifier,
            ])
    }

    @Test("numbers take every form of the page")
    func numbers() throws {
        #expect(try first("001").value == .int(1))
        #expect(try first("0x1F").value == .int(31))
        #expect(try first("-17").value == .int(-17))
        #expect(try first("-9223372036854775808").value == .int(.min))
        #expect(
            try first("9223372036854775808").value
                == .decimal(#require(Decimal128("9223372036854775808"))))
        #expect(throws: QueryError.self) { try first(String(repeating: "9", count: 35)) }
        #expect(try first("10.").value == .double(10))
        #expect(try first(".5").value == .double(0.5))
        #expect(try first("-.034").value == .double(-0.034))
        #expect(try first("1e3").value == .double(1000))
        #expect(try first("10.e2").value == .double(1000))
        #expect(try first("+1.5E-1").value == .double(0.15))
        #expect(try first("2.33f").value == .float(2.33))
        #expect(try first("1e999").value == .double(.infinity))
        #expect(try kinds("1e") == [.natural, .identifier])
    }

    @Test("string escapes are translated and others refused")
    func strings() throws {
        #expect(try first(#""a\"b\'c\\d\/""#).value == .string(#"a"b'c\d/"#))
        #expect(try first(#""no 'escape'" "#).value == .string("no 'escape'"))
        #expect(try first(#"'\b\f\n\r\t\0'"#).value == .string("\u{8}\u{c}\n\r\t\0"))
        #expect(try first(#"'\u00e9\uD83D\uDE00'"#).value == .string("é😀"))
        #expect(throws: QueryError.self) { try first(#"'\x'"#) }
        #expect(throws: QueryError.self) { try first(#"'\uD83D'"#) }
        #expect(throws: QueryError.self) { try first("'abc") }
    }

    @Test("identifiers may hold escaped blanks, dashes and any script")
    func identifiers() throws {
        #expect(try first(#"first\ name"#).name == "first name")
        #expect(try first("größe-2 ").name == "größe-2")
        #expect(try first("$age").kind == .identifier)
        #expect(try first("$-1").kind == .identifier)
        #expect(try first("$").kind == .identifier)
        #expect(try first("$002").index == 2)
        #expect(try first("$002").kind == .argument)
        #expect(try first("$K3").kind == .keyPathArgument)
    }

    @Test("identifiers of objects and UUIDs take no blanks or quotes")
    func identifierLiterals() throws {
        #expect(try first("oid(507f1f77bcf86cd799439011)").kind == .objectID)
        #expect(try first("uuid(3b241101-e2bb-4255-8caf-4136c566a962)").kind == .uuid)
        #expect(throws: QueryError.self) { try first("oid( 507f1f77bcf86cd799439011)") }
        #expect(throws: QueryError.self) { try first("oid('507f1f77bcf86cd799439011')") }
        #expect(try first("oid").kind == .identifier)
        #expect(try first(#"B64"AQI=""#).value == .data([1, 2]))
        // Bits that no byte holds, alphabets mixed, padding that is too short.
        for text in ["A", "AQJ=", "-+AA", "AQ="] {
            #expect(throws: QueryError.self) { try first("B64\"\(text)\"") }
        }
        #expect(try first(#"B64"-_AA""#).value == .data([0xFB, 0xF0, 0]))
    }

    @Test("signs have their variants, and flags are tokens")
    func signs() throws {
        #expect(
            try kinds("= == != <> < <= =< > >= =>") == [
                .comparison(.equal), .comparison(.equal), .comparison(.notEqual),
                .comparison(.notEqual), .comparison(.less), .comparison(.lessEqual),
                .comparison(.lessEqual), .comparison(.greater),
                .comparison(.greaterEqual), .comparison(.greaterEqual),
            ])
        #expect(
            try kinds("==[c] [d] [cd] [0]") == [
                .comparison(.equal), .flagC, .flagD, .flagCD, .leftBracket, .natural, .rightBracket,
            ])
        #expect(throws: QueryError.self) { try kinds("a.@average") }
        #expect(throws: QueryError.self) { try kinds("a # b") }
    }
}
