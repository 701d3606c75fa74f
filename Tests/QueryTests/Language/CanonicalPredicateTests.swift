import HoldfastQuery
import Testing

@Suite("Filters that are evaluated once")
struct CanonicalPredicateTests {
    @Test("are those that hold of the same objects whatever these are, and no others")
    func forms() throws {
        let schema = try LanguageWorld(isScattered: false).rows
        func form(_ text: String) throws -> CanonicalPredicate {
            CanonicalPredicate(
                try CompiledQuery.compile(text: text, rootClass: 0, schema: schema).predicate)
        }
        for (one, other, isSame) in [
            ("n > 1 AND name == 'a'", "name == 'a' AND 1 < n AND n > 1", true),
            ("n IN {1, 2}", "n IN {2, 1, 1}", true),
            ("n == ALL {1, 2}", "n == ALL {2, 1}", true),
            ("ANY ints IN {1, 2}", "ANY ints IN {2, 1, 2}", true),
            ("n IN {1, 2}", "n IN {1, 3}", false),
            // Lists are compared in their order.
            ("names == {'a', 'b'}", "names == {'b', 'a'}", false),
            ("ints == {1, 1}", "ints == {1}", false),
            ("ints != {1, 2}", "ints != {2, 1}", false),
            ("friends.n == {1, 2}", "friends.n == {2, 1}", false),
            // Texts are compared byte for byte.
            ("name == 'caf\u{E9}'", "name == 'cafe\u{301}'", false),
            ("name IN {'\u{E9}', 'a'}", "name IN {'a', 'e\u{301}'}", false),
            ("words['\u{E9}'] == 'x'", "words['e\u{301}'] == 'x'", false),
        ] {
            let isFoundSame = try form(one) == form(other)
            #expect(isFoundSame == isSame, "\(one) and \(other)")
        }
    }
}
