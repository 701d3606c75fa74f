/// What a change of one element did.
package struct ElementResult {
    /// What became of the object.
    package var written: WriteResult
    /// Whether an element or entry came that was not there.
    package var isCreated: Bool
    /// Where the element stands now; nil for one that went, and in a map.
    package var position: Int?
}
