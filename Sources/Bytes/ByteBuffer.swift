import Glibc

/// A growable run of bytes in one block of `malloc`, written at the end.
///
/// Rows, keys and replies are assembled in such buffers: appending compiles to a bounds check and a store, and the block can be
/// handed to a C library without a copy (``takeStorage()``).
///
/// Not thread-safe: one thread at a time uses a buffer. Running out of memory ends the process, as everywhere in Swift.
///
/// The class is public and inlinable because Swift 6.3 neither inlines nor specializes `package` code in other modules. Its
/// properties are not checked for overlapping accesses at run time: no method hands out a property, so accesses cannot overlap,
/// and the checks cost more than the stores.
public final class ByteBuffer {
    @exclusivity(unchecked) @usableFromInline var block: UnsafeMutableRawPointer
    @exclusivity(unchecked) @usableFromInline var written: Int
    @exclusivity(unchecked) @usableFromInline var capacity: Int

    /// The block, with the written bytes at its beginning.
    @inlinable public var base: UnsafeMutableRawPointer { block }
    /// The number of bytes written.
    @inlinable public var count: Int { written }
    /// The number of bytes that fit without moving the block.
    @inlinable public var roomByteCount: Int { capacity }

    /// Creates an empty buffer with room for `capacity` bytes.
    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        block = Self.checked(malloc(self.capacity))
        written = 0
    }

    deinit { free(base) }

    private static func checked(_ block: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
        guard let block else { preconditionFailure("out of memory") }
        return block
    }

    /// The bytes written so far, valid until the next change of the buffer.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: count)
    }

    @usableFromInline func grow(_ byteCount: Int) {
        capacity = max(capacity * 2, count + byteCount)
        block = Self.checked(realloc(base, capacity))
    }

    /// Makes sure that `byteCount` more bytes fit without moving the block.
    @inlinable public func reserve(_ byteCount: Int) {
        if count + byteCount > capacity { grow(byteCount) }
    }

    /// Appends one byte.
    @inlinable public func append(_ byte: UInt8) {
        if written == capacity { grow(1) }
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        written += 1
    }

    /// Appends the bytes of `source`, which must not be part of this buffer.
    @inlinable public func append(_ source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress, source.count > 0 else { return }
        reserve(source.count)
        memcpy(base + count, start, source.count)
        written += source.count
    }

    /// Appends literal text.
    @inlinable public func append(_ text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends the UTF-8 bytes of `text`.
    @inlinable public func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends an array's bytes.
    @inlinable public func append(_ array: [UInt8]) {
        array.withUnsafeBytes { append($0) }
    }

    /// Appends `value` in the machine's byte order, which is little-endian on every platform served.
    @inlinable public func append<T: BitwiseCopyable>(little value: T) {
        reserve(MemoryLayout<T>.size)
        base.storeBytes(of: value, toByteOffset: count, as: T.self)
        written += MemoryLayout<T>.size
    }

    /// Appends an integer with its most significant byte first.
    @inlinable public func append<T: FixedWidthInteger & BitwiseCopyable>(big value: T) {
        append(little: value.bigEndian)
    }

    /// Appends `byteCount` zero bytes.
    @inlinable public func appendZeros(_ byteCount: Int) {
        reserve(byteCount)
        memset(base + count, 0, byteCount)
        written += byteCount
    }

    /// Overwrites bytes that were appended before.
    ///
    /// - Precondition: The value lies within the written bytes.
    @inlinable public func store<T: BitwiseCopyable>(_ value: T, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<T>.size <= count)
        base.storeBytes(of: value, toByteOffset: offset, as: T.self)
    }

    /// Overwrites bytes that were appended before with `byteCount` bytes from elsewhere.
    ///
    /// - Precondition: They lie within the written bytes.
    @inlinable public func store(bytes source: UnsafeRawPointer, byteCount: Int, at offset: Int) {
        precondition(offset >= 0 && offset + byteCount <= count)
        memcpy(base + offset, source, byteCount)
    }

    /// Removes everything after the first `newCount` bytes; keeps the block.
    @inlinable public func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count)
        written = newCount
    }

    /// Removes all bytes; keeps the block.
    @inlinable public func removeAll() { written = 0 }

    /// Releases unused room, before bytes are kept for long. The block may move.
    public func trim() {
        if count == capacity { return }
        capacity = max(count, 16)
        block = Self.checked(realloc(base, capacity))
    }

    /// Hands over the block: the caller has to `free` it. The buffer is empty afterwards.
    public func takeStorage() -> (base: UnsafeMutableRawPointer, count: Int) {
        let taken = (base, count)
        capacity = 16
        block = Self.checked(malloc(capacity))
        written = 0
        return taken
    }

    /// A copy of the written bytes.
    @inlinable public var array: [UInt8] { Array(bytes) }
}
