import HoldfastBytes
import HoldfastObjectStore
import HoldfastRows

/// Copies of the objects that a reply to several writes shows, each once, as long as there is room.
///
/// A request of a few bytes may name an object of megabytes again and again. Past the room the reply shows no
/// objects, as one with `return=minimal`.
struct ReplyCopies {
    private var copies: [ObjectIdentity: StoredObject] = [:]
    private var roomByteCount: Int
    /// Whether there was no room for one of them, so that none is shown.
    private(set) var isExhausted = false

    /// Begins without copies.
    init(roomByteCount: Int) { self.roomByteCount = roomByteCount }

    /// The copy of an object as it is shown; nil when there is no room for it.
    mutating func copy(_ json: ByteBuffer) -> [UInt8]? {
        guard !isExhausted, json.count <= roomByteCount else {
            isExhausted = true
            return nil
        }
        roomByteCount -= json.count
        return json.array
    }

    /// The copy of an object; nil when there is no room for it.
    mutating func copy(_ schema: RowSchema, _ classIndex: Int, _ key: UInt64, _ row: RowView)
        -> StoredObject?
    {
        let identity = ObjectIdentity(classIndex: classIndex, key: key)
        if let copy = copies[identity] { return copy }
        guard !isExhausted, row.byteCount <= roomByteCount else {
            isExhausted = true
            return nil
        }
        roomByteCount -= row.byteCount
        let copy = StoredObject(schema: schema, classIndex: classIndex, key: key, row: row)
        copies[identity] = copy
        return copy
    }
}
