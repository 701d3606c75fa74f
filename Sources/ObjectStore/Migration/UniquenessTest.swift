/// What becomes unique in a class that may hold objects.
struct UniquenessTest {
    /// The class's position in the proposed schema.
    var classIndex: Int
    /// The number of the property or the group.
    var number: UInt32
}
