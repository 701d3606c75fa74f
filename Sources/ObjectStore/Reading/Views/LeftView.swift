/// The closed view that a thread has left, for its next one. One thread at a time uses it.
package final class LeftView {
    var view: ReadTransaction?

    /// Makes room for one.
    package init() {}
}
