/// What `{"$ref": "name"}` stands for in the links of a transaction.
struct NamedReference {
    /// The number of the object among the named ones.
    var number: Int
    /// The position of its class; nil when that is unknown, which is a fault of its own.
    var classIndex: Int?
}
