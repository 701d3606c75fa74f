import HoldfastObjectJSON

/// A stage of an import's text on its way to lines of JSON. One thread at a time.
protocol LineSource: AnyObject {
    /// Takes the next bytes, which are valid during the call.
    ///
    /// - Throws: ``RequestFault`` when the text can't be an import.
    func append(_ bytes: UnsafeRawBufferPointer) throws(RequestFault)
    /// Ends the text.
    ///
    /// - Throws: As ``append(_:)``.
    func complete() throws(RequestFault)
}
