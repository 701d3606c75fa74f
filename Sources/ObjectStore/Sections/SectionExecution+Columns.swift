import Query
import Rows

// Sections of all objects, or those of a filter, by columns.
extension SectionExecution {
    /// The page, where columns have the keys and the order; nil where they do not, or rows are sooner read.
    func divideColumns() throws(StoreError) -> SectionPage? {
        let sections = ColumnSections(
            query.key, sort: query.sort, after: query.after.map { ($0.sortBytes, $0.key) },
            sectionCountMax: query.sectionCountMax, objectCountMax: query.objectCountMax,
            schema: transaction.rows)
        guard let sections else { return nil }
        let execution = try makeExecution()
        guard let found = try execution.divide(sections) else { return nil }
        defer { account(execution) }
        var page = SectionPage()
        page.hasMore = found.hasMore
        if query.countsAll { page.total = found.total }
        let standing = keyOrder ?? order
        for section in found.sections {
            var objects: [(key: UInt64, row: RowView)] = []
            for key in section.keys {
                if let row = try execution.fetch(key) { objects.append((key, row)) }
            }
            guard let first = objects.first else { continue }
            page.sections.append(
                Section(
                    any: first, count: section.count, objects: objects,
                    position: standing.position(first.key, first.row)))
        }
        return page
    }
}
