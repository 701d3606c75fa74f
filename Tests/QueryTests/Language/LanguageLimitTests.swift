import Glibc
import HoldfastObjectModel
import HoldfastQuery
import Testing

/// Large and deep queries are compiled and evaluated, or refused by a limit that is named, on a stack of 4
/// MiB in a debug build.
@Suite("Limits of the language")
struct LanguageLimitTests {
    /// What becomes of a text.
    private enum Outcome: Sendable { case works, limit, fault }

    private static let textByteCount = 1 << 20

    private static func fill(_ part: String, _ end: String = "") -> String {
        String(repeating: part, count: (textByteCount - end.utf8.count) / part.utf8.count) + end
    }

    private static func terms(_ count: Int, _ term: (Int) -> String) -> String {
        (0..<count).map(term).joined(separator: " OR ")
    }

    private static func nested(_ open: String, _ inner: String, _ close: String, _ depth: Int)
        -> String
    {
        String(repeating: open, count: depth) + inner + String(repeating: close, count: depth)
    }

    private static func subqueries(_ depth: Int) -> String {
        let open = (0..<depth).map { "SUBQUERY(friends, $v\($0), " }.joined()
        return open + "n == 1" + String(repeating: ").@count > 0", count: depth)
    }

    private static let texts: [(String, @Sendable () -> String, Outcome)] = [
        ("parentheses at the limit", { nested("(", "n == 1", ")", 500) }, .works),
        ("parentheses", { nested("(", "n == 1", ")", 10_000) }, .limit),
        ("parentheses around a value", { nested("(", "n", ")", 500) + " == 1" }, .works),
        ("parentheses of values", { "n == " + nested("(", "1", ")", 10_000) }, .limit),
        ("negations at the limit", { nested("NOT ", "n == 1", "", 500) }, .works),
        ("negations", { nested("!", "n == 1", "", 10_000) }, .limit),
        ("negated parentheses", { nested("!(", "n == 1", ")", 250) }, .works),
        ("AND and OR", { nested("(n == 2 OR (n == 1 AND ", "n == 1", "))", 250) }, .works),
        ("only opened", { fill("(") }, .limit),
        ("operations at the limit", { "n" + nested(" + 1", "", "", 200) + " == 1" }, .works),
        ("operations", { fill("n + ", "1 == 1") }, .limit),
        ("operations in parentheses", { nested("(1 + ", "n", ")", 200) + " == 1" }, .works),
        ("operations deeper", { nested("(1 + ", "n", ")", 201) + " == 1" }, .limit),
        ("subqueries", { subqueries(99) }, .works),
        ("subqueries too deep for a path", { subqueries(300) }, .limit),
        ("subqueries too deep", { subqueries(10_000) }, .limit),
        (
            "operations in subqueries",
            {
                (0..<6).reduce("n == 1") { inner, level in
                    "1 + SUBQUERY(friends, $v\(level), \(inner)).@count"
                        + nested(" + 1", "", "", 34)
                        + " > 0"
                }
            }, .limit
        ),
        ("terms", { terms(50_000) { "n == \($0)" } }, .works),
        ("terms with AND", { terms(10_000) { "n == \($0) AND b == true" } }, .works),
        ("terms of lists", { terms(10_000) { "friends.n == \($0)" } }, .works),
        ("terms of operations", { terms(10_000) { "n + 1 == \($0)" } }, .works),
        ("terms of mixed paths", { terms(10_000) { "mix.a[0] == \($0)" } }, .works),
        (
            "terms of subqueries",
            { terms(5_000) { "SUBQUERY(friends, $x, $x.n == \($0)).@count > 0" } }, .works
        ),
        ("terms of aggregates", { terms(10_000) { "ints.@sum == \($0)" } }, .works),
        ("a list of constants", { "n IN {" + fill("1,", "1}") }, .works),
        ("a long text", { "name == '" + fill("x", "'") }, .works),
        ("a long name", { fill("x") + " == 1" }, .fault),
        ("a long path", { fill("friend.", "n == 1") }, .limit),
        ("a long mixed path", { "mix" + fill("[0]", " == 1") }, .limit),
        (
            "a path that could lead everywhere", { "mix" + nested(".mix", "", "", 30) + " == 1" },
            .limit
        ),
        ("sorts", { "TRUEPREDICATE" + fill(" SORT(n ASC)") }, .limit),
        ("sort keys", { "TRUEPREDICATE SORT(" + fill("n ASC,", "n ASC)") }, .limit),
        ("distinct keys", { "TRUEPREDICATE DISTINCT(" + fill("n,", "n)") }, .limit),
        ("limits", { "TRUEPREDICATE" + fill(" LIMIT(9)") }, .works),
        ("blanks", { "n == 1" + fill(" ") }, .works), ("signs", { fill("-") }, .fault),
        ("digits", { "n == " + fill("1") }, .limit), ("quotes", { fill("'") }, .fault),
        ("escapes", { "name == '" + fill("\\u00e9", "'") }, .works),
        ("brackets", { "n" + fill("[") }, .fault), ("braces", { fill("{") }, .fault),
        ("commas", { "n IN {" + fill(",") }, .fault), ("arguments", { fill("$0 ") }, .fault),
    ]

    @Test("deep and long texts work or meet a named limit")
    func texts() throws {
        let world = try LanguageWorld(isScattered: false)
        for (name, make, expected) in Self.texts {
            let text = make()
            let found = try Self.onSmallStack { () -> (Outcome, String) in
                do {
                    if let error = try world.fault(text) {
                        return (error.kind == .limit ? .limit : .fault, error.message)
                    }
                    _ = try world.ids(text)
                    return (.works, "")
                } catch {
                    return (.fault, "\(error)")
                }
            }
            #expect(found.0 == expected, "\(name): \(found.1.prefix(300))")
        }
    }

    /// Runs `body` on a thread of its own.
    private static func onSmallStack<Result>(_ body: @escaping () -> Result) throws -> Result {
        var result: Result?
        let call = Call { result = body() }
        var attributes = pthread_attr_t()
        #expect(pthread_attr_init(&attributes) == 0)
        #expect(pthread_attr_setstacksize(&attributes, 4 << 20) == 0)
        var thread = pthread_t()
        let created = pthread_create(
            &thread, &attributes,
            { pointer in
                if let pointer { Unmanaged<Call>.fromOpaque(pointer).takeUnretainedValue().run() }
                return nil
            }, Unmanaged.passUnretained(call).toOpaque())
        #expect(created == 0)
        #expect(pthread_join(thread, nil) == 0)
        withExtendedLifetime(call) {}
        return try #require(result)
    }
}

/// What a thread does.
private final class Call {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}
