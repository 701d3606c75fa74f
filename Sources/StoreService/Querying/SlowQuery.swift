import HoldfastObjectStore
import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows

/// A query that took long. It has no values, neither stored ones nor the query's.
package struct SlowQuery: Sendable {
    /// The class of the searched objects.
    package var className: String
    /// The filter and the order, with `?` for each value; empty for all objects in their own order.
    package var text: String
    /// How they were looked for, as `explain` says it; empty when it came to no plan.
    package var plan = ""
    /// The number of objects read, including linked objects.
    package var rowsRead = 0
    /// Objects, groups or sections that were found.
    package var rowsReturned = 0
    /// How long it took, waits for its turns included.
    package var milliseconds: Int
    /// The code of the fault that ended it; nil when it was answered.
    package var fault: String?

    init(_ text: QueryText, of rowClass: RowClass, _ schema: RowSchema, milliseconds: Int) {
        className = rowClass.definition.name
        let names = Set(schema.definition.classes.flatMap { [$0.name] + $0.properties.map(\.name) })
        func outline(_ text: String) -> String {
            QueryOutline(text, isName: names.contains).description
        }
        self.milliseconds = milliseconds
        var parts = text.filter.map { [outline($0)] } ?? []
        if let sort = text.sort { parts.append("SORT(\(outline(sort)))") }
        if let distinct = text.distinct { parts.append("DISTINCT(\(outline(distinct)))") }
        self.text = parts.joined(separator: " ")
    }
}
