/// The slots of an overlay: a list that grows at its end and never moves what it has.
///
/// A transaction may have millions: an array that doubled would copy them again and again, into memory that
/// the kernel has to clear first.
struct SlotList: ~Copyable {
    typealias Slot = Overlay.Slot

    private static let chunkBits = 17
    private static let chunkByteCount = MemoryLayout<Slot>.stride << chunkBits
    /// The first slots are elsewhere, and their memory stays for the next transaction.
    private static let firstCount = 4096

    private let first = UnsafeMutablePointer<Slot>.allocate(capacity: SlotList.firstCount)
    private var chunks: [UnsafeMutablePointer<Slot>] = []
    /// How many there are.
    private(set) var count = 0

    deinit {
        first.deallocate()
        freeChunks()
    }

    private func freeChunks() {
        for chunk in chunks { KernelMemory.free(chunk, Self.chunkByteCount) }
    }

    @inline(__always)
    private func place(_ index: Int) -> UnsafeMutablePointer<Slot> {
        if index < Self.firstCount { return first + index }
        let further = index - Self.firstCount
        return chunks[further >> Self.chunkBits] + (further & (1 << Self.chunkBits - 1))
    }

    subscript(index: Int) -> Slot {
        @inline(__always) _read { yield place(index).pointee }
        @inline(__always) nonmutating _modify { yield &place(index).pointee }
    }

    /// Adds a slot at the end.
    mutating func append(_ slot: Slot) {
        if count - Self.firstCount == chunks.count << Self.chunkBits {
            let block = KernelMemory.allocate(Self.chunkByteCount)
            chunks.append(block.bindMemory(to: Slot.self, capacity: 1 << Self.chunkBits))
        }
        place(count).initialize(to: slot)
        count += 1
    }

    /// Forgets all of them.
    mutating func removeAll() {
        freeChunks()
        chunks.removeAll()
        count = 0
    }
}
