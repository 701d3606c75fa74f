/// One entry of a map, as a draft states it.
package struct DraftEntry: Sendable {
    /// The stated value of the entry, or its removal.
    package enum Value: Sendable {
        /// It goes. Only a draft that merges says so.
        case removed
        /// It is null.
        case null
        /// It has a plain value: `start ..< start + count` of the arena, as a collection stores it.
        case bytes(start: Int, count: Int)
        /// It is the link whose target is this reference of the draft.
        case reference(Int)
        /// It is the embedded object that this child of the draft states.
        case child(Int)
    }

    /// The offset of the key in the draft's arena.
    package var keyStart: Int
    /// The bytes of the key.
    package var keyCount: Int
    /// The value or the removal.
    package var value: Value
}
