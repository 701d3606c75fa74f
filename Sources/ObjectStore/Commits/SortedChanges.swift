import Storage

/// The changes of one kind of key in order, each key once, in a block of memory in which they were sorted before.
///
/// `@unchecked Sendable`: whoever fills it hands it over whole.
final class SortedChanges: @unchecked Sendable {
    private typealias Change = StorageBatch.Change

    /// The block; until changes are appended anybody may use it.
    let block: UnsafeMutableRawBufferPointer
    private var count = 0

    /// Makes room for the changes of so many slots.
    init(slotCount: Int) {
        let stride = max(MemoryLayout<Change>.stride, SlotItems.itemByteCount)
        block = .allocate(byteCount: slotCount * stride, alignment: MemoryLayout<Change>.alignment)
        KernelMemory.expectUse(of: block)
    }

    deinit { block.deallocate() }

    /// The changes, for as long as this object is there.
    var changes: UnsafeBufferPointer<StorageBatch.Change> {
        let start = block.baseAddress?.assumingMemoryBound(to: Change.self)
        return UnsafeBufferPointer(start: start, count: count)
    }

    /// Adds what a slot says, if it says something.
    ///
    /// - `mayRepeat`: Whether the slot before it may have the same key; then the later one counts.
    @inline(__always)
    func append(_ slot: Overlay.Slot, mayRepeat: Bool) {
        guard let change = slot.change else { return }
        if mayRepeat, let last = changes.last, Overlay.isSame(last.key, change.key) { count -= 1 }
        block.storeBytes(
            of: change, toByteOffset: count * MemoryLayout<Change>.stride, as: Change.self)
        count += 1
    }
}
