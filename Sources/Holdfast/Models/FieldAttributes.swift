/// The attributes that `@Persisted` gives a property beside its type.
@usableFromInline
struct FieldAttributes: Hashable, Sendable {
    var isIndexed = false
    var isPrimaryKey = false

    @usableFromInline
    init(isIndexed: Bool = false, isPrimaryKey: Bool = false) {
        self.isIndexed = isIndexed
        self.isPrimaryKey = isPrimaryKey
    }
}
