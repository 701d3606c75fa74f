import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// A request that is answered page by page: the objects of a query, groups of them, or sections.
///
/// Its query is parsed once, and again only for a view of another schema.
package struct PageRequest: ReadCase {
    /// The kind of the result, and the objects that it is of.
    package enum Subject: Sendable {
        case objects(ObjectContainer)
        /// Figures of all objects, or of each group of them.
        case aggregate(ObjectContainer, AggregateText)
        /// The sections that `by` divides the objects into, with so many objects of each.
        case sections(ObjectContainer, by: String?, objectCount: Int? = nil)
    }

    private enum Checked: Sendable {
        case objects(CheckedQuery)
        case aggregate(CheckedAggregate)
        case sections(CheckedSections)

        /// The index that the query lacks.
        func missingIndex(_ schema: RowSchema) -> MissingIndex? {
            switch self {
            case .objects(let query): query.missingIndex(schema)
            case .aggregate(let query):
                MissingIndex(of: query.predicate, sort: [], rowClass: query.rowClass, schema)
            case .sections(let query):
                MissingIndex(
                    of: query.sections.predicate, sort: query.sections.sort,
                    rowClass: query.rowClass, schema)
            }
        }
    }

    package let subject: Subject
    /// The query as it is stated, with the cursor of the page.
    package let text: QueryText
    /// The forms that the reply may have; the first that the objects fit into is taken.
    package let forms: [ListForm]
    /// Whether ints beyond 2^53 are written as strings.
    package let quotesLargeInts: Bool
    package let caller: Caller
    package var pin: SnapshotPin?
    private var known: (names: SchemaNames, checked: Checked)?

    /// A page and its text.
    package typealias Reply = (page: PageReply, text: ByteBuffer)

    /// Asks for a page.
    package init(
        _ subject: Subject, _ text: QueryText, forms: [ListForm] = [.json],
        quotesLargeInts: Bool = false, for caller: Caller
    ) {
        self.subject = subject
        self.text = text
        self.forms = forms
        self.quotesLargeInts = quotesLargeInts
        self.caller = caller
    }

    /// Writes the page if that is sure to be short; else it is checked and nothing more. A query that is long to check
    /// is left for ``reply(_:_:)``.
    ///
    /// - Throws: ``RequestFault`` with every fault.
    package mutating func replyIfShort(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply? {
        guard !text.isLong else { return nil }
        let names = RequestScratch.current.names(of: read.rows, served)
        let checked = try check(names, served.limits)
        let view = view(of: read, names, served)
        guard isShort(checked, in: view) else {
            known = (names, checked)
            return nil
        }
        let buffer = ByteBuffer(capacity: 4096)
        return (try write(checked, from: view, to: buffer), buffer)
    }

    /// Writes the page.
    ///
    /// - Throws: ``RequestFault`` with every fault, also where the request does not fit a schema that has come
    ///   since it was checked.
    package func reply(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> Reply {
        try reply(read, served, watch: nil)
    }

    private func reply(
        _ read: ReadTransaction, _ served: ServedStore, watch: PageAccount?
    ) throws(RequestFault) -> Reply {
        let names: SchemaNames
        let checked: Checked
        if let known, known.names.schema === read.rows {
            (names, checked) = known
        } else {
            names = served.names(of: read.rows)
            checked = try check(names, served.limits)
        }
        let view = view(of: read, names, served, watch)
        let buffer = ByteBuffer(capacity: 4096)
        return (try write(checked, from: view, to: buffer), buffer)
    }

    /// Makes the page in a job, and reports it to the log if it was slow.
    package func reply(
        _ served: ServedStore, in job: Job
    ) throws(RequestFault) -> JobOutcome<Reply> {
        var slow: SlowQuery?
        do throws(RequestFault) {
            let outcome = try served.withRead(for: caller, of: pin, in: job) {
                read throws(RequestFault) in
                guard let limit = served.limits.slowQueryMilliseconds else {
                    return try reply(read, served)
                }
                let watch = PageAccount(text, read.rows, isWatched: true)
                do throws(RequestFault) {
                    let made = try reply(read, served, watch: watch)
                    slow = watch.slowQuery(from: limit, nil)
                    return made
                } catch {
                    slow = watch.slowQuery(from: limit, error)
                    throw error
                }
            }
            // A job that begins again, or without a waiting client, does not show the time of the query.
            if case .reply = outcome { slow.map(served.reportSlow) }
            return outcome
        } catch {
            slow.map(served.reportSlow)
            guard let (names, checked) = known else { throw error }
            throw error.advising(served.limits, checked.missingIndex(names.schema))
        }
    }

    private func view(
        of read: ReadTransaction, _ names: SchemaNames, _ served: ServedStore,
        _ watch: PageAccount? = nil
    ) -> PageView {
        PageView(
            served: served, read: read, names: names, quotesLargeInts: quotesLargeInts,
            pin: pin, for: caller, watch: watch)
    }

    private func check(
        _ names: SchemaNames, _ limits: ServiceLimits
    ) throws(RequestFault) -> Checked {
        if text.explains, caller.visibility != nil {
            throw RequestFault(
                .forbidden, "not-allowed",
                "'explain' is not for users, because it also counts hidden objects.")
        }
        switch subject {
        case .objects(let container):
            return .objects(
                try CheckedQuery(text, of: container, names: names, limits: limits, forms: forms))
        case .aggregate(let container, let aggregate):
            return .aggregate(
                try CheckedAggregate(text, aggregate, of: container, names: names, limits: limits))
        case .sections(let container, let by, let objectCount):
            return .sections(
                try CheckedSections(
                    text, by: by, objectCount, of: container, names: names, limits: limits))
        }
    }

    /// Whether writing the page is sure to be short. A page of sections is not: objects are read until the page
    /// is full, however many that takes.
    private func isShort(_ checked: Checked, in view: PageView) -> Bool {
        switch checked {
        case .objects(let query): QueryPage(view: view, query: query, text: text).isShort
        case .aggregate(let query): AggregatePage(view: view, query: query, text: text).isShort
        case .sections: false
        }
    }

    private func write(
        _ checked: Checked, from view: PageView, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        switch checked {
        case .objects(let query):
            try QueryPage(view: view, query: query, text: text).write(to: buffer)
        case .aggregate(let query):
            try AggregatePage(view: view, query: query, text: text).write(to: buffer)
        case .sections(let query):
            try SectionsPage(view: view, query: query, text: text).write(to: buffer)
        }
    }
}

/// A page beside the bytes that were written.
package struct PageReply: Sendable {
    /// How the page is written.
    package var form: ListForm
    /// The version that it shows.
    package var version: StoreVersion
    /// The cursor of the next page; nil on the last one.
    package var next: String?
}

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
        let page = try view.served.mappingStoreErrors(execution.run())
        // The objects may take any time to write.
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
            try view.served.mappingStoreErrors(writer.finish())
        }
        json.raw("]")
        return objectCount
    }
}
