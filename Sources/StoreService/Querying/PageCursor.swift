import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows

/// The end of a page of a list: a client gets it as `"next"` and sends it back as `cursor`.
///
/// Opaque to clients: base64url of
///
///     offset  bytes  field (little-endian)
///     0       1      format: 1, or 2 with the time that `now()` stands for
///     1       16     hash of the query that it belongs to
///     17      8      epoch
///     25      8      objects returned so far; of an inverse link's page its ``Origin``
///     33      8      object key, or position in a collection, of the last object
///     41      4      byte count of its sort values
///     45      12     format 2 only: seconds since 1970 (8) and nanoseconds (4) of that time
///     …       …      its sort values, then its whole sort values; see ``QueryPosition``
///     …       8      hash of everything before, which tells a damaged cursor
struct PageCursor: Equatable, Sendable {
    /// The query that it belongs to.
    var query: QueryHash
    var epoch: UInt64
    /// Objects returned so far.
    var returnedCount: UInt64
    /// The last object.
    var position: QueryPosition

    /// A hash of everything that decides about a query's result and order.
    struct QueryHash: Equatable, Sendable {
        let high: UInt64
        let low: UInt64
        /// The value of `now()` in the query, also on later pages; nil if the query does not use it.
        let now: Timestamp?
    }

    private static let format: UInt8 = 1
    private static let timedFormat: UInt8 = 2
    private static let timeByteCount = 12
    /// The number of bytes before and behind the sort values.
    private static let fixedByteCount = 45
    private static let checksumByteCount = 8
    /// Above any count of objects and any object key, which begin at 0 and 1 and never skip: larger
    /// numbers are made up, and computing with them could overflow. The checksum is no secret.
    private static let numberEnd: UInt64 = 1 << 62

    /// The cursor as a client gets it. Cost: an allocation or two, and a hash of its bytes.
    func encoded() -> String {
        let bytes = ByteBuffer(capacity: Self.fixedByteCount + position.sortBytes.count + 64)
        bytes.append(query.now == nil ? Self.format : Self.timedFormat)
        bytes.append(little: query.high)
        bytes.append(little: query.low)
        bytes.append(little: epoch)
        bytes.append(little: returnedCount)
        bytes.append(little: position.key)
        bytes.append(little: UInt32(position.sortBytes.count))
        if let now = query.now {
            bytes.append(little: UInt64(bitPattern: now.seconds))
            bytes.append(little: UInt32(bitPattern: now.nanoseconds))
        }
        bytes.append(position.sortBytes)
        bytes.append(position.wholeBytes)
        bytes.append(little: SipHash128.hash(bytes.bytes).high)
        return Base64.urlText(of: bytes.bytes)
    }

    /// The origin of the last element of an inverse link's page beside the key of its object.
    struct Origin: Equatable, Sendable {
        /// The number of the class of the object that holds the link.
        var classNumber: UInt32
        /// Which of the links from that object it was.
        var repetition: UInt32
    }

    /// Where an inverse link's page ended.
    var origin: Origin {
        Origin(
            classNumber: UInt32(truncatingIfNeeded: returnedCount >> 32),
            repetition: UInt32(truncatingIfNeeded: returnedCount))
    }
}

extension PageCursor {
    /// Makes the cursor of a page of elements.
    ///
    /// - `origin`: Nil for pages of a collection.
    init(query: QueryHash, epoch: UInt64, origin: Origin?, position: QueryPosition) {
        let count = origin.map { UInt64($0.classNumber) << 32 | UInt64($0.repetition) }
        self.init(query: query, epoch: epoch, returnedCount: count ?? 0, position: position)
    }

