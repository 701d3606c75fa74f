import HoldfastRows

/// The text of a query, parsed, but not checked: whatever its arguments and the schema are. Immutable; any thread may use it.
package struct ParsedQuery: Sendable {
    let source: SourceText
    let syntax: Syntax

    /// Cost: linear in the text.
    package init(_ text: String, within budget: Budget = Budget()) throws(QueryError) {
        source = SourceText(text)
        syntax = try Parser.parse(source, within: budget)
    }
}
