/// A property of an object that has changed.
public struct PropertyChange {
    /// The name of the property in its class.
    public let name: String
    /// The value before; nil for null, and for collections. An object that it linked to is shown as it is now, and may be invalidated.
    public let oldValue: Any?
    /// The value now, as the object's property has it.
    public let newValue: Any?
}
