/// The limits of the part of a migration that goes into one commit.
struct SliceLimit {
    /// The most objects.
    var objectCount: Int
    /// The bytes of changes after which no more are added.
    var byteCount: Int
}
