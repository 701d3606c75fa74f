import HoldfastBytes

/// The facts about a store that change with every commit.
///
///     offset  bytes  field (little-endian)
///     0       8      epoch: random, new after a restore and after commits were lost
///     8       8      version of the last transaction
///     16      8      first version with a kept change log entry; cursors before it are expired
///     24      8      bytes of all change log entries
package struct StoreState: Equatable, Sendable {
    /// Distinguishes versions of this store from versions of its copies.
    package var epoch: UInt64
    /// The version of the last transaction; 0 in a new store.
    package var version: UInt64
    /// The first version with a change log entry that is still kept.
    package var logFirst: UInt64
    /// The bytes of all change log entries.
    package var logByteCount: UInt64

    static let byteCount = 32

    init(epoch: UInt64) {
        self.epoch = epoch
        version = 0
        logFirst = 1
        logByteCount = 0
    }

    /// Reads a stored state; nil when it is damaged.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        epoch = bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
        version = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        logFirst = bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        logByteCount = bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        // No store gets as far as these bounds, and counting on from them would overflow.
        guard epoch < StoreVersion.epochEnd, version < 1 << 62, logByteCount < 1 << 62,
            logFirst >= 1, logFirst <= version + 1
        else { return nil }
    }

    /// Changes the epoch, so that cursors and tags of earlier versions are recognised.
    mutating func takeNewEpoch() {
        let former = epoch
        while epoch == former { epoch = UInt64.random(in: 1..<StoreVersion.epochEnd) }
    }

    func append(to buffer: ByteBuffer) {
        buffer.append(little: epoch)
        buffer.append(little: version)
        buffer.append(little: logFirst)
        buffer.append(little: logByteCount)
    }
}

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
