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

/// A position in the outbox of an asymmetric class, after one of its objects: `<class>.<epoch>-<key>`. Clients pass it on
/// unchanged. For a user that may not read everything, it ends with `.<version>_`, the version of the page, and the tag of the
/// user's view.
package struct OutboxCursor: Equatable, Sendable, CustomStringConvertible {
    /// The class's number: another class of the same name is another outbox.
    var classNumber: UInt32
    /// The epoch of the store: in another epoch the same key may belong to another object.
    var epoch: UInt64
    /// The object key; 0 is the position before all objects.
    var key: UInt64
    /// The version at which the objects before the position were visible; 0 if all objects are visible.
    var version: UInt64 = 0
    /// The tag of its view, in which other objects may be hidden. It proves that the service has made the cursor. Empty if
    /// everything is visible.
    private(set) var viewTag = ""

    package var description: String {
        "\(classNumber).\(StoreVersion(epoch: epoch, number: key))"
            + (viewTag.isEmpty ? "" : ".\(version)_" + viewTag)
    }
}

extension OutboxCursor {
    /// The same position as a position of a view of the store.
    func sealed(in read: ReadTransaction) -> OutboxCursor {
        var sealed = self
        sealed.viewTag = tag(in: read)
        return sealed
    }

    /// Whether it belongs to a view of the store.
    func isOf(_ read: ReadTransaction) -> Bool { viewTag == tag(in: read) }

    private func tag(in read: ReadTransaction) -> String {
        read.visibility.map {
            ViewTag.text(of: "outbox \(classNumber) \(epoch) \(key) \(version)", in: $0.mark)
        } ?? ""
    }

    /// Reads a cursor; nil for other text.
    init?(_ text: String) {
        let marked = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        let parts = marked[0].split(separator: ".", omittingEmptySubsequences: false)
        let isOfUser = marked.count > 1
        guard parts.count == (isOfUser ? 3 : 2), let number = UInt32(parts[0]),
            let position = StoreVersion(text: parts[1]),
            let version = isOfUser ? UInt64(parts[2]) : 0
        else { return nil }
        self.init(
            classNumber: number, epoch: position.epoch, key: position.number, version: version,
            viewTag: isOfUser ? String(marked[1]) : "")
    }
}
