import Rows

/// The values of an operation whose result needs all of them. One thread at a time uses it.
class CollectedValues {
    /// How the values are stored.
    final let storage: ElementStorage

    init(_ storage: ElementStorage) { self.storage = storage }

    /// Takes a stored value that is not null.
    func add(_ address: UnsafeRawPointer, _ byteCount: Int) {}

    /// Bytes that they take.
    var byteCount: Int { 0 }

    /// The result over them.
    var result: AggregateState.Result { .none }
}
