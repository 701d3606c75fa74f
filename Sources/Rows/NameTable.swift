import HoldfastBytes
import Glibc

/// Finds the position of a name by its bytes, without making a string.
///
/// Names that come in the order of the table cost one comparison each. Others cost a hash and usually one comparison. Immutable;
/// safe to use from any thread.
///
/// Public and inlinable for JSON readers, which look up a name for every value.
public final class NameTable: @unchecked Sendable {
    // Unchecked because of the pointers: they are filled in `init`, never written afterwards and freed in `deinit`.
    @usableFromInline let text: UnsafeMutablePointer<UInt8>
    /// The offset of each name, followed by the end of the last one.
    @usableFromInline let starts: UnsafeMutablePointer<Int>
    /// Positions by hash, −1 if empty; open addressing.
    @usableFromInline let slots: UnsafeMutablePointer<Int32>
    @usableFromInline let mask: Int
    /// The number of names.
    public let count: Int

    /// Makes the table of names. They must be distinct and not empty.
    ///
    /// - `isFound`: Whether the name at a position can be found. Other names only occupy their positions.
    public init(_ names: [String], where isFound: (Int) -> Bool = { _ in true }) {
        count = names.count
        text = .allocate(capacity: max(1, names.reduce(0) { $0 + $1.utf8.count }))
        starts = .allocate(capacity: names.count + 1)
        var end = 0
        for (position, name) in names.enumerated() {
            starts[position] = end
            guard isFound(position) else { continue }
            for byte in name.utf8 {
                text[end] = byte
                end += 1
            }
        }
        starts[names.count] = end
        var slotCount = 8
        while slotCount < names.count * 2 { slotCount *= 2 }
        mask = slotCount - 1
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: -1, count: slotCount)
        for position in names.indices where isFound(position) {
            var slot = Self.hash(name(position)) & mask
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(position)
        }
    }

    deinit {
        text.deallocate()
        starts.deallocate()
        slots.deallocate()
    }

    /// Returns the bytes of a name.
    @inlinable public func name(_ position: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: text + starts[position], count: starts[position + 1] - starts[position])
    }

    /// Finds the position of a name; nil if it is not in the table. The position `next` is tried first.
    @inlinable public func position(of name: UnsafeRawBufferPointer, next: Int = 0) -> Int? {
        if next < count, isEqual(next, name) { return next }
        var slot = Self.hash(name) & mask
        while slots[slot] >= 0 {
            let position = Int(slots[slot])
            if isEqual(position, name) { return position }
            slot = (slot + 1) & mask
        }
        return nil
    }

    /// Finds the position of a name; nil if it is not in the table.
    public func position(of name: String) -> Int? {
        var name = name
        return name.withUTF8 { position(of: UnsafeRawBufferPointer($0)) }
    }

    @inlinable func isEqual(_ position: Int, _ name: UnsafeRawBufferPointer) -> Bool {
        let start = starts[position]
        guard starts[position + 1] - start == name.count else { return false }
        // The entry of a name that cannot be found is empty.
        guard let other = name.baseAddress, name.count > 0 else { return false }
        return memcmp(text + start, other, name.count) == 0
    }

    /// Hashes a name. The table contains only names of the schema, whose authors gain nothing from collisions. Clients' names are
    /// looked up but never added.
    @inlinable static func hash(_ name: UnsafeRawBufferPointer) -> Int {
        let hash = name.tableHash()
        return Int(truncatingIfNeeded: hash ^ hash >> 32)
    }
}
