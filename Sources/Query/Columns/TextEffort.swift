/// How much of the texts in a column a test looks at, least first: what a scan costs depends on little else.
package enum TextEffort: Int, Sendable {
    /// Hashes, and hardly a text.
    case hashes
    /// All bytes, many at once.
    case search
    /// Each text by itself.
    case each
}
