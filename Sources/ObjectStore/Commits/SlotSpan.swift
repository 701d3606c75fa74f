import CMemory

/// Slots of a list that follow each other, in pieces of memory of one size.
///
/// Valid as long as the list has them. Their keys never change; what slots say of them belongs to the writer's thread.
struct SlotSpan: @unchecked Sendable {
    // Unchecked: other threads read nothing but keys.
    private let chunks: [UnsafeMutablePointer<Overlay.Slot>]
    private let chunkBits: Int
    /// The position of the first one in the list.
    let first: Int
    let count: Int
    /// How far the first one is from the beginning of its chunk.
    private let offset: Int

    /// - `chunks`: Each but the last has as many slots as two to the power of `chunkBits`.
    init(
        _ chunks: [UnsafeMutablePointer<Overlay.Slot>], chunkBits: Int, first: Int, offset: Int,
        count: Int
    ) {
        self.chunks = chunks
        self.chunkBits = chunkBits
        self.first = first
        self.offset = offset
        self.count = count
    }

    @inline(__always)
    private func slot(_ place: Int) -> UnsafeMutablePointer<Overlay.Slot> {
        let place = place + offset
        return chunks[place >> chunkBits] + (place & (1 << chunkBits - 1))
    }

    /// The beginning of the key of the slot so many behind the first.
    @inline(__always)
    func prefix(_ place: Int) -> KeyPrefix { slot(place).pointee.prefix }

    /// Its key.
    @inline(__always)
    func key(_ place: Int) -> UnsafeRawBufferPointer { slot(place).pointee.key }

    /// Asks the processor for the slot so many behind the first.
    @inline(__always)
    func prefetch(_ place: Int) { shim_prefetch(slot(place)) }
}
