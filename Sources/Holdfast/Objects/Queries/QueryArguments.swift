import Foundation
import HoldfastObjectModel
import HoldfastQuery

/// Converts the arguments of a text query.
enum QueryArguments {
    /// Converts values of any type to arguments.
    ///
    /// - Throws: ``InvalidQuery`` for a value that queries do not support.
    static func values(_ values: [Any]) throws(InvalidQuery) -> [QueryArgument] {
        var arguments: [QueryArgument] = []
        for (index, value) in values.enumerated() {
            guard let plain = plain(value) else {
                throw InvalidQuery(
                    message:
                        "Argument \(index) of type '\(type(of: value))' can't be used in a query.",
                    column: 1, hint: nil)
            }
            arguments.append(QueryArgument(plain, isRegion: value is any StatedRegion))
        }
        return arguments
    }

    /// Converts a value to the store's model; nil if queries do not support it.
    static func plain(_ value: Any) -> Value? {
        if let plain = value as? PlainValue { return plain.value }
        if let scalar = value as? any _Scalar { return scalar._stored.value }
        if let object = value as? ObjectBase { return link(object) }
        if let any = value as? AnyRealmValue { return mixed(any) }
        if let mapped = value as? any _CustomPersistable { return persisted(mapped) }
        if let region = value as? any StatedRegion { return .string("\(region.shape)") }
        if let value = PrimaryKeyValue.plain(value) { return value }
        if let sequence = value as? any Sequence { return list(sequence) }
        return nil
    }

    private static func list(_ elements: some Sequence) -> Value? {
        var values: [Value] = []
        for element in elements {
            guard let value = plain(element) else { return nil }
            values.append(value)
        }
        return .list(values)
    }

    private static func persisted(_ value: some _CustomPersistable) -> Value? {
        plain(value.persistableValue)
    }

    private static func mixed(_ value: AnyRealmValue) -> Value? {
        switch value {
        case .none: .null
        case .dictionary, .list: nil
        default: value.content.flatMap { plain($0) }
        }
    }

    private static func link(_ object: ObjectBase) -> Value? {
        guard let place = object.place, place.owners.isEmpty else { return nil }
        let rowClass = place.rootClass
        let name = rowClass.definition.name
        guard let member = rowClass.primaryKeyIndex else {
            return .link(className: name, key: .int(Int64(bitPattern: place.key)))
        }
        let (row, _) = object.requireRow()
        let field = rowClass.field(member, in: row)
        let storage = rowClass.members[member].storage
        return .link(
            className: name,
            key: field.isNull
                ? .null : Value(stored: field.bytes(storage, place.realm.source), storage.element))
    }
}

/// The error of an invalid query text.
public struct InvalidQuery: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// A sentence that describes the fault.
    public let message: String
    /// The position in the text, in Unicode scalars from 1.
    public let column: Int
    /// A suggestion for a valid condition, if there is one.
    public let hint: String?

    /// The message, with the column and the hint.
    public var description: String {
        // A message about a syntax error already begins so.
        (message.hasPrefix("Invalid predicate") ? "" : "Invalid predicate: ")
            + "\(message) (column \(column))" + (hint.map { "; \($0)" } ?? "")
    }

    /// The description, which `localizedDescription` returns.
    public var errorDescription: String? { description }
}

extension InvalidQuery {
    init(_ error: QueryError) {
        self.init(message: error.message, column: error.column, hint: error.hint)
    }
}
