import ObjectModel
import Rows

/// Which classes fit into a table: those whose properties are single values and to-one links.
///
/// A row is an object and a column a property. Links are given by key. Inverse links are left out, as in
/// every export.
enum CSVShape {
    /// How the cells of a column become JSON.
    enum Column: Equatable, Sendable {
        /// A number, also where it is a link's key.
        case number
        case bool
        /// What JSON writes as a string; `isString` where an empty cell of a required column is one.
        case text(isString: Bool)
        /// The primary key: an empty cell states none.
        indirect case key(Column)
    }

    /// Why a class does not fit; nil when it does.
    static func obstacle(_ rowClass: RowClass) -> String? {
        for (position, member) in rowClass.members.enumerated() {
            let name = rowClass.definition.properties[position].name
            switch (member.storage.shape, member.storage.element) {
            case (.none, _): continue
            case (.single, .embedded):
                return "property '\(name)' holds an embedded object"
            case (.single, .mixed): return "property '\(name)' holds values of any kind"
            case (.single, _): continue
            default: return "property '\(name)' is a collection"
            }
        }
        return nil
    }

    /// The columns of a class by their names, `$id` of one without a primary key included.
    static func columns(_ rowClass: RowClass, _ schema: RowSchema) -> [String: (Column, Bool)] {
        var columns: [String: (Column, Bool)] = [:]
        for (position, member) in rowClass.members.enumerated() {
            guard member.storage.shape == .single else { continue }
            var column = column(member, schema)
            if position == rowClass.primaryKeyIndex { column = .key(column) }
            columns[rowClass.definition.properties[position].name] = (column, member.isOptional)
        }
        if rowClass.primaryKeyIndex == nil { columns["$id"] = (.key(.number), true) }
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
            return target.members[key].storage.element == .int ? .number : .text(isString: false)
        case .decimal, .date, .objectID, .uuid, .embedded, .mixed:
            return .text(isString: false)
        }
    }
}
