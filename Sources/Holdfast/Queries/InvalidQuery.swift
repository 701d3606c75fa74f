import Foundation
import HoldfastQuery

/// Why the text of a query was refused.
public struct InvalidQuery: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// A sentence that says what is wrong.
    public let message: String
    /// Where in the text, in Unicode scalars from 1.
    public let column: Int
    /// The condition to write instead, where there is one.
    public let hint: String?

    /// The message, with the column and the hint.
    public var description: String {
        // Of a text that does not follow the grammar the message says so itself.
        (message.hasPrefix("Invalid predicate") ? "" : "Invalid predicate: ")
            + "\(message) (column \(column))" + (hint.map { "; \($0)" } ?? "")
    }

    /// The same, which `localizedDescription` says.
    public var errorDescription: String? { description }
}

extension InvalidQuery {
    init(_ error: QueryError) {
        self.init(message: error.message, column: error.column, hint: error.hint)
    }
}
