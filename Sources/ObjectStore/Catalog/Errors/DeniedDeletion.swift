/// A deleted object that another one holds by a link that denies it.
package struct DeniedDeletion: Sendable {
    /// The position of the transaction's operation that deleted it.
    package var source: Int
    /// The deleted object, for a person to read; nil where it is not to be named.
    package var target: String?
    /// The class of the object that holds the link.
    package var holderClass: String
    /// That object, for a person to read; nil where it is not to be named.
    package var holder: String?
    /// The class and the property that state the rule, such as `Order.customer`; not to be named where the holder is not.
    package var property: String
}
