import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// A page that is asked for, and what its check led to: its query is parsed once, and again only for a view
/// of another schema.
package struct PageRead<Request: PageRequest>: Sendable {
    private let request: Request
    private var known: (names: SchemaNames, checked: Request.Checked)?

    /// Asks for a page.
    package init(_ request: Request) { self.request = request }

    /// Writes the page if that is sure to be short, from a view of the last commit; else it is checked and
    /// nothing more. What is long to check is left for ``write(from:_:to:)``.
    ///
    /// - Returns: Nil for a page that was not written.
    /// - Throws: ``RequestFault`` with every fault.
    package mutating func writeIfShort(
        _ served: ServedStore, to buffer: ByteBuffer
    ) throws(RequestFault) -> PageReply? {
        guard !request.text.isLong else { return nil }
        let read = try served.stored { () throws(StoreError) in try served.store.read() }
        defer { read.close() }
        let names = RequestScratch.current.names(of: read.rows, served)
        let checked = try request.check(names, served.limits)
        let view = view(served, read, names)
        if request.isShort(checked, in: view) {
            return try request.write(checked, from: view, to: buffer)
        }
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
        let checked: Request.Checked
        if let known, known.names.schema === read.rows {
            (names, checked) = known
        } else {
            names = served.names(of: read.rows)
            checked = try request.check(names, served.limits)
        }
        var view = view(served, read, names)
        guard let slow = served.limits.slowQueryMilliseconds else {
            return try request.write(checked, from: view, to: buffer)
        }
        let account = PageAccount(request.text, read.rows, isWatched: true)
        view.watch = account
        let job = read.turn as? Job
        do throws(RequestFault) {
            let reply = try served.withinMemory(of: job) { () throws(RequestFault) in
                try request.write(checked, from: view, to: buffer)
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

    private func view(
        _ served: ServedStore, _ read: ReadTransaction, _ names: SchemaNames
    ) -> PageView {
        PageView(served, read, names, quotesLargeInts: request.quotesLargeInts)
    }
}
