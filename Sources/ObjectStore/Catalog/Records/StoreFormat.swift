/// The version of the object-level storage format, kept in the store as eight bytes: `HFST` and the
/// version as a little-endian number.
///
/// The version of the content under the keys of ``StoreKey``. A program opens exactly the versions it knows.
///
/// Version 8 adds to version 7 the owner of an idempotency record, the names and properties of a change of shape, the
/// revision of the access document that set its rules, and the versions at which the terms of a token and the bar of a
/// user last changed. The records of version 7 stay the same bytes. A store of version 7 is marked as one of version 8
/// when it is opened, so that a program that does not know the additions refuses it from then on.
package enum StoreFormat {
    /// The version that this program writes.
    package static let current: UInt32 = 8
    /// The versions that it opens.
    package static let readable: ClosedRange<UInt32> = 7...current
    static let magic: [UInt8] = Array("HFST".utf8)

    static func encode(_ version: UInt32) -> [UInt8] {
        magic + (0..<4).map { UInt8(truncatingIfNeeded: version >> ($0 * 8)) }
    }

    /// Reads the version in a marker; nil for other bytes.
    static func decode(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
        guard bytes.count == 8, bytes.prefix(4).elementsEqual(magic) else { return nil }
        return bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    }
}
