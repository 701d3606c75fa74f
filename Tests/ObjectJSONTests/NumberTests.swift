import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastServiceSupport
import HoldfastStoreService
import HoldfastTestSupport
import Testing

@Suite("numbers of every width")
struct NumberTests {
    private let service: TestService

    private static let schema = Schema(classes: [
        ObjectClass(
            name: "N", primaryKey: "id",
            properties: [
                Property(name: "id", type: .single(.scalar(.int16))),
                Property(name: "i8", type: .single(.scalar(.int8)), isOptional: true),
                Property(name: "i16", type: .single(.scalar(.int16)), isOptional: true),
                Property(name: "i32", type: .single(.scalar(.int32)), isIndexed: true),
                Property(name: "i64", type: .single(.scalar(.int64)), isOptional: true),
                Property(
                    name: "f", type: .single(.scalar(.float)), isOptional: true, isIndexed: true),
                Property(name: "d", type: .single(.scalar(.double)), isOptional: true),
                Property(
                    name: "m", type: .single(.scalar(.decimal128)), isOptional: true,
                    isIndexed: true),
                Property(name: "i8s", type: .list(.scalar(.int8))),
                Property(name: "fs", type: .set(.scalar(.float)), isOptional: true),
                Property(name: "ms", type: .set(.scalar(.decimal128)), isOptional: true),
                Property(name: "ml", type: .list(.scalar(.decimal128)), isOptional: true),
            ])
    ])

    init() throws { service = try TestService(classes: Self.schema.classes) }

    private static func object(_ id: Int) -> ObjectAddress { ObjectAddress("N", "\(id)") }

