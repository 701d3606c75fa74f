import Threads

/// The sort of some kinds of slots, one after the other, by a thread beside the writer's.
///
/// `@unchecked Sendable`: the slots that the thread reads don't change until it is done, which whoever
/// began it waits for.
final class SharedSlotSort: @unchecked Sendable {
    /// For fewer slots a thread, which costs some tens of microseconds, is not worth it.
    private static let slotCountMin = 1 << 16

    private struct State {
        var done: [Int: SortedChanges] = [:]
        var isCancelled = false
        var hasEnded = false
    }

    private let kinds: UnsafeMutablePointer<KindSlots>
    private let sortedKinds: [Int]
    private let state = Monitor(State())

    /// Begins with the kinds whose keys do not rise, in the order of kinds; nil where they have few slots, or no
    /// thread is to be had.
    init?(_ kinds: UnsafeMutablePointer<KindSlots>, count: Int) {
        let sortedKinds = (0..<count).filter { !kinds[$0].isRising }
        guard sortedKinds.reduce(0, { $0 + kinds[$1].count }) >= Self.slotCountMin else {
            return nil
        }
        self.kinds = kinds
        self.sortedKinds = sortedKinds
        guard startThreadIfPossible({ self.run() }) else { return nil }
    }

    private func run() {
        for kind in sortedKinds {
            // Not further ahead than by one kind: each takes as much memory as it has changes.
            let goesOn = state.wait { $0.isCancelled ? false : $0.done.isEmpty ? true : nil }
            guard goesOn else { break }
            let changes = kinds[kind].sortedChanges()
            state.signal {
                $0.done[kind] = changes
                return true
            }
        }
        state.signal {
            $0.hasEnded = true
            return true
        }
    }

    /// Waits until a kind whose keys do not rise is sorted, and hands over its changes.
    func changes(_ kind: Int) -> SortedChanges {
        let changes = state.wait { $0.done.removeValue(forKey: kind) }
        state.signal { _ in true }
        return changes
    }

    /// Waits until the thread reads no slots any more; kinds that it has not begun stay as they are.
    func end() {
        state.signal {
            $0.isCancelled = true
            return true
        }
        state.wait { $0.hasEnded ? () : nil }
    }
}
