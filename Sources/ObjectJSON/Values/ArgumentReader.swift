import JSON
import ObjectModel
import Query

/// Reads a query's arguments from JSON, in the forms that a `mixed` value has.
package enum ArgumentReader {
    /// How deep the lists of an argument nest.
    private static let depthMax = 8

    /// The argument that a JSON value stands for; nil when it is none.
    ///
    /// A plain string may stand for a date, a UUID, an object identifier or data, whichever the query
    /// compares it with.
    package static func argument(_ json: JSONValue) -> QueryArgument? {
        guard let value = MixedText.value(json, depthMax: depthMax, roundsIntegers: true) else {
            return nil
        }
        return QueryArgument(value, isPlainText: holdsPlainText(json))
    }

    private static func holdsPlainText(_ json: JSONValue) -> Bool {
        switch json.kind {
        case .string: true
        case .array: json.elements.contains { $0.kind == .string }
        default: false
        }
    }
}
