import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The oldest objects of an outbox after a position, as the body of a reply or as an event.
struct OutboxPage {
    /// The page's text.
    let bytes: SharedBytes
    let count: Int
    /// The position after its last object, or its beginning if it is empty. If no visible object follows, it is also after all
    /// hidden objects.
    let through: OutboxCursor

    /// The body of a reply without objects.
    static func empty(at cursor: OutboxCursor) -> SharedBytes {
        let buffer = ByteBuffer(capacity: 64)
        buffer.append("{\"objects\":[],\"through\":\"\(cursor)\"}")
        return SharedBytes(buffer)
    }

    /// Reads and writes a page.
    ///
    /// Objects are written whole however large they are: the consumer of an outbox has to get past each object, and could not
    /// read omitted parts otherwise.
    ///
    /// - `cursor`: The position after which to begin.
    /// - `limit`: The maximum number of objects in the body of a reply.
    /// - `framing`: Makes an event of the size of a piece; nil for the body of a reply.
    /// - Throws: ``RequestFault`` if storage fails.
    init(
        _ rowClass: RowClass, behind cursor: OutboxCursor, in read: ReadTransaction,
        _ served: ServedStore, limit: Int, quotesLargeInts: Bool,
        _ framing: (any EventFraming)? = nil
    ) throws(RequestFault) {
        let names = served.names(of: read.rows)
        let selection = names.everything[rowClass.index]
        let buffer = ByteBuffer(capacity: 1024)
        var writer = ObjectWriter(buffer, names: names, read: read, epoch: read.epoch)
        writer.quotesLargeInts = quotesLargeInts
        framing?.begin("batch", id: nil, in: buffer)
        buffer.append("{\"objects\":[")
        let isEvent = framing != nil
        let countMax = isEvent ? StreamCatchUp.pieceObjectCount : limit
        let byteCountMax = isEvent ? StreamCatchUp.pieceByteCount : served.limits.replyByteCount
        var count = 0
        var isFull = false
        var through = cursor
        try served.mappingStoreErrors(
            read.scan(rowClass, after: cursor.key, expecting: countMax) { key, row in
                if count > 0 { buffer.append(UInt8(ascii: ",")) }
                writer.write(row, key: key, selection)
                count += 1
                through.key = key
                isFull = count >= countMax || buffer.count > byteCountMax
                return !isFull
            })
        // A page is sent to a stream before the view ends.
        try served.check(read)
        if read.visibility != nil {
            through.version = try served.mappingStoreErrors(read.state()).version
            if !isFull {
                // Hidden objects are skipped. When one becomes visible, the position is not valid any more.
                let state = try served.mappingStoreErrors(read.classState(rowClass))
                through.key = max(through.key, state.nextKey - min(1, state.nextKey))
            }
            through = through.sealed(in: read)
        }
        buffer.append("],\"through\":\"\(through)\"}")
        framing?.end(id: through.description, in: buffer)
        bytes = SharedBytes(buffer)
        self.count = count
        self.through = through
    }
}
