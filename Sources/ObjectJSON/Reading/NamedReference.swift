/// The object that `{"$ref": "name"}` stands for in the links of a transaction.
package struct NamedReference {
    /// The number of the object among the named ones.
    package var number: Int
    /// The position of its class; nil when that is unknown, which is a fault of its own.
    package var classIndex: Int?

    /// Describes an operation's object.
    package init(number: Int, classIndex: Int?) {
        self.number = number
        self.classIndex = classIndex
    }
}
