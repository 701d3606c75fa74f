/// The identity of an object: its class's position in the schema, and its key.
package struct ObjectIdentity: Hashable, Sendable {
    /// The class's position.
    package var classIndex: Int
    package var key: UInt64

    package init(classIndex: Int, key: UInt64) {
        self.classIndex = classIndex
        self.key = key
    }
}
