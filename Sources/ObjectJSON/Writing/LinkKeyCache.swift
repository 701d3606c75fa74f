import HoldfastBytes
import HoldfastRows

/// The keys of link targets as JSON, as they were written last.
///
/// An object's primary key never changes and its object key is never used again. A found key therefore stays valid as long as the
/// schema, and a row that links to the object proves that it exists. A small table without chains: a new entry replaces the entry
/// in its slot. One thread at a time uses a cache.
///
/// Benchmark row: `page`.
package final class LinkKeyCache {
    /// An entry: object key, class position, byte count, text.
    private static let entryByteCount = 64
    private static let textOffset = 13
    private static let textByteCountMax = entryByteCount - textOffset
    private static let entryCount = 4096

    private let entries = UnsafeMutableRawPointer.allocate(
        byteCount: entryCount * entryByteCount, alignment: 64)
    /// Held, so that no other schema gets its address.
    private var schema: RowSchema?
    private var schemaIdentity: ObjectIdentifier?

    package init() { forget() }

    deinit { entries.deallocate() }

    /// Object keys begin at 1, so zeros are no entry.
    private func forget() {
        entries.initializeMemory(
            as: UInt8.self, repeating: 0, count: Self.entryCount * Self.entryByteCount)
    }

    private func entry(_ classIndex: Int, _ key: UInt64) -> UnsafeMutableRawPointer {
        let mixed = (key &+ UInt64(classIndex) &* 0x9E37_79B9) &* 0x9E37_79B9_7F4A_7C15
        return entries + Int(mixed >> 52) * Self.entryByteCount
    }

    /// Appends the key of an object, if it is known.
    ///
    /// - `schema`: Its identity: threads share a schema, and a count of references to it costs more than the rest.
    func append(
        _ schema: ObjectIdentifier, _ classIndex: Int, _ key: UInt64, to buffer: ByteBuffer
    ) -> Bool {
        guard schema == schemaIdentity else { return false }
        let entry = entry(classIndex, key)
        guard entry.load(as: UInt64.self) == key,
            entry.load(fromByteOffset: 8, as: UInt32.self) == UInt32(truncatingIfNeeded: classIndex)
        else { return false }
        let count = Int(entry.load(fromByteOffset: 12, as: UInt8.self))
        buffer.append(UnsafeRawBufferPointer(start: entry + Self.textOffset, count: count))
        return true
    }

    /// Keeps the key of an object, unless its text is too long.
    func keep(
        _ schema: RowSchema, _ classIndex: Int, _ key: UInt64, _ text: UnsafeRawBufferPointer
    ) {
        guard let start = text.baseAddress, text.count <= Self.textByteCountMax else { return }
        if schema.identity != schemaIdentity {
            forget()
            self.schema = schema
            schemaIdentity = schema.identity
        }
        let entry = entry(classIndex, key)
        entry.storeBytes(of: key, as: UInt64.self)
        entry.storeBytes(
            of: UInt32(truncatingIfNeeded: classIndex), toByteOffset: 8, as: UInt32.self)
        entry.storeBytes(of: UInt8(text.count), toByteOffset: 12, as: UInt8.self)
        (entry + Self.textOffset).copyMemory(from: start, byteCount: text.count)
    }
}
