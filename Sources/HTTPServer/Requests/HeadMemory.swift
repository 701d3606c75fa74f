/// The memory that libmicrohttpd has for a connection: a request's head, a record for each field, and then the head of the reply.
///
/// libmicrohttpd closes a connection without an answer when a reply's head does not fit, even if the reply is a refusal. So requests that leave
/// no room for a reply are refused without libmicrohttpd, and a field of a reply that does not fit is left out.
enum HeadMemory {
    /// Bytes of a record (`struct MHD_HTTP_Header`).
    static let recordByteCount = 64
    /// The minimum of memory for the head of a reply, in bytes.
    static let replyByteCountMin = 2 << 10
    /// The memory in addition to a request's head of the largest size, in bytes.
    static let besideHeadByteCount = 8 << 10
    /// The memory of a connection for heads of the usual size.
    static let usualByteCount = 24 << 10
    /// The largest number of bytes that the server itself adds to a reply's head.
    private static let ownByteCountMax = 1 << 10

    /// Counts the memory that is left for the head of a reply.
    ///
    /// - Parameters:
    ///   - headByteCount: The bytes of the request's line and fields.
    ///   - recordCount: The number of the request's records.
    ///   - byteCount: The memory of the connection.
    /// - Returns: The bytes that are left; zero or less if the request has used all of the memory.
    static func room(behind headByteCount: Int, recordCount: Int, in byteCount: Int) -> Int {
        byteCount - headByteCount - recordCount * recordByteCount
    }

    /// The bytes of that which a handler's fields may have.
    static func fieldRoom(in replyRoom: Int) -> Int { replyRoom - ownByteCountMax }
}
