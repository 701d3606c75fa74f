import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastThreads

/// Copies of the objects that a reply to several writes shows, as the writer sees them when the transaction ends, each once, as
/// long as there is room.
///
/// A request of a few bytes may name an object of megabytes again and again. Past the room the reply shows no
/// objects, as one with `return=minimal`, for which nothing is copied. Hidden parts take no room.
struct ReplyCopies {
    private var copies: [ObjectIdentity: ShownObject] = [:]
    /// The JSON of an object that a projection shows, before it is copied.
    private let json = ByteBuffer(capacity: 512)
    private var roomByteCount: Int
    /// The writer's view of the transaction; nil where the reply shows no objects: once there was no room, or no time
    /// for its rules.
    private var view: ReadTransaction?

    /// Begins without copies, at the end of a transaction. Other writes wait meanwhile, so that rules have a second at the most.
    ///
    /// - `deadline`: When the write has to be done.
    /// - Throws: ``StoreError`` `.refused` if the writer's rights can't be evaluated.
    init(
        _ transaction: WriteTransaction, for caller: Caller, _ form: ReplyForm,
        until deadline: UInt64, in served: ServedStore
    ) throws(StoreError) {
        roomByteCount = served.limits.queryMemoryByteCountMax
        if form.isMinimal { return }
        let whole = transaction.openView()
        whole.limitFollowing(
            until: min(deadline, monotonicMilliseconds() + ServedStore.factsMilliseconds),
            memoryByteCountMax: roomByteCount)
        do throws(RequestFault) {
            view = try caller.view(of: whole)
        } catch {
            if !error.isQueryLimit { throw .refused(error) }
        }
    }

    /// Whether no object is shown: the client wants a minimal reply, or an object could not be copied.
    var isExhausted: Bool { view == nil }

    /// The copy of an object as a projection shows it; nil when there is no room for it.
    ///
    /// - Throws: ``StoreError`` where storage fails, or the object takes more memory than a reply may.
    mutating func copy(
        _ projected: ProjectedObject, _ row: RowView, _ key: UInt64, _ transaction: WriteTransaction
    ) throws(StoreError) -> ShownObject? {
        if isExhausted { return nil }
        json.removeAll()
        guard try projected.write(row, key: key, transaction, to: json) else { return .hidden }
        return takeRoom(json.count) ? .json(json.array) : nil
    }

    /// The copy of an object; nil when there is no room for it.
    ///
    /// - Throws: ``StoreError`` where storage fails.
    mutating func copy(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> ShownObject? {
        let identity = ObjectIdentity(classIndex: rowClass.index, key: key)
        if let copy = copies[identity] { return copy }
        guard let view else { return nil }
        let object: StoredObject?
        do throws(StoreError) {
            object = try view.copy(rowClass, key, row)
        } catch {
            guard case .stopped = error else { throw error }
            self.view = nil
            return nil
        }
        guard takeRoom(object?.bytes.count ?? 0) else { return nil }
        let copy = object.map { ShownObject.object($0) } ?? .hidden
        copies[identity] = copy
        return copy
    }

    private mutating func takeRoom(_ byteCount: Int) -> Bool {
        if byteCount > roomByteCount { view = nil }
        guard view != nil else { return false }
        roomByteCount -= byteCount
        return true
    }
}

/// The state in which a reply shows an object that was written.
enum ShownObject: Sendable {
    /// The copied object, without hidden parts.
    case object(StoredObject)
    /// As a projection shows it.
    case json([UInt8])
    /// As null, since its reader does not see it.
    case hidden

    /// The copy that is written.
    var object: StoredObject? {
        if case .object(let object) = self { return object }
        return nil
    }

    func write(to writer: inout ObjectWriter) {
        switch self {
        case .object(let object): writer.write(object)
        case .json(let json): writer.json.buffer.append(json)
        case .hidden: writer.json.null()
        }
    }
}
