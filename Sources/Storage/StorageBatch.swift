/// The changes of one commit, or of a part of it, prepared for an engine.
///
/// Ranges are removed first, then the changes are applied. The changes are sorted by key, each key at most once, so that an
/// engine writes neighbouring pages one after the other.
///
/// The type is public, and its changes inlinable, for the same reason as `ByteBuffer`.
public struct StorageBatch {
    /// A key's new value, or its removal, in 24 bytes: a batch may have millions of changes.
    public struct Change {
        @usableFromInline static var removal: UInt32 { .max }

        @usableFromInline let keyStart: UnsafeRawPointer?
        @usableFromInline let valueStart: UnsafeRawPointer?
        @usableFromInline let keyByteCount: UInt32
        /// The number of bytes of the value; ``removal`` if there is no value.
        @usableFromInline let valueByteCount: UInt32

        /// The key.
        @inlinable public var key: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(start: keyStart, count: Int(keyByteCount))
        }

        /// The new value; nil removes the key, which need not exist.
        @inlinable public var value: UnsafeRawBufferPointer? {
            valueByteCount == Self.removal
                ? nil : UnsafeRawBufferPointer(start: valueStart, count: Int(valueByteCount))
        }

        /// Creates a change; the pointers belong to the caller.
        ///
        /// - Precondition: The value and the key each have less than 4 GiB.
        @inlinable public init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer?) {
            keyStart = key.baseAddress
            keyByteCount = UInt32(key.count)
            valueStart = value?.baseAddress
            if let value {
                precondition(value.count < Self.removal)
                valueByteCount = UInt32(value.count)
            } else {
                valueByteCount = Self.removal
            }
        }
    }

    /// Ranges from which all entries are removed, before ``changes`` are applied.
    package var removedRanges: [KeyRange]
    /// The changes, sorted and unique by key.
    public var changes: [Change]

    package init(removedRanges: [KeyRange] = [], changes: [Change] = []) {
        self.removedRanges = removedRanges
        self.changes = changes
    }

    /// Whether a commit of the batch would change nothing.
    package var isEmpty: Bool { removedRanges.isEmpty && changes.isEmpty }
}
