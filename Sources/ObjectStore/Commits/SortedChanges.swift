import Storage

/// The changes of one kind of key in order, each key once, in a block of memory in which they were sorted before.
///
/// `@unchecked Sendable`: whoever fills it hands it over whole.
final class SortedChanges: @unchecked Sendable {
    private typealias Change = StorageBatch.Change

    /// The block; until changes are appended anybody may use it.
    let block: UnsafeMutableRawBufferPointer
    private var start: UnsafeMutablePointer<Change>?
    private var count = 0

    /// Makes room for the changes of so many slots.
    init(slotCount: Int) {
        let stride = max(MemoryLayout<Change>.stride, SlotItems.itemByteCount)
        block = .allocate(byteCount: slotCount * stride, alignment: MemoryLayout<Change>.alignment)
        KernelMemory.expectUse(of: block)
    }

    deinit { block.deallocate() }

    /// Hands all changes to `body`.
    func forEach<Failure: Error>(
        _ body: (StorageBatch.Change) throws(Failure) -> Void
    ) throws(Failure) {
        // The block lives as long as this object.
        defer { withExtendedLifetime(self) {} }
        guard let start else { return }
        for place in 0..<count { try body(start[place]) }
    }

    /// Adds what a slot says, if it says something.
    ///
    /// - `mayRepeat`: Whether the slot before it may have the same key; then the later one counts.
    @inline(__always)
    func append(_ slot: Overlay.Slot, mayRepeat: Bool) {
        guard let change = slot.change,
            let start = start
                ?? block.baseAddress?.bindMemory(
                    to: Change.self, capacity: block.count / MemoryLayout<Change>.stride)
        else { return }
        self.start = start
        if mayRepeat, count > 0, Overlay.isSame(start[count - 1].key, change.key) { count -= 1 }
        start[count] = change
        count += 1
    }
}
