import Bytes
import Query
import Rows

// Sections of all objects, or those of a filter, by columns.
extension SectionExecution {
    /// The page, where columns have the keys and the order; nil where they do not, or rows are sooner read.
    ///
    /// - `execution`: Finds the objects, and is as it was before where there is no page.
    func divideColumns(_ execution: QueryExecution) throws(StoreError) -> SectionPage? {
        let sections = ColumnSections(
            query.key, sort: query.sort, after: query.after.map { ($0.sortBytes, $0.key) },
            sectionCountMax: query.sectionCountMax, objectCountMax: query.objectCountMax,
            countsAll: query.countsAll, schema: transaction.rows)
        guard let sections, let found = try execution.divide(sections) else { return nil }
        var page = SectionPage()
        page.hasMore = found.hasMore
        if query.countsAll { page.total = found.total }
        let standing = keyOrder ?? order
        for section in found.sections {
            let objects = try execution.objects(section.keys)
            guard let first = objects.first else { continue }
            page.sections.append(
                Section(
                    any: first, count: section.count, objects: objects,
                    position: position(of: first, in: standing)))
        }
        return page
    }

    /// The position of a section, of which an object is known.
    private func position(
        of object: (key: UInt64, row: RowView), in standing: ObjectOrder
    ) -> QueryPosition {
        guard query.isContiguous, query.key.prefixCount != nil else {
            return standing.position(object.key, object.row)
        }
        let buffer = ByteBuffer(capacity: 64)
        reader.append(row: object.row, key: object.key, source: transaction, to: buffer)
        return QueryPosition(sortBytes: buffer.array, key: object.key)
    }
}
