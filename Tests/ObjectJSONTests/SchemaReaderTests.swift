import HoldfastBytes
import HoldfastJSON
import HoldfastObjectModel
import HoldfastStoreService
import Testing

@testable import HoldfastObjectJSON

/// A text of a property's type and what it is.
private struct TypeCase: Sendable, CustomTestStringConvertible {
    var text: String
    var type: PropertyType
    var isOptional: Bool
    var testDescription: String { text }
}

@Suite("A schema as JSON")
struct SchemaReaderTests {
    /// Reads a schema; the faults as `pointer code`.
    private func read(_ text: String) throws -> (
        document: SchemaDocument?, faults: [RequestFault.Entry]
    ) {
        let parser = JSONParser()
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBytes { bytes in
            var reader = SchemaReader()
            let document = reader.readSchema(try parser.parse(bytes))
            return (document, reader.faults.entries)
        }
    }

    private static let cases: [TypeCase] = {
        var cases: [TypeCase] = []
        for scalar in ScalarType.allCases {
            let name = scalar.name
            for (text, isOptional) in [(name, false), (name + "?", true)]
            where !isOptional || scalar != .mixed {
                cases += [
                    TypeCase(
                        text: "\"\(text)\"", type: .single(.scalar(scalar)), isOptional: isOptional),
                    TypeCase(
                        text: "\"\(text)[]\"", type: .list(.scalar(scalar)), isOptional: isOptional),
                    TypeCase(
                        text: "\"\(text)<>\"", type: .set(.scalar(scalar)), isOptional: isOptional),
                    TypeCase(
                        text: "{\"type\":\"\(name)\",\"optional\":\(isOptional)}",
                        type: .single(.scalar(scalar)), isOptional: isOptional),
                    TypeCase(
                        text: "{\"type\":\"\(text)\"}", type: .single(.scalar(scalar)),
                        isOptional: isOptional),
                    TypeCase(
                        text: "{\"type\":\"list\",\"element\":\"\(text)\"}",
                        type: .list(.scalar(scalar)), isOptional: isOptional),
                    TypeCase(
                        text:
                            "{\"type\":\"set\",\"element\":{\"type\":\"\(name)\",\"optional\":\(isOptional)}}",
                        type: .set(.scalar(scalar)), isOptional: isOptional),
                ]
            }
        }
        for text in [
            #""X""#, #""X?""#, #"{"type":"X"}"#, #"{"type":"object","class":"X"}"#,
            #"{"type":"object","class":"X","optional":true}"#,
        ] {
            cases.append(TypeCase(text: text, type: .single(.object("X")), isOptional: true))
        }
        for text in [
            #""X[]""#, #"{"type":"X[]"}"#,
            #"{"type":"list","element":{"type":"object","class":"X"}}"#,
            #"{"type":"list","element":"X"}"#,
            #"{"type":"list","element":{"type":"object","class":"X","optional":false}}"#,
        ] {
            cases.append(TypeCase(text: text, type: .list(.object("X")), isOptional: false))
        }
        cases.append(TypeCase(text: #""X<>""#, type: .set(.object("X")), isOptional: false))
        cases.append(
            TypeCase(
                text: #"{"type":"linkingObjects","class":"X","property":"self"}"#,
                type: .linkingObjects(className: "X", property: "self"), isOptional: false))
        return cases
    }()

    @Test("has a short and a long form for every type", arguments: cases)
    private func types(example: TypeCase) throws {
        let text = #"{"classes":[{"name":"X","properties":{"self":"X","p":\#(example.text)}}]}"#
        let (document, faults) = try read(text)
        #expect(faults == [])
        let property = try #require(document?.schema.classes.first?.properties.last)
        #expect(property.type == example.type)
        #expect(property.isOptional == example.isOptional)
        #expect(!property.isIndexed)
    }

    @Test(
        "reads every kind of default",
        arguments: [
            ("bool", "true", DefaultValue.constant(.bool(true))),
            ("int", "-3", .constant(.int(-3))), ("int", "\"12\"", .constant(.int(12))),
            ("int", "4e2", .constant(.int(400))), ("double", "1.5", .constant(.double(1.5))),
            ("double", "\"-Infinity\"", .constant(.double(-.infinity))),
            ("string", "\"$5\"", .constant(.string("$5"))),
            ("data", "\"AP8=\"", .constant(.data([0, 255]))),
            (
                "date", "\"1970-01-01T00:00:01.5Z\"",
                .constant(.date(.init(seconds: 1, nanoseconds: 500_000_000)))
            ),
            ("date", "\"$now\"", .now), ("uuid", "\"$uuid\"", .uuid),
            ("objectId", "\"$objectId\"", .objectID),
            ("int?", "null", .constant(.null)), ("int[]", "[]", .constant(.list([]))),
        ])
    func defaults(type: String, value: String, expected: DefaultValue) throws {
        let (document, faults) = try read(
            #"{"classes":[{"name":"X","properties":{"p":{"type":"\#(type)","default":\#(value)}}}]}"#
        )
        #expect(faults == [])
        #expect(document?.schema.classes.first?.properties.first?.defaultValue == expected)
    }

    @Test(
        "points to each fault",
        arguments: [
            ("[]", " wrong-type"), ("{}", " missing-member"),
            (#"{"classes":{}}"#, "/classes wrong-type"),
            (#"{"classes":[],"clases":1}"#, "/clases unknown-member"),
            (#"{"classes":[],"revision":-1}"#, "/revision wrong-type"),
            (#"{"classes":[],"classes":[]}"#, "/classes duplicate-name"),
            (#"{"classes":[],"renames":{"A.b":1}}"#, "/renames/A.b wrong-type"),
            (#"{"classes":[7]}"#, "/classes/0 wrong-type"),
            (#"{"classes":[{"properties":{}}]}"#, "/classes/0 missing-member"),
            (#"{"classes":[{"name":"X"}]}"#, "/classes/0 missing-member"),
            (#"{"classes":[{"name":"X","properties":[]}]}"#, "/classes/0/properties wrong-type"),
            (
                #"{"classes":[{"name":"X","kind":"odd","properties":{}}]}"#,
                "/classes/0/kind invalid-schema"
            ),
            (
                #"{"classes":[{"name":"X","unique":[["a"]],"properties":{}}]}"#,
                "/classes/0/unique/0 invalid-schema"
            ),
            (
                #"{"classes":[{"name":"X","primaryKey":"a","properties":{}}]}"#,
                "/classes/0 invalid-schema"
            ),
            (
                #"{"classes":[{"name":"X","primaryKey":1,"properties":{}}]}"#,
                "/classes/0/primaryKey wrong-type"
            ),
            (
                #"{"classes":[{"name":"X","properties":{}},{"name":"X","properties":{}}]}"#,
                "/classes/1 invalid-schema"
            ),
            (#"{"classes":[{"name":"9","properties":{}}]}"#, "/classes/0 invalid-schema"),
        ])
    func schemaFaults(text: String, expected: String) throws {
        let (document, faults) = try read(text)
        #expect(document == nil)
        #expect(faults.map { "\($0.pointer ?? "?") \($0.code)" } == [expected])
    }

    @Test(
        "points to each fault of a property",
        arguments: [
            ("5", "/p wrong-type"), (#"{}"#, "/p missing-member"), (#""""#, "/p invalid-schema"),
            (#""int??""#, "/p invalid-schema"), (#""int[]?""#, "/p invalid-schema"),
            (#""int[][]""#, "/p invalid-schema"), (#""Nobody""#, "/p invalid-schema"),
            (#""X?[]""#, "/p invalid-schema"), (#""E<>""#, "/p invalid-schema"),
            (#""mixed?""#, "/p invalid-schema"),
            (#"{"type":"mixed","enum":[1]}"#, "/p/enum invalid-schema"),
            (#"{"type":"string","enum":"a"}"#, "/p/enum wrong-type"),
            (#"{"type":"string","enum":["a",1]}"#, "/p/enum/1 invalid-schema"),
            (#"{"type":"int8","enum":[1.5]}"#, "/p/enum/0 invalid-schema"),
            (#"{"type":"X","enum":["a"]}"#, "/p/enum invalid-schema"),
            (#"{"type":"string","enum":[]}"#, "/p invalid-schema"),
            (#"{"type":"string","enum":["a","a"]}"#, "/p invalid-schema"),
            (#"{"type":"int8","enum":[1,128]}"#, "/p invalid-schema"),
            (#"{"type":"string","enum":["a"],"default":"b"}"#, "/p invalid-schema"),
            (
                #"{"type":"uuid","enum":["123e4567-e89b-12d3-a456-426614174000"],"default":"$uuid"}"#,
                "/p invalid-schema"
            ),
            (#"{"type":"string","mapTo":1}"#, "/p/mapTo wrong-type"),
            (#"{"type":"string","mapTo":""}"#, "/p invalid-schema"),
            (#"{"type":"string","mapTo":"9"}"#, "/p invalid-schema"),
            (#"{"type":"int","indexed":"fulltext"}"#, "/p invalid-schema"),
            (#"{"type":"mixed","indexed":"fulltext"}"#, "/p invalid-schema"),
            (#"{"type":"string[]","indexed":"fulltext"}"#, "/p invalid-schema"),
            (#"{"type":"string","indexed":"words"}"#, "/p/indexed wrong-type"),
            (#"{"type":"string","indexed":"geo"}"#, "/p invalid-schema"),
            (#"{"type":"X","indexed":"geo"}"#, "/p invalid-schema"),
            (#"{"type":"string","indexed":1}"#, "/p/indexed wrong-type"),
            (#"{"type":"data","indexed":true}"#, "/p invalid-schema"),
            (#"{"type":"int[]","indexed":true}"#, "/p invalid-schema"),
            (#"{"type":"int","default":"$next"}"#, "/p invalid-schema"),
            (#"{"type":"string","default":"$next"}"#, "/p/default invalid-default"),
            (#"{"type":"int[]","default":"$next"}"#, "/p/default invalid-default"),
            (#"{"type":"string","default":"$uuid"}"#, "/p/default invalid-default"),
            (#"{"type":"int","default":1.5}"#, "/p/default invalid-default"),
            (#"{"type":"int","default":null}"#, "/p invalid-schema"),
            (#"{"type":"X","default":1}"#, "/p/default invalid-default"),
            (#"{"type":"int[]","default":[1]}"#, "/p/default invalid-default"),
            (#"{"type":"X","optional":false}"#, "/p invalid-schema"),
            (#"{"type":"int?","optional":false}"#, "/p/type invalid-schema"),
            (#"{"type":"object"}"#, "/p missing-member"),
            (#"{"type":"int","class":"X"}"#, "/p/class invalid-schema"),
            (#"{"type":"list"}"#, "/p missing-member"),
            (#"{"type":"list","element":{}}"#, "/p/element missing-member"),
            (#"{"type":"list","element":"int[]"}"#, "/p/element invalid-schema"),
            (#"{"type":"list","element":"int","optional":true}"#, "/p/optional invalid-schema"),
            (#"{"type":"linkingObjects","class":"X"}"#, "/p missing-member"),
            (#"{"type":"linkingObjects","class":"X","property":"no"}"#, "/p invalid-schema"),
            (#"{"type":"int","indexd":true}"#, "/p/indexd unknown-member"),
            (#"{"type":"int","type":"int"}"#, "/p/type duplicate-name"),
        ])
    func propertyFaults(property: String, expected: String) throws {
        let text = """
            {"classes":[{"name":"X","properties":{"p":\(property)}},
            {"name":"E","kind":"embedded","properties":{}}]}
            """
        let (document, faults) = try read(text)
        #expect(document == nil)
        #expect(
            faults.map { "\($0.pointer ?? "?") \($0.code)" } == ["/classes/0/properties" + expected]
        )
    }

    @Test("is complete about faults and helps with names")
    func allFaults() throws {
        let (_, faults) = try read(
            #"{"clases":1,"classes":[{"name":"X","properties":{"a":"int]","b":{"type":"int","deflt":1}}}]}"#
        )
        #expect(
            faults.map(\.pointer) == [
                "/clases", "/classes/0/properties/a", "/classes/0/properties/b/deflt",
            ])
        #expect(faults.map(\.hint) == ["classes", nil, "default"])
    }

    @Test("is written as it is read")
    func roundTrip() throws {
        let text = """
            {"revision":3,"schemaVersion":7,"classes":[{"name":"Dog","kind":"object","primaryKey":"id",\
            "properties":{"id":{"type":"uuid","default":"$uuid"},"not":{"type":"string","optional":true,\
            "indexed":true,"default":"a\\"b"},"seen":{"type":"date","default":"$now"},"ages":{"type":"list",\
            "element":{"type":"int","optional":true}},"mates":{"type":"set","element":{"type":"object",\
            "class":"Dog"}},"home":{"type":"object","class":"Home","optional":true},\
            "mateOf":{"type":"linkingObjects","class":"Dog","property":"mates"}}},{"name":"Home",\
            "kind":"embedded","properties":{"weight":{"type":"double","default":1.5}}}],"warnings":[\
            {"class":"Dog","property":"not","detail":"'not' is a word of the query language, so that \
            queries cannot name this property. It is stored and read as any other."}]}
            """
        let (document, faults) = try read(text)
        #expect(faults == [])
        var schema = try #require(document?.schema)
        schema.revision = try #require(document?.revision)
        #expect(SchemaText.text(of: schema) == text)
    }

    @Test("warns of names that no query can say")
    func warnings() {
        let names = [
            "not", "NOT", "Not", "And", "oR", "in", "between", "nUll", "TRUE", "True", "all", "obj",
        ]
        let properties = names.map { Property(name: $0, type: .single(.scalar(.int))) }
        let text = SchemaText.text(
            of: Schema(classes: [ObjectClass(name: "Word", properties: properties)]))
        #expect(
            names.filter { text.contains("\"property\":\"\($0)\"") }
                == ["not", "NOT", "And", "oR", "nUll", "TRUE", "all", "obj"])
    }

    @Test(
        "warns of a default that looks like the user and is a text, and refuses the name of rules")
    func userDefaults() throws {
        let (document, faults) = try read(
            """
            {"classes":[{"name":"N","properties":{"a":{"type":"string","default":"$user_id"},\
            "b":{"type":"mixed","default":"x"},"d":{"type":"string","default":"a $user"}}}]}
            """)
        #expect(faults == [])
        let warnings = SchemaWriter.warnings(of: try #require(document?.schema))
        #expect(warnings.map(\.property) == ["a"])
        #expect(
            warnings[0].detail.contains("the text '$user_id'")
                && warnings[0].detail.contains(#"is "$user"."#), "\(warnings)")
        let refused = try read(
            #"{"classes":[{"name":"N","properties":{"c":{"type":"string?","default":"$user.id"}}}]}"#
        )
        #expect(refused.faults.map(\.hint) == ["$user"])
    }

    @Test("takes the user as the default of texts, integers and identifiers")
    func users() throws {
        let (document, faults) = try read(
            """
            {"classes":[{"name":"N","primaryKey":"id","properties":{"id":"int",
            "a":{"type":"string","default":"$user"},"b":{"type":"uuid?","default":"$user"},
            "c":{"type":"int8","default":"$user","required":true},
            "d":{"type":"objectId","default":"$user"}}}]}
            """)
        #expect(faults == [])
        let schema = try #require(document?.schema)
        #expect(schema.classes[0].properties.dropFirst().allSatisfy { $0.defaultValue == .user })
        #expect(SchemaWriter.warnings(of: schema).isEmpty)
        // What is written is read as the same.
        #expect(try read(SchemaText.text(of: schema)).document?.schema.classes == schema.classes)
    }

    @Test(
        "refuses the user as the default of what is no user's id",
        arguments: [
            (#"{"type":"date","default":"$user"}"#, "'string', 'int', 'uuid' or 'objectId'"),
            (#"{"type":"string[]","default":"$user"}"#, "'string', 'int', 'uuid' or 'objectId'"),
            (#"{"type":"string","default":"$user","enum":["a"]}"#, "constant default"),
        ])
    func foreignUsers(property: String, words: String) throws {
        let (_, faults) = try read(
            "{\"classes\":[{\"name\":\"N\",\"properties\":{\"a\":\(property)}}]}")
        #expect(faults.count == 1 && faults[0].detail.contains(words), "\(faults)")
        #expect(faults.first?.pointer?.hasPrefix("/classes/0/properties/a") == true)
    }

    @Test("leads from the user's id of other products to the default")
    func meantUsers() throws {
        let (_, faults) = try read(
            """
            {"classes":[{"name":"N","properties":{"a":{"type":"uuid","default":"auth.uid()"}}}]}
            """)
        #expect(faults.first?.hint == "$user", "\(faults)")
    }

    @Test("refuses the user as the default of a primary key, and says what to write")
    func userKeys() throws {
        let (_, faults) = try read(
            """
            {"classes":[{"name":"N","primaryKey":"id","properties":{
            "id":{"type":"string","default":"$user"}}}]}
            """)
        #expect(faults.count == 1 && faults[0].detail.contains("id == $user.id"), "\(faults)")
    }
}
