import HoldfastRows

/// Reads the keys of inverse links.
enum InverseLink {
    /// The bytes of an inverse link's key.
    static let keyByteCount = 29

    /// Returns the number of the property that holds the link.
    static func propertyNumber(_ key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 13, as: UInt32.self))
    }

    /// Returns the number of the class of the object that holds the link.
    static func originClassNumber(_ key: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(bigEndian: key.loadUnaligned(fromByteOffset: 17, as: UInt32.self))
    }

    /// Returns the object that holds the link; nil for a damaged key or a class that is gone.
    static func origin(_ key: UnsafeRawBufferPointer, _ schema: RowSchema) -> ObjectIdentity? {
        guard key.count == keyByteCount else { return nil }
        guard let index = schema.classIndexByNumber[originClassNumber(key)] else { return nil }
        return ObjectIdentity(classIndex: index, key: StoreKey.trailingObjectKey(key))
    }

    /// Returns the number of links of the property that lead from the origin to the target.
    static func count(_ value: UnsafeRawBufferPointer) -> Int {
        value.count == 4 ? Int(value.loadUnaligned(as: UInt32.self)) : 0
    }
}

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
