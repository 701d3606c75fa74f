import CHoldfastMemory

/// The slots of one kind of key: a list that grows at its end and never moves its slots.
///
/// A transaction may have millions: an array that doubled would copy them again and again, into memory that
/// the kernel has to clear first.
struct SlotList: ~Copyable {
    typealias Slot = Overlay.Slot

    /// A chunk has so many slots that most transactions take and return memory that `malloc` has at hand.
    private static let chunkBits = 12

    private var chunks: ContiguousArray<UnsafeMutablePointer<Slot>> = []
    private(set) var count = 0

    init() {}

    deinit { for chunk in chunks { chunk.deallocate() } }

    @inline(__always)
    private func pointer(_ index: Int) -> UnsafeMutablePointer<Slot> {
        chunks[index >> Self.chunkBits] + (index & (1 << Self.chunkBits - 1))
    }

    subscript(index: Int) -> Slot {
        @inline(__always) _read { yield pointer(index).pointee }
        @inline(__always) nonmutating _modify { yield &pointer(index).pointee }
    }

    /// Has a slot's memory come nearer.
    @inline(__always)
    func prefetch(_ index: Int) { shim_prefetch(pointer(index)) }

    /// Adds a slot at the end.
    mutating func append(_ slot: Slot) {
        if count == chunks.count << Self.chunkBits {
            chunks.append(.allocate(capacity: 1 << Self.chunkBits))
        }
        pointer(count).initialize(to: slot)
        count += 1
    }

    /// Forgets all of them, and frees all chunks but one.
    mutating func removeAll() {
        for chunk in chunks.dropFirst() { chunk.deallocate() }
        chunks.removeSubrange(min(1, chunks.count)...)
        count = 0
    }
}
