import Glibc
import HoldfastStorage

/// The uncommitted changes of a group of transactions, above the snapshot that they read.
///
/// A change is noted at the end of its kind's list, see ``KindSlots``: the kind is the first byte of its key. Keys are sorted
/// only when the order is needed: by a scan, which merges them with the snapshot, and by the commit, which sorts its batch. Keys
/// that are looked up by value are in a table. Entries of indexes and inverse links, which are most of a batch, are not: they are
/// in their list as often as they were changed, and the last one counts. A transaction that fails is rolled back to its
/// ``mark()``.
///
/// Only the writer's thread uses an overlay.
final class Overlay {
    enum Entry {
        /// The overlay, or this slot, has no entry for the key.
        case none
        case removed
        case value(UnsafeRawBufferPointer)
    }

    /// A change of a key that the slots before a mark have.
    private struct Change {
        var address: SlotAddress
        var before: Entry
    }

    /// The address of a slot.
    private struct SlotAddress: Hashable {
        var kind: Int
        var index: Int
    }

    /// The state of the overlay where a transaction began.
    struct Mark {
        fileprivate var counts: SIMD8<Int>
        fileprivate var undoCount: Int
    }

    /// The number of kinds, as many as ``Mark`` has counts for. The last kind, of rows, also includes the kinds above it.
    private static let kindCount = Int(StoreKey.Tag.row) + 1

    private let arena = Arena()
    private let kinds: UnsafeMutablePointer<KindSlots>
    private(set) var slotCount = 0
    /// The former entries of slots that are older than the newest mark.
    private var undo: ContiguousArray<Change> = []
    /// Values that ``putInPlace(_:_:)`` made.
    private var replaceable: [SlotAddress: Replaceable] = [:]
    /// The number of slots of each kind when the newest mark was made, and the number of marks so far.
    private var markedCounts = SIMD8<Int>()
    private var markCount = 0
    /// The state in which a transaction began that reads that state again; nil for others.
    private var base: Base?

    /// The state at a mark: the slots at that time, with the former entries of the slots that were changed since.
    private struct Base {
        let counts: SIMD8<Int>
        var former: [SlotAddress: Entry] = [:]
    }

    /// A value that may be overwritten where it lies, as long as its former bytes can't be asked for.
    private struct Replaceable {
        /// The address of its bytes.
        var start: UnsafeRawPointer
        /// The bytes that it may have.
        var room: Int
        /// The number of marks when it was made.
        var markCount: Int
    }

    init() {
        kinds = .allocate(capacity: Self.kindCount)
        for kind in 0..<Self.kindCount { (kinds + kind).initialize(to: KindSlots()) }
    }

    deinit {
        kinds.deinitialize(count: Self.kindCount)
        kinds.deallocate()
    }

    /// The bytes that keys and values take.
    var byteCount: Int { arena.byteCount + slotCount * MemoryLayout<Slot>.stride }

    /// Whether nothing was changed.
    var isEmpty: Bool { slotCount == 0 }

    /// Forgets everything.
    func reset() {
        arena.reset()
        for kind in 0..<Self.kindCount { kinds[kind].removeAll() }
        slotCount = 0
        undo.removeAll(keepingCapacity: true)
        if !replaceable.isEmpty { replaceable.removeAll() }
        markedCounts = SIMD8()
        markCount = 0
        base = nil
    }

    // MARK: Reading

    /// Keeps the state at a mark readable beside the changes that follow, see ``entry(_:ofBase:)``. Nothing was changed since the
    /// mark.
    func keepBase(_ mark: Mark) { base = Base(counts: mark.counts) }

    /// Lets go of the state that ``keepBase(_:)`` keeps.
    func dropBase() {
        if base != nil { base = nil }
    }

    /// The entry of a slot when the kept state began.
    private func formerEntry(_ kind: Int, _ index: Int) -> Entry {
        guard let base, index < base.counts[kind] else { return .none }
        return base.former[SlotAddress(kind: kind, index: index)] ?? kinds[kind][index].entry
    }

    @inline(__always)
    private static func kind(_ key: UnsafeRawBufferPointer) -> Int {
        min(Int(key.first ?? 0), kindCount - 1)
    }

    /// Whether keys of a kind are only scanned.
    @inline(__always)
    private static func isOnlyScanned(_ kind: Int) -> Bool {
        kind == StoreKey.Tag.index || kind == StoreKey.Tag.inverseLink
    }