    @Test("what each type holds is answered as it was given, to the limits and no further")
    func values() throws {
        let accepted: [(String, String, String)] = [
            ("i8", "127", "127"), ("i8", "-128", "-128"), ("i8", "\"7\"", "7"),
            ("i8", "1.2e1", "12"), ("i16", "32767", "32767"), ("i16", "-32768", "-32768"),
            ("i32", "2147483647", "2147483647"), ("i32", "-2147483648", "-2147483648"),
            ("i64", "9223372036854775807", "9223372036854775807"),
            ("f", "0.1", "0.1"), ("f", "16777217", "16777216.0"), ("f", "\"NaN\"", "\"NaN\""),
            ("f", "3.4028234663852886e38", "3.4028235e+38"), ("f", "1e-46", "0.0"),
            ("m", "\"1.10\"", "\"1.10\""), ("m", "1.10", "\"1.10\""), ("m", "1", "\"1\""),
            ("m", "1e400", "\"1E+400\""), ("m", "\"-Infinity\"", "\"-Infinity\""),
            ("m", "\"NaN\"", "\"NaN\""), ("m", "-0.0", "\"-0.0\""),
            (
                "m", "9999999999999999999999999999999999",
                "\"9999999999999999999999999999999999\""
            ),
            ("i8s", "[1,-128,127]", "[1,-128,127]"),
            ("fs", "[0.1,null,\"NaN\",-1,0.1]", "[null,\"NaN\",-1.0,0.1]"),
            ("ms", "[\"1.10\",1.1,null,-2,\"NaN\"]", "[null,\"NaN\",\"-2\",\"1.10\"]"),
            ("ml", "[\"1.10\",1.1,null]", "[\"1.10\",\"1.1\",null]"),
        ]
        for (index, (name, sent, answered)) in accepted.enumerated() {
            let answer = try service.put(Self.object(1), "{\"\(name)\":\(sent)}")
            guard case .json(let text, let isCreated) = answer else { continue }
            #expect(text.contains("\"\(name)\":\(answered)"), "\(name) \(sent): \(text)")
            #expect(isCreated == (index == 0))
        }
        let refused: [(String, String, String)] = [
            ("i8", "128", "int8 (-128 to 127)"), ("i8", "-129", "int8"), ("i8", "\"128\"", "int8"),
            ("i16", "32768", "int16 (-32768 to 32767)"), ("i32", "2147483648", "int32"),
            ("i32", "-2147483649", "int32"), ("i64", "9223372036854775808", "int64"),
            ("i8", "1.5", "an int8"), ("i8s", "[1,128]", "/i8s/1"),
            ("f", "3.5e38", "float"), ("f", "\"x\"", "a number"), ("f", "true", "a number"),
            ("m", "\"x\"", "34 digits"), ("m", "99999999999999999999999999999999999", "34 digits"),
            ("m", "1e7000", "34 digits"), ("m", "true", "a decimal number"),
        ]
        for (name, sent, text) in refused {
            let fault = #expect(throws: RequestFault.self) {
                try service.put(Self.object(1), "{\"\(name)\":\(sent)}")
            }
            let part = fault?.errors.first
            #expect(fault?.kind == .invalid && part?.pointer?.hasPrefix("/\(name)") ?? false)
            let told = "\(part?.detail ?? "") \(part?.pointer ?? "")"
            #expect(told.contains(text), "\(name) \(sent): \(told)")
        }
        let key = #expect(throws: RequestFault.self) { try service.put(Self.object(32_768), "{}") }
        #expect(key?.kind == .invalid)
        let missing = #expect(throws: RequestFault.self) { try service.object(Self.object(32_768)) }
        #expect(missing?.kind == .notFound)
    }

    @Test("a float that ends its row takes no byte beyond it, nor of what follows it")
    func floatAtTheEnd() throws {
        let float = Property(name: "v", type: .single(.scalar(.float)))
        let service = try TestService(classes: [
            ObjectClass(name: "F", properties: [float]),
            ObjectClass(
                name: "G", properties: [float, Schemas.property("n", .int8, optional: true)]),
        ])
        #expect(try service.create("F", #"{"v":1.5}"#).text.contains(#""v":1.5"#))
        #expect(
            try service.create("G", #"{"v":-1.5,"n":null}"#).text.contains(#""v":-1.5,"n":null"#))
    }

    @Test("numbers compare across types, and an index finds them")
    func queries() throws {
        for (id, m) in ["1.10", "1.1", "2", "1E+30", "NaN", "-5"].enumerated() {
            try service.put(
                Self.object(id),
                "{\"m\":\"\(m)\",\"i32\":\(id),\"f\":\(Double(id) / 10),\"d\":\(Double(id) / 10),\"i8\":\(id)}"
            )
        }
        func page(_ body: String) throws -> WrittenPage {
            try #require(try service.page(.objects(.ofClass("N")), body: body))
        }
        let filters: [(String, [Int])] = [
            ("m == 1.1", [0, 1]), ("m == 1.10", [0, 1]), ("m > 1", [0, 1, 2, 3]),
            ("m < 1.1", [4, 5]), ("m == '1.10'", [0, 1]), ("m != 1.1", [2, 3, 4, 5]),
            ("m BETWEEN {1.05, 2}", [0, 1, 2]), ("m IN {2, 1.1}", [0, 1, 2]),
            ("f == 0.5", [5]), ("f == 0.1", [1]), ("f > 0.1 AND f < 0.3", [2]),
            ("f <= 0.25", [0, 1, 2]), ("i32 == 3.0", [3]), ("i32 > 2.5", [3, 4, 5]),
            ("i8 == 300", []), ("i8 < 300", [0, 1, 2, 3, 4, 5]), ("i8 >= i32", [0, 1, 2, 3, 4, 5]),
            ("i32 < m", [0, 1, 3]), ("f == d", [0, 5]), ("d < f", [1, 2, 3, 4]), ("id == 5", [5]),
        ]
        for (filter, ids) in filters {
            for isIndexed in [true, false] {
                // A condition that is always true and that no index serves.
                let text = isIndexed ? filter : "(\(filter)) OR i64 == 77"
                let found = try page(
                    "{\"filter\":\"\(text)\",\"fields\":[\"id\"],\"sort\":[\"id\"]}")
                #expect(found.ids == ids, "\(text): \(found.text)")
            }
        }
        #expect(try page(#"{"sort":"m","fields":"id"}"#).ids == [4, 5, 0, 1, 2, 3])
        let argument = try page(
            #"{"filter":"m == $0 AND f == $1","args":[{"$decimal":"1.1000"},{"$float":0.1}]}"#)
        #expect(argument.ids == [1])
        let fault = #expect(throws: RequestFault.self) { try page(#"{"filter":"m == true"}"#) }
        #expect(fault?.kind == .malformed && fault?.errors.first?.column != nil)
    }
}
