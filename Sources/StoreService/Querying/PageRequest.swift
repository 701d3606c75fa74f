import Bytes
import ObjectJSON
import ObjectStore

/// A request that is answered page by page: the objects of a query, groups of them, or sections.
///
/// Its query is parsed once, and again only for a view of another schema.
package struct PageRequest: Sendable {
    /// What is asked for, of which objects.
    package enum Subject: Sendable {
        /// The objects.
        case objects(ObjectContainer)
        /// What is asked of all objects, or of each group of them.
        case aggregate(ObjectContainer, AggregateText)
        /// The sections that `by` divides the objects into, with so many objects of each.
        case sections(ObjectContainer, by: String?, objectCount: Int? = nil)
    }

    private enum Checked: Sendable {
        case objects(CheckedQuery)
        case aggregate(CheckedAggregate)
        case sections(CheckedSections)
    }

    package let subject: Subject
    /// The query as it is stated, with the cursor of the page.
    package let text: QueryText
    /// What the reply may be; the first that the objects fit into is taken.
    package let forms: [ListForm]
    /// Whether ints beyond 2^53 are written as strings.
    package let quotesLargeInts: Bool
    /// The version that is read; nil for the newest.
    package var pin: SnapshotPin?
    private var known: (names: SchemaNames, checked: Checked)?

    /// Asks for a page.
    package init(
        _ subject: Subject, _ text: QueryText, forms: [ListForm] = [.json],
        quotesLargeInts: Bool = false
    ) {
        self.subject = subject
        self.text = text
        self.forms = forms
        self.quotesLargeInts = quotesLargeInts
    }

    /// Writes the page if that is sure to be short, from a view of its version; else it is checked and
    /// nothing more. What is long to check is left for ``write(from:_:to:)``.
    ///
    /// - Returns: Nil for a page that was not written.
    /// - Throws: ``RequestFault`` with every fault.
    package mutating func writeIfShort(
        _ served: ServedStore, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply? {
        guard !text.isLong else { return nil }
        let read = try served.read(of: pin)
        defer { read.close() }
        let scratch = RequestScratch.current
        let names = scratch.names(of: read.rows, served)
        let checked = try check(names, served.limits)
        let view = PageView(
            served: served, read: read, names: names, quotesLargeInts: quotesLargeInts, pin: pin)
        if isShort(checked, in: view) { return try write(checked, from: view, to: buffer) }
        known = (names, checked)
        return nil
    }

    /// Writes the page from a view.
    ///
    /// - Throws: ``RequestFault`` with every fault, also where the request does not fit a schema that has come
    ///   since it was checked.
    package func write(
        from read: ReadTransaction, _ served: ServedStore, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply {
        let names: SchemaNames
        let checked: Checked
        if let known, known.names.schema === read.rows {
            (names, checked) = known
        } else {
            names = served.names(of: read.rows)
            checked = try check(names, served.limits)
        }
        var view = PageView(
            served: served, read: read, names: names, quotesLargeInts: quotesLargeInts, pin: pin)
        guard let slow = served.limits.slowQueryMilliseconds else {
            return try write(checked, from: view, to: buffer)
        }
        let account = PageAccount(text, read.rows, isWatched: true)
        view.watch = account
        let job = read.turn as? Job
        do throws(RequestFault) {
            let reply = try served.withinMemory(of: job) { () throws(RequestFault) in
                try write(checked, from: view, to: buffer)
            }
            account.slowQuery(from: slow, nil).map(served.reportSlow)
            return reply
        } catch {
            // A job that begins again, or that nobody waits for, has not found how long it takes.
            if !(job?.mustNotAnswer ?? false) {
                account.slowQuery(from: slow, error).map(served.reportSlow)
            }
            throw error
        }
    }

    private func check(
        _ names: SchemaNames, _ limits: ServiceLimits
    ) throws(RequestFault) -> Checked {
        switch subject {
        case .objects(let container):
            return .objects(
                try CheckedQuery(
                    text, of: container, names: names, limits: limits, forms: forms))
        case .aggregate(let container, let aggregate):
            return .aggregate(
                try CheckedAggregate(
                    text, aggregate, of: container, names: names, limits: limits))
        case .sections(let container, let by, let objectCount):
            return .sections(
                try CheckedSections(
                    text, by: by, objectCount, of: container, names: names, limits: limits))
        }
    }

    /// Whether to write the page is sure to be short. Of sections none is: objects are looked at until the page
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

/// What a page is beside the bytes that were written.
package struct PageReply: Sendable {
    /// How the page is written.
    package var form: ListForm
    /// The version that it shows.
    package var version: StoreVersion
    /// The cursor of the next page; nil on the last one.
    package var next: String?
}
