/// The object keys of a draft's links, found by the writer.
package struct ResolvedReferences {
    /// One object key per reference of the draft, in order.
    package var keys: [UInt64]
    /// The same for embedded children that have links, by their position in the draft's children.
    package var children: [Int: ResolvedReferences]

    /// Makes a result.
    package init(keys: [UInt64] = [], children: [Int: ResolvedReferences] = [:]) {
        self.keys = keys
        self.children = children
    }

    /// Of a draft without links.
    package static let none = ResolvedReferences()
}
