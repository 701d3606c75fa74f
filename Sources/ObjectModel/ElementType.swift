/// The type of a single-valued property or of one element of a collection.
package enum ElementType: Hashable, Sendable {
    /// A plain value.
    case scalar(ScalarType)
    /// An object of the named class: a link, or an embedded object if the class is embedded.
    case object(String)
}
