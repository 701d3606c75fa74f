import HoldfastQuery
import HoldfastRows
import Testing

@Suite("What columns of texts are looked at for")
struct TextEffortTests {
    private let schema = World.schema

    /// Hash passes, searches and tests of the column of names; nil where it is not noted.
    private func effort(_ text: String) throws -> [Int]? {
        let compiled = try CompiledQuery.compile(text: text, rootClass: 0, schema: schema)
        let program = try #require(
            ColumnProgram(compiled.predicate, classIndex: 0, schema: schema) { _ in true })
        let member = try #require(schema.classes[0].names.position(of: "name"))
        return program.efforts[ColumnReference(classIndex: 0, member: member)].map {
            [$0.hashPassCount, $0.searchCount, $0.testCount]
        }
    }

    @Test(
        "each test of a program adds what it looks at",
        arguments: [
            ("name == 'a'", [1, 0, 0]), ("NOT name == 'a'", [1, 0, 0]),
            ("name == 'a' OR name == 'b'", [2, 0, 0]), ("name != 'a' AND name != 'b'", [2, 0, 0]),
            ("name IN {'a', 'b', 'c'}", [3, 0, 0]), ("name CONTAINS 'ab'", [0, 1, 0]),
            ("name CONTAINS[c] 'ab'", [0, 1, 0]), ("name CONTAINS[c] 'äb'", [0, 0, 1]),
            ("name LIKE 'a*b'", [0, 0, 1]), ("name > 'a'", [0, 0, 1]),
            ("name == 'a' OR name CONTAINS 'bc' OR age == 3", [1, 1, 0]),
            ("name == null", [0, 0, 0]), ("name IN[c] {'a', 'b', 'c'}", [0, 0, 1]),
            ("name ==[c] 'a' OR name ==[c] 'b'", [0, 0, 2]),
            ("name ==[c] 'a' OR name IN[c] {'b'} OR name ==[c] 'c' OR name ==[c] 'd'", [0, 0, 1]),
        ])
    func each(text: String, expected: [Int]) throws {
        #expect(try effort(text) == expected)
    }

    @Test("numbers are not noted, nor texts in a part that rows have to answer")
    func others() throws {
        #expect(try effort("age > 3") == nil)
        #expect(try effort("(name CONTAINS 'ab' OR friends.@count > 1) AND age == 3") == nil)
    }
}
