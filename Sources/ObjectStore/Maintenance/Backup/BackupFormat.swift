import HoldfastBytes
import HoldfastRows

/// The form of a backup: everything under the keys of a store, in key order, from one snapshot. It is the same for every engine.
///
///     bytes   field (numbers little-endian)
///     8       `HFBACKUP`
///     4       version of this form
///     4       version of the content under the keys, see ``StoreFormat``
///     8       epoch of the store
///     8       version of its last transaction
///     8       when the backup was begun, in seconds since 1970
///     16      checksum of the 40 bytes before
///     …       blocks
///     4       0: no more blocks
///     8       how many entries there are
///     16      checksum of these 12 bytes and, before them, the checksums of all blocks in their order
///
/// A block is 4 bytes with the length of its payload, the payload, and a checksum of both of 16 bytes. The payload is entries,
/// whole, in ascending order of their keys: 4 bytes with the length of the key, 4 with that of the value, the key, the value.
/// Checksums are ``SipHash128`` with the key of stored hashes, the low half first: they tell damage, not intent.
enum BackupFormat {
    static let magic: [UInt8] = Array("HFBACKUP".utf8)
    /// The version that this program writes, and the only one that it reads.
    static let version: UInt32 = 1
    static let headerByteCount = 56
    static let checksumByteCount = 16
    /// A block ends with the entry that makes it so long.
    static let blockByteCount = 1 << 20
    /// The longest payload that is read: an entry as long as any engine takes behind an almost whole block.
    static let blockByteCountMax = 512 << 20

    static func appendChecksum(of bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        let hash = SipHash128.hash(bytes)
        buffer.append(little: hash.low)
        buffer.append(little: hash.high)
    }
}
