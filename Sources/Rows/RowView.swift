/// A row read in place.
///
/// The bytes belong to another owner, such as the mapped file; a view is valid as long as they are.
public struct RowView {
    /// The row's first byte.
    public let base: UnsafeRawPointer

    /// A view of stored bytes; nil if they are damaged, which means too short or different from the row's own length.
    @inlinable public init?(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, bytes.count >= RowLayout.headerByteCount,
            start.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
                == UInt32(truncatingIfNeeded: bytes.count)
        else { return nil }
        base = start
    }

    /// A view of bytes that were checked before and are still valid.
    @inlinable public init(unchecked base: UnsafeRawPointer) { self.base = base }

    /// The number of the layout that the row was written in.
    @inlinable public var layoutNumber: UInt32 { base.loadUnaligned(as: UInt32.self) }

    /// The number of bytes of the row.
    @inlinable public var byteCount: Int {
        Int(base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    }

    /// The version that last changed the object.
    @inlinable public var version: UInt64 {
        base.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            & ~(RowLayout.holdsOverflowFlag | RowLayout.hidesFlag)
    }

    /// Whether a value of the row, or of one within it, is out of line.
    @inlinable public var holdsOverflow: Bool {
        base.loadUnaligned(fromByteOffset: 8, as: UInt64.self) & RowLayout.holdsOverflowFlag != 0
    }

    /// Whether it is a copy in which properties are hidden.
    @inlinable public var hidesProperties: Bool {
        base.loadUnaligned(fromByteOffset: 8, as: UInt64.self) & RowLayout.hidesFlag != 0
    }

    /// The row's bytes.
    @inlinable public var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: base, count: byteCount)
    }
}
