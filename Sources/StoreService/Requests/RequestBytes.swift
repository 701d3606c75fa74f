/// Bytes of a request in place, such as its body, which their owner keeps where they are.
///
/// They have to be valid until the request is answered.
package struct RequestBytes: @unchecked Sendable {
    // Unchecked: the bytes are constant as long as the owner is used for the request.

    /// The bytes. Behind a body stands the padding that the JSON parser needs.
    package let bytes: UnsafeRawBufferPointer
    private let owner: AnyObject

    /// Names bytes that `owner` holds.
    package init(_ bytes: UnsafeRawBufferPointer, of owner: AnyObject) {
        self.bytes = bytes
        self.owner = owner
    }
}
