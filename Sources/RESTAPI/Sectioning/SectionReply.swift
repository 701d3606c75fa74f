import Bytes
import HTTPServer
import JSON
import ObjectJSON
import ObjectStore
import Query
import Rows
import StoreService

/// Divides a query's result into sections and writes a page of them.
struct SectionReply {
    let service: RESTService
    let query: CheckedSections
    let text: QueryText
    let read: ReadTransaction
    let names: SchemaNames
    let quotesLargeInts: Bool
    /// The request's path, for the address of the next page.
    let target: String

    /// Writes the reply.
    ///
    /// - Throws: ``RequestFault`` for a cursor that does not fit, limits, or failing storage.
    func response() throws(RequestFault) -> Response {
        let start = monotonicMicroseconds()
        let cursor = try PageCursor.read(text, query: query.hash, epoch: read.epoch)
        let countBefore = cursor?.returnedCount ?? 0
        var sections = query.sections
        sections.after = cursor?.position
        sections.countBefore = Int(clamping: countBefore)
        let execution = SectionExecution(
            sections, in: read,
            limits: service.served.queryLimits(of: read))
        execution.isTimed = text.explains
        guard execution.canGoOn else { throw PageCursor.lost }
        let page: SectionPage
        do throws(QueryExecution.Failure) { page = try execution.run() } catch {
            throw service.served.fault(error)
        }
        // What is written of the objects may take any time.
        try service.served.checkTime(read)
        let found = monotonicMicroseconds()
        let buffer = ByteBuffer(capacity: 4096)
        let objectCount = try write(page, to: buffer)
        var next: String?
        let json = JSONWriter(buffer)
        if page.hasMore, let last = page.sections.last {
            // As many as a cursor may say; a page's sections are added to the number.
            let returned = min(countBefore, 1 << 48) + UInt64(page.sections.count)
            let cursor = PageCursor(
                query: query.hash, epoch: read.epoch, returnedCount: returned,
                position: last.position)
            let text = cursor.encoded()
            next = text
            json.raw(",\"next\":")
            json.string(text)
        }
        if let total = page.total {
            json.raw(",\"count\":")
            json.int(Int64(total))
        }
        if text.explains {
            let plan = PlanText(execution.plans, query.rowClass, read.rows)
            // What the plans given up have taken stands in their own steps.
            let givenUp = plan.microsecondsGivenUp
            let steps =
                plan.stepsGivenUp + [
                    QueryPage.Step(
                        name: plan.step("sections"), rows: page.sections.count,
                        microseconds: max(found - start, givenUp) - givenUp),
                    QueryPage.Step(
                        name: "objects", rows: objectCount,
                        microseconds: monotonicMicroseconds() - found),
                ]
            json.raw(",\"explain\":")
            json.explanation(
                plan, execution.statistics, steps, rowsReturned: objectCount)
        }
        buffer.append("}")
        return try service.pageReply(buffer, of: read, next: next, at: target)
    }

    /// Writes the sections, and tells how many objects they show.
    private func write(_ page: SectionPage, to buffer: ByteBuffer) throws(RequestFault) -> Int {
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        writer.linkKeys = RequestScratch.current.linkKeys
        writer.limitCollections(service.served.limits)
        writer.byteCountMax = service.served.limits.memoryByteCountMax(of: read)
        let key = query.sections.key
        let reader = SectionKeyReader(key, isAscending: true, schema: read.rows)
        let json = writer.json
        var objectCount = 0
        buffer.append("{\"sections\":[")
        for (place, section) in page.sections.enumerated() {
            if place > 0 { json.comma() }
            json.raw("{\"key\":")
            reader.read(row: section.any.row, key: section.any.key, source: read) {
                writer.write($0, key.path)
            }
            json.raw(",\"count\":")
            json.int(Int64(section.count))
            json.raw(",\"objects\":[")
            for (index, object) in section.objects.enumerated() {
                if index > 0 { json.comma() }
                writer.write(object.row, key: object.key, query.selection)
            }
            json.raw("]}")
            objectCount += section.objects.count
            if writer.isTruncated { throw .queryMemory(service.served.limits) }
        }
        json.raw("]")
        return objectCount
    }
}