    @inline(__always)
    static func isSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count, let left = a.baseAddress, let right = b.baseAddress else {
            return a.count == b.count
        }
        return memcmp(left, right, a.count) == 0
    }

    /// The overlay's entry of `key`.
    ///
    /// - `ofBase`: Whether the one is wanted that it had in the state that ``keepBase(_:)`` keeps.
    func entry(_ key: UnsafeRawBufferPointer, ofBase: Bool = false) -> Entry {
        let kind = Self.kind(key)
        if Self.isOnlyScanned(kind) {
            let range = KeyRange(lower: Array(key), upper: Array(key) + [0])
            var cursor = Cursor(self, range, ofBase: ofBase)
            if let (found, entry) = cursor.next(), Self.isSame(found, key) { return entry }
        } else if let index = kinds[kind].index(of: key, KeyPrefix(key)) {
            return ofBase ? formerEntry(kind, index) : kinds[kind][index].entry
        }
        return .none
    }

    /// Steps through the entries of a range in order. The overlay must not be changed meanwhile.
    struct Cursor {
        private let overlay: Overlay
        private let range: KeyRange
        private let ofBase: Bool
        private var kind: Int
        private var cursor: SlotOrder.Cursor

        init(_ overlay: Overlay, _ range: KeyRange, ofBase: Bool = false) {
            self.overlay = overlay
            self.range = range
            self.ofBase = ofBase
            (kind, cursor) = range.lower.withUnsafeBytes {
                let kind = Overlay.kind($0)
                return (kind, overlay.kinds[kind].firstCursor(of: $0))
            }
        }

        mutating func next() -> (UnsafeRawBufferPointer, Entry)? {
            while true {
                var found: (key: UnsafeRawBufferPointer, entry: Entry)?
                while let index = overlay.kinds[kind].index(at: &cursor) {
                    let slot = overlay.kinds[kind][index]
                    if let found, !Overlay.isSame(found.key, slot.key) { break }
                    guard found != nil || range.contains(slot.key) else { return nil }
                    cursor.position += 1
                    let entry = ofBase ? overlay.formerEntry(kind, index) : slot.entry
                    if case .none = entry { continue }
                    found = (slot.key, entry)
                }
                if let found { return found }
                // The next kind's keys are above all of this one, and its own first byte is not above any of them.
                guard kind + 1 < Overlay.kindCount,
                    withUnsafeBytes(of: UInt8(kind + 1), { range.contains($0) })
                else { return nil }
                kind += 1
                cursor = range.lower.withUnsafeBytes { overlay.kinds[kind].firstCursor(of: $0) }
            }
        }
    }

    // MARK: Changing

    /// - Returns: The slot that has the entry now.
    @discardableResult
    private func set(_ key: UnsafeRawBufferPointer, _ entry: Entry) -> SlotAddress {
        let kind = Self.kind(key)
        let prefix = KeyPrefix(key)
        if !Self.isOnlyScanned(kind), let index = kinds[kind].index(of: key, prefix) {
            let address = SlotAddress(kind: kind, index: index)
            // All later changes are dropped when the overlay returns to a mark.
            if index < markedCounts[kind] {
                let before = kinds[kind][index].entry
                undo.append(Change(address: address, before: before))
                if let counts = base?.counts, index < counts[kind], base?.former[address] == nil {
                    base?.former[address] = before
                }
            }
            kinds[kind][index].entry = entry
            return address
        }
        kinds[kind].append(Slot(arena.copy(key), prefix, entry))
        slotCount += 1
        return SlotAddress(kind: kind, index: kinds[kind].count - 1)
    }

    /// Sets a value; the bytes are copied, and the copy is returned.
    @discardableResult
    func put(
        _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
    ) -> UnsafeRawBufferPointer {
        let copy = arena.copy(value)
        set(key, .value(copy))
        return copy
    }

    /// Sets a value that one transaction may set again and again, and overwrites its earlier value. No caller may keep such a
    /// value while the key is changed.
    func putInPlace(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let kind = Self.kind(key)
        if let index = kinds[kind].index(of: key, KeyPrefix(key)),
            case .value(let old) = kinds[kind][index].entry,
            let own = replaceable[SlotAddress(kind: kind, index: index)],
            own.markCount == markCount, own.room >= value.count, own.start == old.baseAddress
        {
            if let source = value.baseAddress {
                memcpy(UnsafeMutableRawPointer(mutating: own.start), source, value.count)
            }
            kinds[kind][index].entry = .value(
                UnsafeRawBufferPointer(start: own.start, count: value.count))
            return
        }
        let room = (value.count + 511) & ~511
        let copy = arena.copy(value, room: room)
        let address = set(key, .value(copy))
        if let start = copy.baseAddress {
            replaceable[address] = Replaceable(start: start, room: room, markCount: markCount)
        }
    }

    func remove(_ key: UnsafeRawBufferPointer) { set(key, .removed) }

    /// The present point, to which a failing transaction is rolled back.
    func mark() -> Mark {
        for kind in 0..<Self.kindCount { markedCounts[kind] = kinds[kind].count }
        markCount += 1
        return Mark(counts: markedCounts, undoCount: undo.count)
    }

    /// Takes everything back that was changed since `mark`. Cost: a store for each key.
    func roll(backTo mark: Mark) {
        while undo.count > mark.undoCount, let change = undo.popLast() {
            kinds[change.address.kind][change.address.index].entry = change.before
        }
        for kind in 0..<Self.kindCount {
            for index in mark.counts[kind]..<kinds[kind].count { kinds[kind][index].entry = .none }
        }
    }

    // MARK: Committing

    /// The changes in order, for the engine; valid until the overlay is changed or reset.
    func batch() -> StorageBatch {
        var changes: [StorageBatch.Change] = []
        changes.reserveCapacity(slotCount)
        for kind in 0..<Self.kindCount { kinds[kind].forEachChange { changes.append($0) } }
        return StorageBatch(changes: changes)
    }

    /// The same in parts, one after the other: an array of all changes would take much memory where there are
    /// millions, most of them in order already.
    ///
    /// - `changeCount`: How many changes a part has at most.
    /// - `body`: May use a part, and its pointers, until it returns.
    func forEachPart<Failure: Error>(
        changeCount: Int, _ body: (StorageBatch) throws(Failure) -> Void
    ) throws(Failure) {
        var part = StorageBatch()
        part.changes.reserveCapacity(changeCount)
        for kind in 0..<Self.kindCount {
            try kinds[kind].forEachChange { change throws(Failure) in
                part.changes.append(change)
                guard part.changes.count == changeCount else { return }
                try body(part)
                part.changes.removeAll(keepingCapacity: true)
            }
            if part.isEmpty { continue }
            try body(part)
            part.changes.removeAll(keepingCapacity: true)
        }
    }
}

