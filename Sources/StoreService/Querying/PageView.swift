import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// A view of the store that pages are written from, and how their reader wants them; as valid as ``read``.
package struct PageView {
    let served: ServedStore
    let read: ReadTransaction
    let names: SchemaNames
    let quotesLargeInts: Bool
    /// The snapshot that keeps the version of ``read``, if one does.
    let pin: SnapshotPin?
    /// Seals cursors for the principal of a restricted view; nil if the view shows everything.
    let seal: CursorSeal?
    /// Records the steps of a query's page; nil if they are not needed.
    let watch: PageAccount?

    /// - `caller`: The caller that the view was made for.
    package init(
        served: ServedStore, read: ReadTransaction, names: SchemaNames, quotesLargeInts: Bool,
        pin: SnapshotPin?, for caller: Caller, watch: PageAccount? = nil
    ) {
        self.served = served
        self.read = read
        self.names = names
        self.quotesLargeInts = quotesLargeInts
        self.pin = pin
        self.watch = watch
        seal = caller.visibility.flatMap { visibility in
            read.visibility.map {
                CursorSeal(
                    key: served.store.ticketKey, principal: visibility.name,
                    fingerprint: $0.fingerprint)
            }
        }
    }

    var queryLimits: QueryLimits { served.queryLimits(of: read) }

    var outOfMemory: RequestFault { .queryMemory(served.limits) }

    /// Makes a writer of objects with the limits of replies.
    func objectWriter(_ buffer: ByteBuffer) -> ObjectWriter {
        var writer = ObjectWriter(
            buffer, names, read, served.limits, quotesLargeInts: quotesLargeInts)
        writer.linkKeys = RequestScratch.current.linkKeys
        return writer
    }

    /// The account of a page of objects of a class.
    func account(_ text: QueryText, of rowClass: RowClass) -> PageAccount {
        let account = watch ?? PageAccount(text, read.rows, isWatched: false)
        account.begin(rowClass)
        return account
    }

    /// Plans a query.
    ///
    /// - `account`: Records its steps.
    func execution(
        _ query: ObjectQuery, _ limits: QueryLimits, _ account: PageAccount
    ) throws(RequestFault) -> QueryExecution {
        let execution = try served.mappingStoreErrors(
            QueryExecution(query, in: read, limits: limits))
        account.begin(execution)
        return execution
    }

    /// Writes the end of a page after its objects, and returns the reply.
    ///
    /// - `rowsReturned`: The number of objects on the page, for `explain`; nil for the count of its last stage.
    /// - Throws: ``RequestFault`` when the store's version can't be read.
    func end(
        _ json: JSONWriter, next: PageCursor?, count: Int? = nil, _ account: PageAccount? = nil,
        rowsReturned: Int? = nil
    ) throws(RequestFault) -> PageReply {
        var text: String?
        if let next {
            let next = try cursorText(next)
            text = next
            json.raw(",\"next\":")
            json.string(next)
        }
        if let count {
            json.raw(",\"count\":")
            json.int(Int64(count))
        }
        account?.write(to: json, rowsReturned: rowsReturned)
        json.raw("}")
        return try reply(.json, next: text)
    }

    /// The cursor that a client gets.
    ///
    /// - Throws: ``RequestFault`` `.failed` when it can't be signed.
    func cursorText(_ cursor: PageCursor) throws(RequestFault) -> String {
        var text = cursor.encoded()
        if let seal { text = try seal.sealed(text) }
        return pin?.cursor(text) ?? text
    }

    /// Reads the cursor of a request and checks that it is the caller's, and belongs to the query and to this store.
    ///
    /// - Throws: ``RequestFault`` as ``PageCursor/read(_:query:epoch:)``; `.expired` where its view was another.
    func cursor(_ text: QueryText, _ query: PageCursor.QueryHash) throws(RequestFault)
        -> PageCursor?
    {
        if let stated = text.cursor {
            if let seal {
                try seal.check(stated, text.seal, text)
            } else if text.seal != nil {
                throw CursorSeal.foreign(text)
            }
        }
        return try PageCursor.read(text, query: query, epoch: read.epoch)
    }

    /// The reply with a page that is written.
    ///
    /// - Throws: ``RequestFault`` when the store's version can't be read.
    func reply(_ form: ListForm, next: String?) throws(RequestFault) -> PageReply {
        PageReply(form: form, version: try version(), next: next)
    }

    /// The version of the store that it shows.
    ///
    /// - Throws: ``RequestFault`` when it can't be read.
    func version() throws(RequestFault) -> StoreVersion { try served.version(of: read) }
}

/// The forms that a list is answered in.
package enum ListForm: CaseIterable, Sendable {
    case json
    /// A FeatureCollection (RFC 7946).
    case geoJSON
    /// Records with a header line (RFC 4180).
    case csv
}
