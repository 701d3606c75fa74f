/// The place of an embedded object or a link in the draft that states it.
package struct DraftPlace: Sendable {
    /// The property that holds it.
    package var member: Int
    /// The position in a list, in a map that of the draft's entry; nil for a single object.
    package var element: Int?
}
