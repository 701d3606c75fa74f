/// The position of a link in a `mixed` value, and the class that it leads to.
package struct MixedLinkPosition {
    /// Its offset in the value; in a list or set of such values counted from the first one's
    /// beginning.
    package var offset: Int
    /// The position of the target's class.
    package var classIndex: Int

    /// Makes a position.
    package init(offset: Int, classIndex: Int) {
        self.offset = offset
        self.classIndex = classIndex
    }
}
