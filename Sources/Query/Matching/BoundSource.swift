import Rows

/// Where a matcher of values finds the objects that links within them lead to.
///
/// Weak, so that no snapshot is kept. One thread at a time uses it, that of the matcher.
final class BoundSource {
    weak var source: (any ObjectSource)?
}
