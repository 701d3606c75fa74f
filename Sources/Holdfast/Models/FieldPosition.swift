/// Where the value of a property is: in a row, or in the object itself.
///
/// Public because accesses are inlined into programs.
public struct FieldPosition {
    /// The position of the property in its class's rows; negative in an object that holds its values itself.
    @usableFromInline var member: Int32
    /// Of a value of fixed width or a text that may not be null the offset in rows of the present layout; −1 of others.
    @usableFromInline var slot: Int32

    /// In the object itself.
    @inlinable init() { (member, slot) = (-1, -1) }

    init(member: Int, slot: Int32) {
        self.member = Int32(truncatingIfNeeded: member)
        self.slot = slot
    }

    /// In a tracing instance, which notes the properties that are read.
    ///
    /// - `field`: The position of the property in its class.
    init(tracing field: Int) { self.init(member: -2 - field, slot: -1) }

    @inlinable var isTraced: Bool { member < -1 }
    /// Of a tracing instance the position of the property in its class.
    var field: Int { -2 - Int(member) }
}
