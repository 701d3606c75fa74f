/// The memory that libmicrohttpd has for a connection: a request's head, a record of each field, and the head of the reply behind them.
///
/// It closes a connection without a word when a reply's head does not fit in, also when that is a refusal. So requests that leave no
/// room for one are refused past it, and a field of a reply that has no room is left out.
enum HeadMemory {
    /// Bytes of a record (`struct MHD_HTTP_Header`).
    static let recordByteCount = 64
    /// The least room for the head of a reply.
    static let replyByteCountMin = 2 << 10
    /// The memory beside a head of the most bytes.
    static let besideHeadByteCount = 8 << 10
    /// The memory of a connection for heads of the usual size.
    static let usualByteCount = 24 << 10
    /// The most bytes of the parts of a reply's head that the server adds itself.
    private static let ownByteCountMax = 1 << 10

    /// Counts the memory that is left for the head of a reply.
    ///
    /// - Parameters:
    ///   - headByteCount: The bytes of the request's line and fields.
    ///   - recordCount: The number of its records.
    ///   - byteCount: The memory of the connection.
    /// - Returns: The bytes that are left; zero or less if the request has used all of the memory.
    static func room(behind headByteCount: Int, recordCount: Int, in byteCount: Int) -> Int {
        byteCount - headByteCount - recordCount * recordByteCount
    }

    /// The bytes of that which a handler's fields may have.
    static func fieldRoom(in replyRoom: Int) -> Int { replyRoom - ownByteCountMax }
}
