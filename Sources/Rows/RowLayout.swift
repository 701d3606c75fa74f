/// The positions of a class's properties in rows of one version of the class.
///
///     offset  bytes  field
///     0       4      layout number, little-endian like all numbers of a row
///     4       4      byte count of the whole row
///     8       8      version of the object's last change; 0 in embedded rows. The highest bit is set
///                    when a value of the row, or of one within it, is out of line. The next one is set in copies that
///                    are shown to somebody who may not see all of it, never in storage: such a copy ends with a
///                    bitmap of the class's properties that are hidden, by position
///     16      n      null bitmap: bit i is set when the property of slot i is null
///     16 + n  …      slots in declaration order, unaligned
///     …       …      heap
///
/// A slot of a value in the heap holds its offset in the row and its byte count, four bytes each. The
/// highest bit of the byte count is set when the value is out of line; in the heap lies where it is
/// then, see ``OverflowReference``.
/// When a class changes, it gets a new layout; rows written before keep theirs.
public struct RowLayout: Hashable, Sendable {
    /// One property's position.
    package struct Slot: Hashable, Sendable {
        /// The property's number, unique in the store and never reused.
        package var propertyNumber: UInt32
        /// The storage of its values.
        package var storage: FieldStorage
        /// Where, from the beginning of the row.
        package var offset: Int

        /// Makes a slot.
        package init(propertyNumber: UInt32, storage: FieldStorage, offset: Int) {
            self.propertyNumber = propertyNumber
            self.storage = storage
            self.offset = offset
        }
    }

    /// The layout's number, unique in its class; layouts of a class grow.
    package var number: UInt32
    /// The slots; the position of one is its bit in the null bitmap.
    package var slots: [Slot]
    /// The bytes of header, bitmap and slots: where the heap begins.
    package var fixedByteCount: Int
    /// A row in this layout with the declared defaults as they were when the layout was made. A row of
    /// an older layout, which lacks a property, reads it here.
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

    /// Finds the position of the slot of a property, by its number; nil where the layout lacks it. It is likely to stand at `next`.
    /// Cost: linear in the slots where it does not.
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
