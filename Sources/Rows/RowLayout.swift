/// The positions of a class's properties in rows of one version of the class.
///
///     offset  bytes  field
///     0       4      layout number, little-endian like all numbers of a row
///     4       4      byte count of the whole row
///     8       8      version of the object's last change; 0 in embedded rows. The highest bit is set if a
///                    value of the row, or of a row within it, is out of line. The next bit is set in copies
///                    for principals with limited access, never in storage; such a copy ends with a bitmap
///                    of the class's hidden properties, by position
///     16      n      null bitmap: bit i is set when the property of slot i is null
///     16 + n  …      slots in declaration order, unaligned
///     …       …      heap
///
/// The slot of a heap value contains its offset in the row and its byte count, four bytes each. If the value is out of line, the
/// highest bit of the byte count is set, and the heap contains its ``OverflowReference``.
/// A changed class gets a new layout; rows written earlier keep theirs.
public struct RowLayout: Hashable, Sendable {
    /// One property's position.
    package struct Slot: Hashable, Sendable {
        /// The property's number, unique in the store and never reused.
        package var propertyNumber: UInt32
        package var storage: FieldStorage
        /// The offset from the beginning of the row.
        package var offset: Int

        /// Makes a slot.
        package init(propertyNumber: UInt32, storage: FieldStorage, offset: Int) {
            self.propertyNumber = propertyNumber
            self.storage = storage
            self.offset = offset
        }
    }

    /// The layout's number, unique in its class; later layouts have higher numbers.
    package var number: UInt32
    /// The slots. The position of a slot is its bit in the null bitmap.
    package var slots: [Slot]
    /// The number of bytes of header, bitmap and slots, which is the offset of the heap.
    package var fixedByteCount: Int
    /// A row in this layout with the declared defaults of the time when the layout was made. Rows of older layouts that lack a
    /// property read it here.
    package var fillRow: [UInt8]

    /// The bytes before the null bitmap.
    @inlinable public static var headerByteCount: Int { 16 }

    /// The bit of a byte count that marks an out-of-line value.
    @inlinable public static var overflowFlag: UInt32 { 1 << 31 }
    /// The bit of a version that marks a row with out-of-line values.
    @inlinable public static var holdsOverflowFlag: UInt64 { 1 << 63 }
    /// The bit of a version that marks a copy with hidden properties.
    @inlinable public static var hidesFlag: UInt64 { 1 << 62 }
    /// Lays out properties in order; the fill row is empty.
    package init(number: UInt32, properties: [(number: UInt32, storage: FieldStorage)]) {
        self.number = number
        let stored = properties.filter { $0.storage.shape != .none }
        var offset = Self.headerByteCount + (stored.count + 7) / 8
        var slots: [Slot] = []
        slots.reserveCapacity(stored.count)
        for property in stored {
            slots.append(
                Slot(propertyNumber: property.number, storage: property.storage, offset: offset))
            offset += property.storage.slotByteCount
        }
        self.slots = slots
        fixedByteCount = offset
        fillRow = []
    }

    /// Finds the position of a property's slot by the property's number; nil if the layout lacks it. The position `next` is tried
    /// first. Cost otherwise: linear in the slots.
    package func slot(of propertyNumber: UInt32, next: Int) -> Int? {
        if next < slots.count, slots[next].propertyNumber == propertyNumber { return next }
        return slots.firstIndex { $0.propertyNumber == propertyNumber }
    }

    /// A layout read back from storage.
    package init(number: UInt32, slots: [Slot], fixedByteCount: Int, fillRow: [UInt8]) {
        self.number = number
        self.slots = slots
        self.fixedByteCount = fixedByteCount
        self.fillRow = fillRow
    }
}
