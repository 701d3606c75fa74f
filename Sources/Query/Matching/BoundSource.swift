import HoldfastRows

/// The source and the budget of all parts of a matcher. One thread at a time uses it, that of the matcher.
final class BoundSource {
    /// The source in which a matcher of values finds the objects that links within them lead to.
    ///
    /// Weak, so that neither is a snapshot kept nor another one at the same address taken for it.
    weak var source: (any ObjectSource)?
    /// The matcher's budget.
    var budget = Budget()
}
