import HoldfastObjectJSON

/// The beginning of a text, from which a byte order mark is left out: that of UTF-8 says nothing.
struct ByteOrderMark {
    private var beginning: [UInt8] = []
    private var isOver = false

    /// Passes the text on without the mark.
    ///
    /// - Throws: ``RequestFault`` for UTF-16, and errors of `body`.
    mutating func strip(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(RequestFault) -> Void
    ) throws(RequestFault) {
        if isOver { return try body(bytes) }
        let count = min(3 - beginning.count, bytes.count)
        beginning += bytes[..<count]
        if beginning.count < 3 { return }
        try complete(body)
        try body(UnsafeRawBufferPointer(rebasing: bytes[count...]))
    }

    /// Passes on the bytes of a short text.
    ///
    /// - Throws: As ``strip(_:_:)``.
    mutating func complete(
        _ body: (UnsafeRawBufferPointer) throws(RequestFault) -> Void
    ) throws(RequestFault) {
        if isOver { return }
        isOver = true
        if beginning == [0xEF, 0xBB, 0xBF] { return }
        if beginning.starts(with: [0xFF, 0xFE]) || beginning.starts(with: [0xFE, 0xFF]) {
            throw RequestFault(
                .malformed, "not-utf8",
                "The text is UTF-16, and an import takes UTF-8: convert it first, such as by iconv -f UTF-16 "
                    + "-t UTF-8.")
        }
        let array = beginning
        var failure: RequestFault?
        array.withUnsafeBytes { bytes in
            do throws(RequestFault) { try body(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
