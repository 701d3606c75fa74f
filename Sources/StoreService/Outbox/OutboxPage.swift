import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// The oldest objects of an outbox behind a position, as the body of a reply or as an event.
struct OutboxPage {
    /// How a page is written, and where it ends.
    struct Form {
        /// Objects of the page.
        var objectCountMax: Int
        /// Bytes after which it ends, whatever its number of objects.
        var byteCountMax: Int
        var quotesLargeInts: Bool
        /// What makes an event of it; nil for the body of a reply.
        var framing: (any EventFraming)?
    }

    /// The page's text.
    let bytes: SharedBytes
    /// How many objects it has.
    let count: Int
    /// The position behind its last object; where the page began when it has none.
    let through: OutboxCursor

    /// Reads and writes a page.
    ///
    /// Objects are written whole however large they are: nothing else could read what a page left out, and
    /// whoever consumes an outbox has to get past each of its objects.
    ///
    /// - `cursor`: Behind which object to begin.
    /// - Throws: ``RequestFault`` when storage fails.
    init(
        _ rowClass: RowClass, behind cursor: OutboxCursor, in read: ReadTransaction,
        _ served: ServedStore, _ form: Form
    ) throws(RequestFault) {
        let names = served.names(of: read.rows)
        let selection = names.classes[rowClass.index].everything
        let buffer = ByteBuffer(capacity: 1024)
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = form.quotesLargeInts
        form.framing?.begin("batch", id: nil, in: buffer)
        buffer.append("{\"objects\":[")
        var count = 0
        var through = cursor
        try served.stored { () throws(StoreError) in
            try read.scan(rowClass, after: cursor.key, expecting: form.objectCountMax) { key, row in
                if count > 0 { buffer.append(UInt8(ascii: ",")) }
                writer.write(row, key: key, selection)
                count += 1
                through.key = key
                return count < form.objectCountMax && buffer.count <= form.byteCountMax
            }
            try read.checkFailure()
        }
        buffer.append("],\"through\":\"\(through)\"}")
        form.framing?.end(id: through.description, in: buffer)
        bytes = SharedBytes(buffer)
        self.count = count
        self.through = through
    }
}
