/// The changes of one commit, or of a part of it, made ready for an engine.
///
/// Ranges are removed first, then the changes are applied. The changes are sorted by key, each key at
/// most once, so that an engine writes neighbouring pages one after the other.
///
/// It is public, and its changes inlinable, for the reason that `ByteBuffer` gives.
public struct StorageBatch {
    /// One key's new value, or its removal, in 24 bytes: a batch may have millions.
    public struct Change {
        @usableFromInline static var removal: UInt32 { .max }

        @usableFromInline let keyStart: UnsafeRawPointer?
        @usableFromInline let valueStart: UnsafeRawPointer?
        @usableFromInline let keyByteCount: UInt32
        /// The bytes of the value, or that there is none.
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

        /// Makes a change; the pointers belong to the caller.
        ///
        /// - Precondition: The value has less than 4 GiB, the key as well.
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

    /// Ranges whose entries all go, applied before ``changes``.
    package var removedRanges: [KeyRange]
    /// Sorted, unique by key.
    public var changes: [Change]

    /// Makes a batch.
    package init(removedRanges: [KeyRange] = [], changes: [Change] = []) {
        self.removedRanges = removedRanges
        self.changes = changes
    }

    /// Whether committing it would change nothing.
    package var isEmpty: Bool { removedRanges.isEmpty && changes.isEmpty }
}
