/// A deleted object that others held by links that deny it: they have to be gone when the transaction
/// ends.
struct HeldTarget {
    /// Which of the transaction's operations deleted it.
    var source: Int
    /// The deleted object, for a person to read.
    var target: String
    /// The objects that held it, each with the number of the property.
    var holders: [(object: ObjectIdentity, property: UInt32)]
}
