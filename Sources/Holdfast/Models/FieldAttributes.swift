/// What `@Persisted` says of a property beside its type.
struct FieldAttributes: Hashable, Sendable {
    var isIndexed = false
    var isPrimaryKey = false
}
