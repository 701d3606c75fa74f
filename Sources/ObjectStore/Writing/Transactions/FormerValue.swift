/// The value that a property of an object had before a transaction changed or deleted the object.
package struct FormerValue: Equatable, Sendable {
    /// The property's number.
    package var property: UInt32
    /// 0 for null, or 1 and the stored bytes.
    package var tagged: [UInt8]
}