    /// Reads a cursor's text; nil for other text.
    init?(_ text: String) {
        var text = text
        guard
            let all = text.withUTF8({ Base64.decode(UnsafeRawBufferPointer($0), alphabet: .url) }),
            let format = all.first, format == Self.format || format == Self.timedFormat
        else { return nil }
        let isTimed = format == Self.timedFormat
        let sortStart = Self.fixedByteCount + (isTimed ? Self.timeByteCount : 0)
        guard all.count >= sortStart + Self.checksumByteCount else { return nil }
        let bytes = all.dropLast(Self.checksumByteCount)
        func word(at offset: Int) -> UInt64 {
            all.withUnsafeBytes {
                UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
        }
        func halfWord(at offset: Int) -> UInt32 {
            all.withUnsafeBytes {
                UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
        }
        guard word(at: bytes.count) == bytes.withUnsafeBytes({ SipHash128.hash($0).high }) else {
            return nil
        }
        let sortEnd = sortStart + Int(halfWord(at: 41))
        guard sortEnd <= bytes.count, word(at: 25) < Self.numberEnd, word(at: 33) < Self.numberEnd
        else { return nil }
        var now: Timestamp?
        if isTimed {
            let nanoseconds = halfWord(at: Self.fixedByteCount + 8)
            guard nanoseconds < 1_000_000_000 else { return nil }
            now = Timestamp(
                seconds: Int64(bitPattern: word(at: Self.fixedByteCount)),
                nanoseconds: Int32(nanoseconds))
        }
        query = QueryHash(high: word(at: 1), low: word(at: 9), now: now)
        epoch = word(at: 17)
        returnedCount = word(at: 25)
        position = QueryPosition(
            sortBytes: Array(bytes[sortStart..<sortEnd]), wholeBytes: Array(bytes[sortEnd...]),
            key: word(at: 33))
    }

    /// The fault of a cursor with a last object that had a text too long for a cursor, and was deleted or changed: 410.
    static let lost = RequestFault(
        .expired, "cursor-expired",
        "The cursor follows a text of more than \(QueryPosition.wholeByteCountMax) bytes that was "
            + "changed or deleted since; begin again without it.")

    /// Reads the cursor of a request and checks that it belongs to the query and to this store.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for another query's cursor, `.expired` for one from before a restore.
    static func read(
        _ text: QueryText, query: QueryHash, epoch: UInt64
    ) throws(RequestFault) -> PageCursor? {
        guard let given = text.cursor else { return nil }
        guard let cursor = PageCursor(given) else {
            throw text.fault(
                "cursor",
                "The cursor is damaged; send the \"next\" of the page before unchanged.",
                code: "invalid-cursor")
        }
        if cursor.epoch != epoch {
            throw RequestFault(
                .expired, "cursor-expired",
                "The cursor is from before the store was restored; begin again without it.")
        }
        if cursor.query != query {
            throw text.fault(
                "cursor",
                "The cursor belongs to another query; filter, arguments, sort and distinct have to be "
                    + "those of the page before.", code: "invalid-cursor")
        }
        return cursor
    }
}

extension PageCursor.QueryHash {
    /// Hashes a query without the size and shape of its pages.
    ///
    /// - `parts`: The container of the query, and all of its texts except the filter.
    /// - `text`: For the filter and its arguments.
    /// - `keys`: The sort keys. The types of their values count: after a change of the schema the
    ///   same paths may lead to values of other types, with another order of bytes.
    /// - `now`: See ``CompiledQuery/now``.
    init(_ parts: [String?], _ text: QueryText, _ keys: [SortKey], now: Timestamp?) {
        let buffer = ByteBuffer(capacity: 256)
        for part in parts + keys.map(\.path.type.name) + [text.filter] {
            if let part { buffer.append(part) }
            buffer.append(0 as UInt8)
        }
        for argument in text.arguments { Self.append(argument.value, to: buffer) }
        (high, low) = SipHash128.hash(buffer.bytes)
        self.now = now
    }

    private static func append(_ value: Value, to buffer: ByteBuffer) {
        switch value {
        case .link(let className, let key):
            buffer.append("\(className)\u{0}")
            append(key, to: buffer)
        case .list(let values): for value in values { append(value, to: buffer) }
        default: MixedWriter(buffer).value(value)
        }
        buffer.append(0 as UInt8)
    }
}
