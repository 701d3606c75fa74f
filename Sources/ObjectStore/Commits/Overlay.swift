import Glibc
import Storage

/// The uncommitted changes of a group of transactions, above the snapshot that they read.
///
/// A change is noted at the end of a list. Keys are put in order only when somebody asks for it: a scan,
/// which merges them with the snapshot, and the commit, whose batch is sorted. What is looked up by its
/// key is found in a hash table; entries of indexes and inverse links, which are most of a batch, are
/// not, and stand in the list as often as they were changed, the last one counts. A transaction that
/// fails is taken back to its ``mark()``. The writer's thread alone uses an overlay.
final class Overlay {
    enum Entry {
        /// The overlay says nothing of the key, or this slot does not.
        case none
        case removed
        case value(UnsafeRawBufferPointer)
    }

    /// A change of a key that the slots before a mark have.
    private struct Change {
        var slot: Int
        var before: Entry
    }

    /// Where a transaction began.
    struct Mark {
        fileprivate var slotCount: Int
        fileprivate var undoCount: Int
        fileprivate var rangeCount: Int
    }

    private let arena = Arena()
    private(set) var slots = SlotList()
    private var table = PositionTable()
    /// The positions of slots in the order of their keys, as far as they were asked for.
    private var order = SlotOrder()
    /// What slots had that are older than the newest mark.
    private var undo: ContiguousArray<Change> = []
    private var removedRanges: [KeyRange] = []
    /// Values that ``putInPlace(_:_:)`` made, by slot.
    private var replaceable: [Int: Replaceable] = [:]
    /// How many slots there were when the newest mark was made, and how many marks have been.
    private var markedSlotCount = 0
    private var markCount = 0

    /// A value that may be overwritten where it lies, as long as nobody can ask for what it was.
    private struct Replaceable {
        /// Where it lies.
        var start: UnsafeRawPointer
        /// The bytes that it may have.
        var room: Int
        /// The marks that there were when it was made.
        var markCount: Int
    }

    /// The bytes that keys and values take.
    var byteCount: Int { arena.byteCount + slots.count * MemoryLayout<Slot>.stride }

    /// Whether nothing was changed.
    var isEmpty: Bool { slots.count == 0 && removedRanges.isEmpty }

    /// Forgets everything.
    func reset() {
        arena.reset()
        slots.removeAll()
        table.removeAll()
        order.removeAll()
        undo.removeAll(keepingCapacity: true)
        removedRanges.removeAll()
        if !replaceable.isEmpty { replaceable.removeAll() }
        markedSlotCount = 0
        markCount = 0
    }

    // MARK: Reading

    /// Whether a key is of a kind that is only scanned.
    @inline(__always)
    private static func isOnlyScanned(_ key: UnsafeRawBufferPointer) -> Bool {
        guard let kind = key.first else { return false }
        return kind == StoreKey.Tag.index || kind == StoreKey.Tag.inverseLink
    }

    /// Keys of rows and short primary keys, which end in a number, share a line of the processor's cache
    /// with their neighbours.
    @inline(__always)
    private func hash(_ key: UnsafeRawBufferPointer) -> UInt32 {
        guard key.count <= 14, let last = key.last else { return table.hash(key) }
        let front = UnsafeRawBufferPointer(rebasing: key[..<(key.count - 1)])
        let hash = table.hash(front) &+ UInt32(last >> 3) &* 0x9E37_79B1
        return hash & ~7 | UInt32(last & 7)
    }

    private func slot(_ key: UnsafeRawBufferPointer, _ hash: UInt32) -> Int? {
        table.position(hash) { isSame(slots[$0].key, key) }
    }

