import HoldfastQuery
import Testing

@Suite("The outline of a query")
struct QueryOutlineTests {
    private static func isName(_ word: String) -> Bool { word != "alice" }

    @Test(
        "has the query's words and none of its values",
        arguments: [
            ("name == 'Ann'", "name == ?"), ("age > -5", "age > ?"),
            ("TRUEPREDICATE", "TRUEPREDICATE"),
            ("ok=true", "ok=?"), ("at > 2024-01-01T00:00:00Z", "at > ?"),
            ("tags.@count  >=2 && other IN {'a', \"b\"}", "tags.@count >=? && other IN {?, ?}"),
            ("logins.alice == 1", "logins.? == ?"), ("x < inf", "x < ?"),
            ("uid == uuid(01234567-89ab-cdef-0123-456789abcdef)", "uid == ?"), ("", ""),
        ])
    func outline(text: String, expected: String) {
        #expect(QueryOutline(text, isName: Self.isName).description == expected)
    }

    @Test("is cut where a query is long, and where it is none")
    func bounds() {
        let text = String(repeating: "a == 1 AND ", count: 200) + "b == 2"
        let long = QueryOutline(text, isName: Self.isName).description
        #expect(long.hasSuffix(" …") && !long.contains("b"))
        #expect(QueryOutline("a == 'open", isName: Self.isName).description == "a == …")
    }
}
