import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// The columns of a table: properties that are single values and to-one links.
///
/// A row is an object and a column a property. Links are given by key. Inverse links are left out, as in
/// every export. An export needs a class of nothing else; an import takes the columns that there are.
enum CSVShape {
    /// How the cells of a column become JSON.
    enum Column: Equatable, Sendable {
        /// A number, also where it is a link's key.
        case number
        /// A decimal, which JSON writes as a string.
        case decimal
        case date
        case bool
        /// An object id of 24 hexadecimal digits, also as the key of a link.
        case objectID
        /// A value that JSON writes as a string; `isString` where an empty cell of a required column is one.
        case text(isString: Bool)
        /// A link's key that is a string, which may be empty.
        case link
        /// The primary key, or a property that may be hidden from the user: an empty cell states no value.
        indirect case ifExplicit(Column)

        /// Whether a quoted cell with nothing in it is a value; null where it is not.
        var takesEmptyText: Bool { self == .text(isString: true) || self == .link }

        /// Whether blanks around a cell are part of the value.
        var keepsBlanks: Bool {
            if case .ifExplicit(let column) = self { return column.keepsBlanks }
            return takesEmptyText
        }

        /// The form of the cells that state a value.
        var explicit: Column {
            if case .ifExplicit(let column) = self { return column }
            return self
        }

        /// Whether its cells are numbers.
        var isNumeric: Bool {
            switch self {
            case .number, .decimal: true
            case .ifExplicit(let column): column.isNumeric
            case .date, .bool, .objectID, .text, .link: false
            }
        }
    }

    /// Why a property does not fit; nil when it does, and for inverse links.
    static func obstacle(_ rowClass: RowClass, _ position: Int) -> String? {
        let name = rowClass.definition.properties[position].name
        let storage = rowClass.members[position].storage
        switch (storage.shape, storage.element) {
        case (.none, _): return nil
        case (.single, .embedded): return "property '\(name)' holds an embedded object"
        case (.single, .mixed): return "property '\(name)' holds values of any kind"
        case (.single, _): return nil
        default: return "property '\(name)' is a collection"
        }
    }

    /// The columns of a class by their names, including `$id` if the class has no primary key.
    ///
    /// - `visibility`: The visibility of the importing user; nil for everything.
    static func columns(
        _ rowClass: RowClass, _ schema: RowSchema, _ visibility: Visibility?
    ) -> [ExactText: (Column, Bool)] {
        var columns: [ExactText: (Column, Bool)] = [:]
        for (position, member) in rowClass.members.enumerated() {
            guard member.storage.shape == .single, !rowClass.unknown.contains(position),
                obstacle(rowClass, position) == nil
            else { continue }
            var column = column(member, schema)
            if position == rowClass.primaryKeyIndex
                || visibility?.hides(position, of: rowClass.index) ?? false
            {
                column = .ifExplicit(column)
            }
            columns[rowClass.definition.properties[position].name] = (column, member.isOptional)
        }
        if rowClass.primaryKeyIndex == nil { columns["$id"] = (.ifExplicit(.number), true) }
        return columns
    }

    private static func column(_ member: RowClass.Member, _ schema: RowSchema) -> Column {
        switch member.storage.element {
        case .int, .double, .float: return .number
        case .bool: return .bool
        case .string, .data: return .text(isString: true)
        case .link:
            let target = schema.classes[member.classIndex]
            guard let key = target.primaryKeyIndex else { return .number }
            return switch target.members[key].storage.element {
            case .int: .number
            case .string: .link
            case .objectID: .objectID
            default: .text(isString: false)
            }
        case .decimal: return .decimal
        case .date: return .date
        case .objectID: return .objectID
        case .uuid, .embedded, .mixed: return .text(isString: false)
        }
    }
}
