/// The key under which the object key of a primary key is stored: tag, class, and the ``OrderedKey``.
///
/// It lies in memory of the group, valid until the next one is made there.
struct StoredPrimaryKey {
    let bytes: UnsafeRawBufferPointer

    /// Tag and class stand before the primary key.
    private static let prefixByteCount = 5

    /// The primary key, an ``OrderedKey``.
    var value: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[Self.prefixByteCount...])
    }

    /// The number that is the primary key; nil for null and for keys of other types.
    var number: Int64? {
        // In its order-preserving form: 01 and eight bytes.
        guard bytes.count == Self.prefixByteCount + 9, bytes[Self.prefixByteCount] == 1 else {
            return nil
        }
        let ordered = UInt64(
            bigEndian: bytes.loadUnaligned(
                fromByteOffset: Self.prefixByteCount + 1, as: UInt64.self))
        return Int64(bitPattern: ordered ^ 1 << 63)
    }
}
