import HoldfastObjectModel
import HoldfastRows

/// A query, parsed and checked against a schema. Immutable; safe to use from any thread.
package struct CompiledQuery: Hashable, Sendable {
    /// The kind of values that it is asked about.
    package let root: QueryRoot
    /// The condition.
    package let predicate: Predicate
    /// SORT, DISTINCT and LIMIT in the order of the text; consecutive SORTs are one.
    package let suffixes: [QuerySuffix]

    /// The keys of its SORTs, where the order of the suffixes is the usual one (``isPlain``).
    package var sort: [SortKey] {
        for case .sort(let keys) in suffixes { return keys }
        return []
    }

    /// The keys of its DISTINCTs, where ``isPlain``.
    package var distinct: [SortKey] {
        for case .distinct(let keys) in suffixes { return keys }
        return []
    }

    /// The smallest of its LIMITs.
    package var limit: Int? {
        suffixes.compactMap { if case .limit(let count) = $0 { count } else { nil } }.min()
    }

    /// Whether the suffixes are at most one SORT, one DISTINCT and LIMITs, in this order, so that
    /// ``sort``, ``distinct`` and ``limit`` say everything.
    package var isPlain: Bool {
        let ranks = suffixes.map { suffix in
            switch suffix {
            case .sort: 1
            case .distinct: 2
            case .limit: 3
            }
        }
        return zip(ranks, ranks.dropFirst()).allSatisfy { $0 < $1 || ($0 == 3 && $1 == 3) }
    }

    /// The time of `now()`; nil if the text does not use it.
    package let now: Timestamp?

    /// Whether a word of the language can't be the name of a property in a text; a key path in an argument may have it.
    package static func isReserved(_ name: Substring) -> Bool {
        Keyword.find(name.utf8).map { !Token(kind: $0, start: 0, end: 0).canBeName } ?? false
    }

    /// Parses and checks a query on objects of one class.
    ///
    /// Cost: linear in the text, but for lists of known names in errors.
    ///
    /// - `now`: The time of the request, read if the text has `now()`. Nil if the query outlives
    ///   its request, and `now()` is refused.
    /// - `budget`: The budget that pays for it. After the budget has failed, the error says nothing of the query.
    package static func compile(
        text: String, arguments: [QueryArgument] = [], rootClass: Int, schema: RowSchema,
        within budget: Budget = Budget(), now: () -> Timestamp? = { nil }
    ) throws(QueryError) -> CompiledQuery {
        try compile(
            text: text, arguments: arguments, root: .objects(classIndex: rootClass),
            schema: schema, within: budget, now: now)
    }

    /// Parses and checks a query.
    package static func compile(
        text: String, arguments: [QueryArgument] = [], root: QueryRoot, schema: RowSchema,
        within budget: Budget = Budget(), now: () -> Timestamp? = { nil }
    ) throws(QueryError) -> CompiledQuery {
        try compile(
            ParsedQuery(text, on: root, schema, within: budget), arguments: arguments, root: root,
            schema: schema, within: budget, now: now)
    }

    package static func compile(
        _ query: ParsedQuery, arguments: [QueryArgument], root: QueryRoot, schema: RowSchema,
        within budget: Budget = Budget(), now: () -> Timestamp? = { nil }
    ) throws(QueryError) -> CompiledQuery {
        let syntax = query.syntax
        let time = syntax.asksForTime ? now() : nil
        let checker = Checker(
            schema: schema, root: root, source: query.source, arguments: arguments,
            work: CheckerWork(within: budget), now: time)
        return CompiledQuery(
            root: root, predicate: try checker.predicate(syntax.predicate),
            suffixes: try checker.suffixes(syntax.suffixes), now: time)
    }
}

/// One thing done to the matches, in the order of the text.
package enum QuerySuffix: Hashable, Sendable {
    /// Sorts, stably; the first key counts most.
    case sort([SortKey])
    /// Keeps the first object of each combination of values, in the present order.
    case distinct([SortKey])
    /// Keeps at most so many.
    case limit(Int)
}

/// The kind of values that a query is evaluated on.
package enum QueryRoot: Hashable, Sendable {
    /// Objects of the class at this position in the schema.
    case objects(classIndex: Int)
    /// The values of a collection, which the query calls `self`.
    case values(ScalarType)

    /// The class of the objects; −1 for values.
    var classIndex: Int { if case .objects(let classIndex) = self { classIndex } else { -1 } }
}

/// The text of a query, parsed but not checked, independent of arguments and schema. Immutable; any thread may use it.
package struct ParsedQuery: Sendable {
    let source: SourceText
    let syntax: Syntax

    /// Cost: linear in the text.
    package init(_ text: String, within budget: Budget = Budget()) throws(QueryError) {
        source = SourceText(text)
        do throws(QueryError) {
            syntax = try Parser.parse(source, within: budget)
        } catch { throw ForeignSyntax.explaining(error, in: source) }
    }

    /// Parses a query on objects or values of a schema, which errors may name.
    init(
        _ text: String, on root: QueryRoot, _ schema: RowSchema, within budget: Budget
    ) throws(QueryError) {
        do throws(QueryError) {
            try self.init(text, within: budget)
        } catch {
            let checker = Checker(
                schema: schema, root: root, source: SourceText(text), arguments: [],
                work: CheckerWork(within: budget))
            throw checker.explaining(error)
        }
    }
}
