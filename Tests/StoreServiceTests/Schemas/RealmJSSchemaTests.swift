import HoldfastJSON
import HoldfastObjectJSON
import Testing

@testable import HoldfastStoreService

@Suite("Schemas of Realm JS")
struct RealmJSSchemaTests {
    /// The long form of what the text of a schema of Realm JS says.
    private static func read(_ text: String) throws -> String {
        let converted = try RealmJSSchema.converted(Array(text.utf8))
        let parser = JSONParser()
        let document = try converted.withUnsafeBytes { bytes throws -> SchemaDocument in
            try SchemaReader.read(parser.parse(bytes)) { $0.readSchema($1) }
        }
        return SchemaText.text(of: document.schema)
    }

    @Test(
        "have a property in each of its forms",
        arguments: [
            (#""int""#, #"{"type":"int"}"#),
            (#""int?""#, #"{"type":"int","optional":true}"#),
            (#""counter""#, #"{"type":"int"}"#),
            (#""data""#, #"{"type":"data"}"#),
            (#""decimal128?""#, #"{"type":"decimal128","optional":true}"#),
            (#""mixed""#, #"{"type":"mixed"}"#),
            (#""mixed?""#, #"{"type":"mixed"}"#),
            (#""string[]""#, #"{"type":"list","element":{"type":"string"}}"#),
            (#""string?[]""#, #"{"type":"list","element":{"type":"string","optional":true}}"#),
            (#""Person""#, #"{"type":"object","class":"Person","optional":true}"#),
            (#""Person?""#, #"{"type":"object","class":"Person","optional":true}"#),
            (#""Person[]""#, #"{"type":"list","element":{"type":"object","class":"Person"}}"#),
            (#""Person<>""#, #"{"type":"set","element":{"type":"object","class":"Person"}}"#),
            (#""uuid<>""#, #"{"type":"set","element":{"type":"uuid"}}"#),
            (#""int{}""#, #"{"type":"map","element":{"type":"int"}}"#),
            (#""{}""#, #"{"type":"map","element":{"type":"mixed"}}"#),
            (#"{"type":"date","optional":true}"#, #"{"type":"date","optional":true}"#),
            (#"{"type":"string?"}"#, #"{"type":"string","optional":true}"#),
            (
                #"{"type":"list","objectType":"int","optional":true}"#,
                #"{"type":"list","element":{"type":"int","optional":true}}"#
            ),
            (
                #"{"type":"list","objectType":"Person"}"#,
                #"{"type":"list","element":{"type":"object","class":"Person"}}"#
            ),
            (
                #"{"type":"set","objectType":"string"}"#,
                #"{"type":"set","element":{"type":"string"}}"#
            ),
            (
                #"{"type":"dictionary","objectType":"double"}"#,
                #"{"type":"map","element":{"type":"double"}}"#
            ),
            (
                #"{"type":"object","objectType":"Person"}"#,
                #"{"type":"object","class":"Person","optional":true}"#
            ),
            (
                #"{"type":"linkingObjects","objectType":"Person","property":"friend"}"#,
                #"{"type":"linkingObjects","class":"Person","property":"friend"}"#
            ),
            (#"{"type":"string","indexed":true}"#, #"{"type":"string","indexed":true}"#),
            (
                #"{"type":"string","indexed":"full-text"}"#,
                #"{"type":"string","indexed":"fulltext"}"#
            ),
            (#"{"type":"int","default":7}"#, #"{"type":"int","default":7}"#),
            (
                #"{"type":"bool","mapTo":"q","default":true}"#,
                #"{"type":"bool","mapTo":"q","default":true}"#
            ),
            (#"{"type":"int","presentation":"counter"}"#, #"{"type":"int"}"#),
            // The form of `realm.schema`.
            (
                #"{"name":"p","type":"date","optional":true,"indexed":false,"mapTo":"p_at"}"#,
                #"{"type":"date","optional":true,"mapTo":"p_at"}"#
            ),
            (
                #"{"name":"p","type":"linkingObjects","objectType":"Person","property":"friend","optional":false,"indexed":false,"mapTo":"p"}"#,
                #"{"type":"linkingObjects","class":"Person","property":"friend""#
            ),
        ])
    func properties(realm: String, expected: String) throws {
        let text = try Self.read(
            #"[{"name":"Thing","primaryKey":"id","properties":{"id":"objectId","p":\#(realm)}},"#
                + #"{"name":"Person","properties":{"friend":"Thing"}}]"#)
        #expect(text.contains(#""p":\#(expected)"#), "\(text)")
        #expect(text.contains(#""primaryKey":"id""#))
    }

    @Test("have embedded and asymmetric classes, and constructors that nobody needs")
    func classes() throws {
        let text = try Self.read(
            #"{"schema":[{"name":"Part","embedded":true,"properties":{"n":"int"}},"#
                + #"{"name":"Log","asymmetric":true,"primaryKey":"_id","properties":{"_id":"objectId"},"ctor":{}},"#
                + #"{"name":"Whole","embedded":false,"asymmetric":false,"properties":{"part":"Part","parts":"Part[]"}}]}"#
        )
        #expect(text.contains(#""name":"Part","kind":"embedded""#), "\(text)")
        #expect(text.contains(#""name":"Log","kind":"asymmetric""#), "\(text)")
        #expect(!text.contains(#""name":"Whole","kind":"embedded""#))
    }

    @Test(
        "of another form, and with names that are none, are refused",
        arguments: [
            ("{", "malformed-json"), ("{}", "invalid-schema"), ("[1]", "invalid-schema"),
            (#"[{"name":"A","properties":{"p":"strin"}}]"#, "invalid-schema"),
            (#"[{"name":"A","properties":{"p":{"type":"list"},"q":7}}]"#, "invalid-schema"),
            (#"[{"name":"A","properties":{"p":{"name":"q","type":"int"}}}]"#, "invalid-schema"),
        ])
    func refusals(text: String, code: String) {
        #expect {
            try Self.read(text)
        } throws: {
            ($0 as? RequestFault)?.code == code
        }
    }
}
