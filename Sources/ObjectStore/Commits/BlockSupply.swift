import Threads

/// Large blocks of memory, one after the other: the next ones are made ready while the last one is being filled.
///
/// The kernel clears memory when it is first touched, and the host of a virtual machine may have to find it only
/// then, which can take longer than what it is needed for. From a few blocks on a thread beside touches the
/// next ones. Thread-safe.
final class BlockSupply: Sendable {
    /// After so many blocks more are expected to be needed.
    private static let unpreparedCount = 4
    /// Lists of slots that grow together take their next blocks at the same time.
    private static let readyCountMax = 5

    private struct State {
        var takenCount = 0
        /// Blocks that were touched and that nobody has.
        var ready: [UnsafeMutableRawPointer] = []
        /// Whether a thread touches blocks.
        var isPreparing = false
    }

    private let state = Monitor(State())

    deinit { reset() }

    /// The next block, ``KernelMemory/blockByteCount`` long, which belongs to the caller.
    func take() -> UnsafeMutableRawPointer {
        let (block, prepares) = state.withLock { state in
            state.takenCount += 1
            let block = state.ready.popLast()
            let prepares =
                state.takenCount >= Self.unpreparedCount && !state.isPreparing
                && state.ready.count < Self.readyCountMax
            if prepares { state.isPreparing = true }
            return (block, prepares)
        }
        if prepares, !startThreadIfPossible({ self.prepare() }) {
            state.withLock { $0.isPreparing = false }
        }
        return block ?? KernelMemory.allocate(KernelMemory.blockByteCount)
    }

    /// Frees what is ready, and expects nothing any more until blocks are taken again.
    func reset() {
        let blocks = state.withLock { state in
            defer { state.ready = [] }
            state.takenCount = 0
            return state.ready
        }
        for block in blocks { KernelMemory.free(block, KernelMemory.blockByteCount) }
    }

    private func prepare() {
        var goesOn = true
        while goesOn {
            guard let block = KernelMemory.allocateIfPossible(KernelMemory.blockByteCount) else {
                return state.withLock { $0.isPreparing = false }
            }
            KernelMemory.touch(block, KernelMemory.blockByteCount)
            let isKept = state.withLock { state in
                let isKept = state.takenCount > 0 && state.ready.count < Self.readyCountMax
                if isKept { state.ready.append(block) }
                goesOn = isKept && state.ready.count < Self.readyCountMax
                state.isPreparing = goesOn
                return isKept
            }
            if !isKept { KernelMemory.free(block, KernelMemory.blockByteCount) }
        }
    }
}
