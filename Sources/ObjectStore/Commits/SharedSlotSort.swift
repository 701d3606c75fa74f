import Threads

/// The sort of some kinds of slots, one after the other, by a thread beside the writer's.
///
/// `@unchecked Sendable`: the slots that the thread reads don't change until it is done, which whoever
/// began it waits for.
final class SharedSlotSort: @unchecked Sendable {
    /// One kind's slots in the order of their keys.
    struct Kind {
        let positions: ContiguousArray<Int32>
        /// Whether a key may be there more than once.
        let repeats: Bool
    }

    private struct State {
        var done: [Int: Kind] = [:]
        var isCancelled = false
        var hasEnded = false
    }

    private let overlay: Overlay
    private let kinds: [(kind: Int, positions: ContiguousArray<Int32>)]
    private let state = Monitor(State())

    /// Begins; nil when there is no thread to be had.
    ///
    /// - `kinds`: The positions of each kind's slots, rising, in the order in which they will be asked for.
    init?(_ overlay: Overlay, _ kinds: [(kind: Int, positions: ContiguousArray<Int32>)]) {
        self.overlay = overlay
        self.kinds = kinds
        guard startThreadIfPossible({ self.run() }) else { return nil }
    }

    private func run() {
        for (kind, positions) in kinds where !state.withLock(\.isCancelled) {
            let sorted = Self.sort(overlay, positions[...])
            state.signal {
                $0.done[kind] = sorted
                return true
            }
        }
        state.signal {
            $0.hasEnded = true
            return true
        }
    }

    /// Waits until a kind is sorted.
    func sorted(_ kind: Int) -> Kind { state.wait { $0.done.removeValue(forKey: kind) } }

    /// Waits until the thread reads no slots any more; kinds that it has not begun stay as they are.
    func end() {
        state.wait { state in
            state.isCancelled = true
            return state.hasEnded ? () : nil
        }
    }

    /// Sorts one kind on the caller's thread.
    static func sort(_ overlay: Overlay, _ positions: ContiguousArray<Int32>.SubSequence) -> Kind {
        var items = SlotItems(overlay, positions)
        items.sort()
        let sorted = ContiguousArray<Int32>(unsafeUninitializedCapacity: items.count) {
            places, count in
            for place in 0..<items.count { places.initializeElement(at: place, to: items[place]) }
            count = items.count
        }
        return Kind(positions: sorted, repeats: items.repeats)
    }
}
