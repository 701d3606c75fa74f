import HoldfastObjectModel

/// An object that links to another, and the property that holds the link, however often.
struct IncomingLink {
    /// The object, or the owner of the embedded object, that holds the link.
    var origin: ObjectIdentity
    /// The number of the property.
    var property: UInt32
    /// Whether the property is one of the origin's own class and not of an embedded object's.
    var isOwn: Bool
    /// The property's rule for the deletion of its targets.
    var onDelete: OnDelete
}
