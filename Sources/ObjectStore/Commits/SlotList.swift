import CHoldfastMemory

/// The slots of one kind of key: a list that grows at its end and never moves what it has.
///
/// A transaction may have millions: an array that doubled would copy them again and again, into memory that
/// the kernel has to clear first.
struct SlotList: ~Copyable {
    typealias Slot = Overlay.Slot

    /// Chunks are small up to so many slots, so that most transactions take and give back what `malloc` has
    /// at hand; beyond they are blocks of the kernel.
    private static let smallCountMax = 1 << 16
    private static let smallBits = 12
    private static let largeBits = 17
    /// The size of a large chunk, which is that of the blocks it comes in.
    static let largeByteCount = MemoryLayout<Slot>.stride << largeBits

    private var small: ContiguousArray<UnsafeMutablePointer<Slot>> = []
    private var large: ContiguousArray<UnsafeMutablePointer<Slot>> = []
    /// How many there are.
    private(set) var count = 0

    /// Makes an empty list.
    init() {}

    deinit { freeChunks(keeping: 0) }

    private func freeChunks(keeping keptCount: Int) {
        for chunk in small.dropFirst(keptCount) { chunk.deallocate() }
        for chunk in large { KernelMemory.free(chunk, Self.largeByteCount) }
    }

    @inline(__always)
    private func pointer(_ index: Int) -> UnsafeMutablePointer<Slot> {
        if index < Self.smallCountMax {
            return small[index >> Self.smallBits] + (index & (1 << Self.smallBits - 1))
        }
        let further = index - Self.smallCountMax
        return large[further >> Self.largeBits] + (further & (1 << Self.largeBits - 1))
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
        if count < Self.smallCountMax {
            if count == small.count << Self.smallBits {
                small.append(.allocate(capacity: 1 << Self.smallBits))
            }
        } else if count - Self.smallCountMax == large.count << Self.largeBits {
            let block = KernelMemory.allocate(Self.largeByteCount)
            large.append(block.bindMemory(to: Slot.self, capacity: 1 << Self.largeBits))
        }
        pointer(count).initialize(to: slot)
        count += 1
    }

    /// Forgets all of them, and frees all chunks but one.
    mutating func removeAll() {
        freeChunks(keeping: 1)
        small.removeSubrange(min(1, small.count)...)
        large.removeAll()
        count = 0
    }
}
