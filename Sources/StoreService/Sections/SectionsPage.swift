import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery

/// Divides a query's result into sections and writes a page of them.
struct SectionsPage {
    let view: PageView
    let query: CheckedSections
    let text: QueryText

    private var read: ReadTransaction { view.read }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func write(to buffer: ByteBuffer) throws(RequestFault) -> PageReply {
        let account = view.account(text, of: query.rowClass)
        let cursor = try view.cursor(text, query.hash)
        let countBefore = cursor?.returnedCount ?? 0
        var sections = query.sections
        sections.after = cursor?.position
        sections.countBefore = Int(clamping: countBefore)
        let execution = SectionExecution(sections, in: read, limits: view.queryLimits)
        execution.isTimed = account.isAsked
        guard execution.canGoOn else { throw PageCursor.lost }
        let page = try view.served.stored(execution.run())
        // What is written of the objects may take any time.
        try view.served.checkTime(read)
        account.add(execution.plans, execution.statistics, "sections", page.sections.count)
        let objectCount = try write(page, to: buffer)
        account.add("objects", objectCount)
        var next: PageCursor?
        if page.hasMore, let last = page.sections.last {
            // As many as a cursor may say; a page's sections are added to the number.
            let returned = min(countBefore, 1 << 48) + UInt64(page.sections.count)
            next = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: returned,
                position: last.position)
        }
        return try view.end(
            JSONWriter(buffer), next: next, count: page.total, account, rowsReturned: objectCount)
    }

    /// Writes the sections, and returns how many objects they show.
    private func write(_ page: SectionPage, to buffer: ByteBuffer) throws(RequestFault) -> Int {
        var writer = view.objectWriter(buffer)
        let key = query.sections.key
        let reader = SectionKeyReader(key, isAscending: true, schema: read.rows)
        let json = writer.json
        var objectCount = 0
        buffer.append("{\"sections\":[")
        for (index, section) in page.sections.enumerated() {
            if index > 0 { json.comma() }
            json.raw("{\"key\":")
            writer.write(
                reader.value(row: section.any.row, key: section.any.key, source: read), key.path)
            json.raw(",\"count\":")
            json.int(Int64(section.count))
            json.raw(",\"objects\":[")
            for (index, object) in section.objects.enumerated() {
                if index > 0 { json.comma() }
                writer.write(object.row, key: object.key, query.selection)
            }
            json.raw("]}")
            objectCount += section.objects.count
            try view.served.stored(writer.finish())
        }
        json.raw("]")
        return objectCount
    }
}