    @inline(__always)
    private func isSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count, let left = a.baseAddress, let right = b.baseAddress else {
            return a.count == b.count
        }
        return memcmp(left, right, a.count) == 0
    }

    /// What the overlay says of `key`.
    func entry(_ key: UnsafeRawBufferPointer) -> Entry {
        if Self.isOnlyScanned(key) {
            var cursor = Cursor(self, KeyRange(lower: Array(key), upper: nil))
            if let (found, entry) = cursor.next(), isSame(found, key) { return entry }
        } else if let slot = slot(key, hash(key)) {
            let entry = slots[slot].entry
            guard case .none = entry else { return entry }
        }
        for range in removedRanges where range.contains(key) { return .removed }
        return .none
    }

    /// Whether `key` lies in a removed range.
    func isInRemovedRange(_ key: UnsafeRawBufferPointer) -> Bool {
        removedRanges.contains { $0.contains(key) }
    }

    /// Steps through the entries of a range in order. The overlay must not be changed meanwhile.
    struct Cursor {
        private let overlay: Overlay
        private let range: KeyRange
        private var place: SlotOrder.Place

        init(_ overlay: Overlay, _ range: KeyRange) {
            self.overlay = overlay
            self.range = range
            overlay.order.append(slotsOf: overlay)
            place = range.lower.withUnsafeBytes { overlay.order.firstPlace(of: $0, overlay) }
        }

        mutating func next() -> (UnsafeRawBufferPointer, Entry)? {
            var found: (key: UnsafeRawBufferPointer, entry: Entry)?
            while let position = overlay.order.position(&place) {
                let slot = overlay.slots[position]
                if let found, !overlay.isSame(found.key, slot.key) { break }
                guard found != nil || range.contains(slot.key) else { return nil }
                place.position += 1
                if case .none = slot.entry { continue }
                found = (slot.key, slot.entry)
            }
            return found
        }
    }

    // MARK: Changing

    /// - Returns: The slot that has the entry now.
    @discardableResult
    private func set(_ key: UnsafeRawBufferPointer, _ entry: Entry) -> Int {
        if !Self.isOnlyScanned(key) {
            let hash = hash(key)
            if let slot = slot(key, hash) {
                // What is newer than every mark goes as a whole when one is gone back to.
                if slot < markedSlotCount {
                    undo.append(Change(slot: slot, before: slots[slot].entry))
                }
                slots[slot].entry = entry
                return slot
            }
            table.insert(slots.count, hash)
        }
        slots.append(Slot(arena.copy(key), entry))
        return slots.count - 1
    }

    /// Sets a value; the bytes are copied, and the copy is returned.
    @discardableResult
    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer)
        -> UnsafeRawBufferPointer
    {
        let copy = arena.copy(value)
        set(key, .value(copy))
        return copy
    }

    /// Sets a value that one transaction may set again and again, overwriting what it set before: nobody may
    /// hold on to such a value while the key is changed.
    func putInPlace(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if let slot = slot(key, hash(key)), case .value(let old) = slots[slot].entry,
            let place = replaceable[slot], place.markCount == markCount,
            place.room >= value.count, place.start == old.baseAddress
        {
            if let source = value.baseAddress {
                memcpy(UnsafeMutableRawPointer(mutating: place.start), source, value.count)
            }
            slots[slot].entry = .value(
                UnsafeRawBufferPointer(start: place.start, count: value.count))
            return
        }
        let room = (value.count + 511) & ~511
        let copy = arena.copy(value, room: room)
        let slot = set(key, .value(copy))
        if let start = copy.baseAddress {
            replaceable[slot] = Replaceable(start: start, room: room, markCount: markCount)
        }
    }

    /// Removes a key.
    func remove(_ key: UnsafeRawBufferPointer) { set(key, .removed) }

    /// Removes every key of a range.
    func remove(_ range: KeyRange) {
        var keys: [UnsafeRawBufferPointer] = []
        var cursor = Cursor(self, range)
        while let (key, _) = cursor.next() { keys.append(key) }
        for key in keys { set(key, .removed) }
        removedRanges.append(range)
    }

    /// The present point, to which a failing transaction is taken back.
    func mark() -> Mark {
        markedSlotCount = slots.count
        markCount += 1
        return Mark(
            slotCount: slots.count, undoCount: undo.count, rangeCount: removedRanges.count)
    }

    /// Takes everything back that was changed since `mark`. Cost: a store for each key.
    func roll(backTo mark: Mark) {
        while undo.count > mark.undoCount, let change = undo.popLast() {
            slots[change.slot].entry = change.before
        }
        for slot in mark.slotCount..<slots.count { slots[slot].entry = .none }
        removedRanges.removeSubrange(mark.rangeCount...)
    }

    // MARK: Committing

    /// The changes in order, for the engine; valid until the overlay is changed or reset.
    func batch() -> StorageBatch {
        var changes: [StorageBatch.Change] = []
        changes.reserveCapacity(slots.count)
        forEachChange { changes.append($0) }
        return StorageBatch(removedRanges: removedRanges, changes: changes)
    }

    /// The same in parts, one after the other: an array of all changes would take much memory where there are
    /// millions, and an engine can begin before the last ones are sorted.
    ///
    /// - `changeCount`: How many changes each part has but for the last.
    /// - `body`: May use a part, and its pointers, until it returns.
    func forEachPart<Failure: Error>(
        changeCount: Int, _ body: (StorageBatch) throws(Failure) -> Void
    ) throws(Failure) {
        var part = StorageBatch(removedRanges: removedRanges)
        part.changes.reserveCapacity(changeCount)
        try forEachChange { change throws(Failure) in
            part.changes.append(change)
            guard part.changes.count == changeCount else { return }
            try body(part)
            part.removedRanges.removeAll()
            part.changes.removeAll(keepingCapacity: true)
        }
        if !part.isEmpty { try body(part) }
    }

    private func forEachChange<Failure: Error>(
        _ body: (StorageBatch.Change) throws(Failure) -> Void
    ) throws(Failure) {
        // Of a key that comes again the last change counts.
        var held: StorageBatch.Change?
        try order.forEachSlot(of: self) { slot, mayRepeat throws(Failure) in
            let change: StorageBatch.Change
            switch slot.entry {
            case .none: return
            case .removed: change = StorageBatch.Change(key: slot.key, value: nil)
            case .value(let value): change = StorageBatch.Change(key: slot.key, value: value)
            }
            if let held, !(mayRepeat && isSame(held.key, slot.key)) { try body(held) }
            held = change
        }
        if let held { try body(held) }
    }
}
