/// The next step after a request that no route takes.
package struct NextStep: Sendable, Equatable {
    /// The rest of a sentence, with its full stop or question mark.
    package var text: String
    /// The path to use instead; nil if no path can be used as it is.
    package var path: String?

    package init(_ text: String, path: String? = nil) {
        self.text = text
        self.path = path
    }
}
