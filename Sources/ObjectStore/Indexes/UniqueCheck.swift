/// A value of an object that has to be unique when the transaction ends.
struct UniqueCheck {
    /// Which of the transaction's operations or import lines wrote it.
    var source: Int
    /// Where the object stands in what the client wrote.
    var path: [DanglingLink.PathStep]
    var object: ObjectIdentity
    /// The position among the unique keys of the class.
    var uniqueKey: Int
}
