import ObjectModel

/// A schema as a client sent it.
struct SchemaDocument: Equatable {
    /// The revision that the schema was made from, if it is stated.
    var revision: UInt64?
    /// The classes. Its own revision is 0: the store counts.
    var schema = Schema()
}
