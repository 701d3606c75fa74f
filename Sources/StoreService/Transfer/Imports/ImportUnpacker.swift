import HoldfastObjectJSON

/// Something that unpacks the text of an import that comes compressed. One thread at a time.
package protocol ImportUnpacker: AnyObject, Sendable {
    /// Hands on, piece by piece, the text that the next packed bytes become.
    ///
    /// - Throws: ``RequestFault`` for bytes that are not packed, or become too many; what `body` throws.
    func unpack(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) throws(RequestFault) -> Void
    ) throws(RequestFault)
    /// Ends the packed bytes.
    ///
    /// - Throws: ``RequestFault`` when they are cut.
    func complete() throws(RequestFault)
}
