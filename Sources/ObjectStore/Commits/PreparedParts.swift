import Storage
import Threads

/// The changes of some kinds in parts, which a thread beside the writer's makes while that applies those before.
///
/// `@unchecked Sendable`: the slots that the thread reads don't change until ``end()`` returns.
final class PreparedParts: @unchecked Sendable {
    /// For fewer slots a thread, which costs some tens of microseconds, is not worth it.
    private static let slotCountMin = 1 << 16
    /// How many parts may wait to be taken.
    private static let readyCountMax = 2

    /// Why the thread makes no more parts.
    private struct Cancelled: Error {}

    private struct State {
        var ready: [ChangePart] = []
        /// Parts that were applied.
        var spare: [ChangePart] = []
        /// The kind whose parts are being made; beyond all when the thread has ended.
        var kind = 0
        var isCancelled = false
    }

    private let kinds: UnsafeMutablePointer<KindSlots>
    private let kindCount: Int
    private let changeCount: Int
    private let state = Monitor(State())

    /// Begins with the kinds whose keys do not rise, in the order of kinds; nil where they have few slots, or no
    /// thread is to be had.
    ///
    /// - `changeCount`: How many changes a part has at most.
    init?(_ kinds: UnsafeMutablePointer<KindSlots>, count: Int, changeCount: Int) {
        let slotCount = (0..<count).reduce(0) { $0 + (kinds[$1].isRising ? 0 : kinds[$1].count) }
        guard slotCount >= Self.slotCountMin else { return nil }
        self.kinds = kinds
        kindCount = count
        self.changeCount = changeCount
        guard startThreadIfPossible({ self.run() }) else { return nil }
    }

    /// Hands the parts of a kind whose keys do not rise to `body`, which may use their pointers until it returns. Kinds
    /// are to be asked for in their order.
    func forEach<Failure: Error>(
        _ kind: Int, _ body: (StorageBatch) throws(Failure) -> Void
    ) throws(Failure) {
        while let part = next(kind) {
            try body(part.batch)
            state.withLock { $0.spare.append(part) }
        }
    }

    /// Ends the thread, and waits until it reads no slots any more.
    func end() {
        state.update { $0.isCancelled = true }
        state.wait { $0.kind == .max ? () : nil }
    }

    private func next(_ kind: Int) -> ChangePart? {
        let part: ChangePart? = state.wait { state in
            if let first = state.ready.first {
                return .some(first.kind == kind ? state.ready.removeFirst() : nil)
            }
            return state.kind > kind ? .some(nil) : nil
        }
        state.update { _ in }
        return part
    }

    // MARK: The thread

    private func run() {
        do throws(Cancelled) {
            for kind in 0..<kindCount where !kinds[kind].isRising {
                state.update { $0.kind = kind }
                try makeParts(kind)
            }
        } catch {}
        state.update { $0.kind = .max }
    }

    private func makeParts(_ kind: Int) throws(Cancelled) {
        var part = emptyPart(kind)
        try kinds[kind].forEachChange { change throws(Cancelled) in
            if part.append(change) { return }
            try hand(part)
            part = emptyPart(kind)
            _ = part.append(change)
        }
        if !part.batch.isEmpty { try hand(part) }
    }

    private func emptyPart(_ kind: Int) -> ChangePart {
        let part =
            state.withLock { $0.spare.popLast() } ?? ChangePart(changeCountMax: changeCount)
        part.begin(kind)
        return part
    }

    /// Puts a part where the writer takes it; waits while some are there.
    private func hand(_ part: ChangePart) throws(Cancelled) {
        let isCancelled: Bool = state.wait { state in
            if state.isCancelled { return true }
            if state.ready.count >= Self.readyCountMax { return nil }
            state.ready.append(part)
            return false
        }
        if isCancelled { throw Cancelled() }
        state.update { _ in }
    }
}
