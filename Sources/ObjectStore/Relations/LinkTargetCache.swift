import Glibc

/// A cache of object keys by primary key in one snapshot, for many links that lead to few objects.
///
/// A small table without chains: a new entry takes the place of the one that was there. An entry holds
/// for the snapshot of the commit that it was found in. The writer's thread alone uses a cache.
final class LinkTargetCache {
    /// An entry: commit, object key, byte count, bytes.
    private static let entryByteCount = 64
    private static let countOffset = 16
    private static let bytesOffset = 17
    private static let entryCountLog2 = 12

    private let entries: UnsafeMutableRawPointer

    /// Makes an empty cache.
    init() {
        let byteCount = Self.entryByteCount << Self.entryCountLog2
        entries = .allocate(byteCount: byteCount, alignment: Self.entryByteCount)
        // No key is that short, so that an entry of zeros matches none.
        entries.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit { entries.deallocate() }

    private func entry(_ key: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer? {
        guard !key.isEmpty, key.count <= Self.entryByteCount - Self.bytesOffset else { return nil }
        let hash = PrimaryKeyCache.hash(0, key)
        return entries + Int(hash >> UInt64(64 - Self.entryCountLog2)) * Self.entryByteCount
    }

    /// Returns the object key that is stored under `key`; nil when that is not known.
    func objectKey(_ key: UnsafeRawBufferPointer, commit: UInt64) -> UInt64? {
        guard let entry = entry(key), let start = key.baseAddress,
            entry.load(as: UInt64.self) == commit,
            Int(entry.load(fromByteOffset: Self.countOffset, as: UInt8.self)) == key.count,
            memcmp(entry + Self.bytesOffset, start, key.count) == 0
        else { return nil }
        return entry.load(fromByteOffset: 8, as: UInt64.self)
    }

    /// Keeps what is stored under a key.
    func keep(_ objectKey: UInt64, _ key: UnsafeRawBufferPointer, commit: UInt64) {
        guard let entry = entry(key), let start = key.baseAddress else { return }
        entry.storeBytes(of: commit, as: UInt64.self)
        entry.storeBytes(of: objectKey, toByteOffset: 8, as: UInt64.self)
        entry.storeBytes(of: UInt8(key.count), toByteOffset: Self.countOffset, as: UInt8.self)
        (entry + Self.bytesOffset).copyMemory(from: start, byteCount: key.count)
    }
}
