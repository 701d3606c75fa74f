import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// The oldest objects of an outbox behind a position, as the body of a reply or as an event.
struct OutboxPage {
    /// The page's text.
    let bytes: SharedBytes
    /// How many objects it has.
    let count: Int
    /// The position behind its last object; where the page began when it has none.
    let through: OutboxCursor

    /// Reads and writes a page.
    ///
    /// - `cursor`: Behind which object to begin.
    /// - `byteCountMax`: Bytes after which the page ends, whatever its number of objects.
    /// Objects are written whole however large they are: nothing else could read what a page left out, and
    /// whoever consumes an outbox has to get past each of its objects.
    ///
    /// - Throws: ``RequestFault`` when storage fails.
    init(
        _ rowClass: RowClass, behind cursor: OutboxCursor, in read: ReadTransaction,
        _ served: ServedStore, limit: Int, byteCountMax: Int, quotesLargeInts: Bool,
        _ framing: (any EventFraming)? = nil
    ) throws(RequestFault) {
        let names = served.names(of: read.rows)
        let selection = names.classes[rowClass.index].everything
        let buffer = ByteBuffer(capacity: 1024)
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        framing?.begin("batch", id: nil, in: buffer)
        buffer.append("{\"objects\":[")
        var count = 0
        var through = cursor
        try served.stored { () throws(StoreError) in
            try read.scan(rowClass, after: cursor.key, expecting: limit) { key, row in
                if count > 0 { buffer.append(UInt8(ascii: ",")) }
                writer.write(row, key: key, selection)
                count += 1
                through.key = key
                return count < limit && buffer.count <= byteCountMax
            }
            try read.checkFailure()
        }
        buffer.append("],\"through\":\"\(through)\"}")
        framing?.end(id: through.description, in: buffer)
        bytes = SharedBytes(buffer)
        self.count = count
        self.through = through
    }
}
