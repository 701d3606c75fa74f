import HoldfastBytes
import HoldfastRows

/// A value on its way into an edited object.
enum EditedValue {
    /// A draft's value of a property, or of the whole object.
    case statement(ObjectDraft, ResolvedReferences, origin: WriteOrigin)
    /// As it lies in a row, or in a collection; nil for null.
    case bytes(ByteBuffer?)
}
