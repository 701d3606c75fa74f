import Glibc
import HoldfastJSON
import HoldfastObjectModel
import Testing

@testable import HoldfastObjectJSON

/// Compares with the files that `Tests/client-javascript` compiles with the client's own types.
@Suite("The classes of a schema as types of TypeScript")
struct TypeScriptTests {
    /// Reads a file of `Tests/client-javascript/types`.
    private static func kept(_ name: String, _ file: String = #filePath) throws -> [UInt8] {
        let tests = file.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
        let stream = try #require(fopen("\(tests)/client-javascript/types/\(name)", "r"))
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = fread(&bytes, 1, bytes.count, stream)
        #expect(count < bytes.count)
        return Array(bytes.prefix(count))
    }

    private func schema(_ bytes: [UInt8]) throws -> Schema {
        let parser = JSONParser()
        return try bytes.withUnsafeBytes { text in
            let document = try SchemaReader.read(parser.parse(text)) { $0.readSchema($1) }
            var schema = document.schema
            schema.revision = document.revision ?? 0
            return schema
        }
    }

    private func types(_ text: String, statesNumbers: Bool = false) throws -> String {
        TypeScriptWriter.text(of: try schema(Array(text.utf8)), statesNumbers: statesNumbers)
    }

    @Test("are the kept text for a schema with every type")
    func everyType() throws {
        let text = TypeScriptWriter.text(of: try schema(try Self.kept("schema.json")))
        let kept = String(decoding: try Self.kept("store.ts"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = kept.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, other) in zip(lines, expected) where line != other {
            Issue.record("'\(line)' is not '\(other)'")
        }
        #expect(lines.count == expected.count)
    }

    @Test("are a list of no classes for a store without classes")
    func noClasses() throws {
        let text = try types(#"{"classes":[]}"#)
        #expect(text.hasSuffix("export interface Classes {\n}\n"), "\(text)")
        #expect(!text.contains("export type"))
    }

    @Test("have ints as numbers alone when that is wanted, also in enums and as keys")
    func plainNumbers() throws {
        let text = try types(
            """
            {"classes":[{"name":"A","primaryKey":"id","properties":{
            "id":"int","a":"A","size":{"type":"int","enum":[9007199254740993]}}}]}
            """, statesNumbers: true)
        #expect(text.contains("  id: number;\n"))
        #expect(text.contains("  a: number | A | null;\n"))
        #expect(text.contains("  size: 9007199254740993;\n"))
        #expect(!text.contains("Int"))
    }

    @Test("name classes by other words where TypeScript has no such name, and each only once")
    func names() throws {
        let text = try types(
            """
            {"classes":[{"name":"Über uns","properties":{}},{"name":"A b","properties":{}},
            {"name":"A-b","properties":{}},{"name":"A_b","properties":{}},
            {"name":"Classes","properties":{}},{"name":"number","properties":{}}]}
            """)
        for line in [
            "\"Über uns\": Über_uns;", "\"A b\": A_b2;", "\"A-b\": A_b3;", "A_b: A_b;",
            "Classes: Classes;", "number: number2;", "new Holdfast<Classes2>(url)",
        ] {
            #expect(text.contains(line), "\(line)")
        }
    }
}
