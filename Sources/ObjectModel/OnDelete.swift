/// The effect of the deletion of a link's target on the holder of the link.
///
/// It is stated on the property that holds the link. Raw values are the names in a schema document.
package enum OnDelete: String, Sendable, CaseIterable {
    /// The link becomes null, or its collection loses the element.
    case nullify
    /// The holder is deleted with the target: the object, or the embedded object, that has the property.
    case cascade
    /// The target can't be deleted as long as the holder is there.
    case deny
}