/// A memory arena: allocations keep their addresses until all of it is freed.
final class Arena {
    private static let blockByteCount = 256 * 1024
    private var blocks: [UnsafeMutableRawPointer] = []
    /// Pieces that have blocks of their own.
    private var largePieces: [UnsafeMutableRawPointer] = []
    private var next: UnsafeMutableRawPointer?
    private var room = 0
    /// The bytes handed out.
    private(set) var byteCount = 0

    deinit { for block in blocks + largePieces { block.deallocate() } }

    /// Copies `bytes` and returns the copy, valid until ``reset()``.
    ///
    /// - `room`: How many bytes the copy may grow to.
    func copy(_ bytes: UnsafeRawBufferPointer, room byteCountMax: Int = 0) -> UnsafeRawBufferPointer
    {
        let pointer = take(max(bytes.count, byteCountMax))
        if let source = bytes.baseAddress { memcpy(pointer, source, bytes.count) }
        return UnsafeRawBufferPointer(start: pointer, count: bytes.count)
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer {
        byteCount += count
        if count <= room, let pointer = next {
            next = pointer + count
            room -= count
            return pointer
        }
        guard count <= Self.blockByteCount / 2 else {
            // It leaves the present block in use.
            largePieces.append(.allocate(byteCount: count, alignment: 8))
            return largePieces[largePieces.count - 1]
        }
        let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockByteCount, alignment: 8)
        blocks.append(block)
        next = block + count
        room = Self.blockByteCount - count
        return block
    }

    /// Frees everything but one block.
    func reset() {
        for block in blocks.dropFirst() + largePieces { block.deallocate() }
        blocks.removeSubrange(min(1, blocks.count)...)
        largePieces.removeAll()
        next = blocks.first
        room = blocks.isEmpty ? 0 : Self.blockByteCount
        byteCount = 0
    }
}
