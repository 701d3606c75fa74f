import HoldfastBytes

/// The position of a property of the current class in rows of one layout.
public struct FieldLocation {
    /// The slot's offset from `fill`, or from the row when `fill` is nil; −1 for inverse links.
    public var slot: Int32
    /// The byte of the null bitmap.
    public var nullByte: Int32
    /// The bit in it.
    public var nullMask: UInt8
    /// The fill row to read if the row's layout lacks the property.
    public var fill: UnsafeRawPointer?
}

/// One property's value in one row, not yet interpreted.
///
/// Reads are unchecked except for the heap's bounds: read a field only as its ``FieldStorage`` says.
public struct Field {
    @usableFromInline let base: UnsafeRawPointer
    @usableFromInline let location: FieldLocation

    @inlinable init(base: UnsafeRawPointer, location: FieldLocation) {
        self.base = base
        self.location = location
    }

    /// Whether the value is null.
    @inlinable public var isNull: Bool {
        base.load(fromByteOffset: Int(location.nullByte), as: UInt8.self) & location.nullMask != 0
    }

    /// Returns the slot's bytes as a `T`.
    @inlinable public func load<T: BitwiseCopyable>(_ type: T.Type) -> T {
        base.loadUnaligned(fromByteOffset: Int(location.slot), as: type)
    }

    /// The slot's address.
    @inlinable public var slot: UnsafeRawPointer { base + Int(location.slot) }

    /// The heap bytes that the slot points to; empty if it points outside the row, which happens only in a damaged row.
    @inlinable public var heap: UnsafeRawBufferPointer {
        let offset = Int(load(UInt32.self))
        let count = Int(base.loadUnaligned(fromByteOffset: Int(location.slot) + 4, as: UInt32.self))
        let total = Int(base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        guard offset >= RowLayout.headerByteCount, offset + count <= total else {
            return UnsafeRawBufferPointer(start: base, count: 0)
        }
        return UnsafeRawBufferPointer(start: base + offset, count: count)
    }

    /// Whether the value is out of line, in which case its ``heap`` is empty. Use it only for values in the heap.
    @inlinable public var isOutOfLine: Bool {
        base.loadUnaligned(fromByteOffset: Int(location.slot) + 4, as: UInt32.self)
            & RowLayout.overflowFlag != 0
    }

    /// Whether a value of the field's row, or of a row within it, is out of line.
    var isOfRowWithReferences: Bool {
        base.loadUnaligned(fromByteOffset: 8, as: UInt64.self) & RowLayout.holdsOverflowFlag != 0
    }

    /// The reference to an out-of-line value; nil for any other value, and in a damaged row.
    public var overflow: OverflowReference? {
        isOutOfLine ? OverflowReference(heapOrReference) : nil
    }

    /// The byte count of the value in the row's heap, or of its reference if it is out of line.
    private var heapByteCount: Int {
        Int(
            base.loadUnaligned(fromByteOffset: Int(location.slot) + 4, as: UInt32.self)
                & ~RowLayout.overflowFlag)
    }

    /// The bytes in the row's heap: the value's, or its reference's if ``isOutOfLine``.
    package var heapOrReference: UnsafeRawBufferPointer {
        if !isOutOfLine { return heap }
        let offset = isInBounds ? Int(load(UInt32.self)) : 0
        return UnsafeRawBufferPointer(start: base + offset, count: isInBounds ? heapByteCount : 0)
    }

    /// Returns the bytes of a heap value, in the row or out of line; not for collections.
    @inlinable public func text(_ source: any OverflowSource) -> UnsafeRawBufferPointer {
        isOutOfLine ? overflowText(source) : heap
    }

    /// Returns the bytes of the slot, or of a heap value, in the row or out of line; not for collections.
    package func bytes(
        _ storage: FieldStorage, _ source: any OverflowSource
    ) -> UnsafeRawBufferPointer {
        storage.isInHeap ? text(source) : heapOrSlot(storage)
    }

    /// Returns the bytes of the slot, or of a value in the heap of the row.
    func heapOrSlot(_ storage: FieldStorage) -> UnsafeRawBufferPointer {
        storage.isInHeap ? heap : UnsafeRawBufferPointer(start: slot, count: storage.slotByteCount)
    }

    @usableFromInline func overflowText(_ source: any OverflowSource) -> UnsafeRawBufferPointer {
        overflow?.text(source) ?? UnsafeRawBufferPointer(start: base, count: 0)
    }

    /// The number of bytes of a heap value, in the row or out of line; not for collections.
    @inlinable public var textByteCount: Int { isOutOfLine ? overflow?.byteCount ?? 0 : heap.count }

    /// Whether the heap bytes that the slot points to lie within the row; false in a damaged row.
    package var isInBounds: Bool {
        let offset = Int(load(UInt32.self))
        let count = heapByteCount
        let total = Int(base.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
        return offset >= RowLayout.headerByteCount && offset + count <= total
    }

    /// Appends 0 for null, or 1 and the stored bytes.
    package func appendTagged(_ storage: FieldStorage, to buffer: ByteBuffer) {
        if isNull { return buffer.append(0 as UInt8) }
        buffer.append(1 as UInt8)
        buffer.append(heapOrSlot(storage))
    }
}
