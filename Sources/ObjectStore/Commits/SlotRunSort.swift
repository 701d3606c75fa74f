import Threads

/// The sort of spans of slots, one after the other, by a thread beside the writer's while that goes on adding slots.
///
/// What is left for a commit is to sort the last span and to merge. Thread-safe.
final class SlotRunSort: Sendable {
    private struct Job {
        var kind: Int
        var span: SlotSpan

        func isOf(_ kind: Int, _ first: Int) -> Bool { self.kind == kind && span.first == first }
    }

    private struct Done {
        var job: Job
        var run: SlotRun
    }

    private struct State {
        var waiting: [Job] = []
        /// The span that is being sorted.
        var current: Job?
        var done: [Done] = []
        /// Whether there is a thread.
        var isWorking = false
    }

    private let state = Monitor(State())

    /// Has a span sorted, which must stay, with its keys, until ``reset()`` returns.
    func add(_ span: SlotSpan, kind: Int) {
        let starts = state.withLock { state in
            state.waiting.append(Job(kind: kind, span: span))
            defer { state.isWorking = true }
            return !state.isWorking
        }
        // Without a thread whoever asks for the run sorts it.
        if starts, !startThreadIfPossible({ self.work() }) {
            state.withLock {
                $0.waiting = []
                $0.isWorking = false
            }
        }
    }

    private func work() {
        var done: Done?
        while true {
            var next: Job?
            state.signal { state in
                if let done { state.done.append(done) }
                next = state.waiting.isEmpty ? nil : state.waiting.removeFirst()
                state.current = next
                state.isWorking = next != nil
                return true
            }
            guard let next else { return }
            done = Done(job: next, run: SlotItems.run(of: next.span))
        }
    }

    /// The slots of a span in order; waits for the thread if it has begun with the span. Nil if the span was not added,
    /// and if its turn has not come: then it will not.
    func run(kind: Int, first: Int) -> SlotRun? {
        state.wait { state in
            if let done = state.done.first(where: { $0.job.isOf(kind, first) }) { return done.run }
            if state.current?.isOf(kind, first) ?? false { return nil }
            state.waiting.removeAll { $0.isOf(kind, first) }
            return .some(nil)
        }
    }

    /// Forgets all spans; waits until none is read any more.
    func reset() {
        state.wait { state in
            state.waiting = []
            state.done = []
            return state.current == nil ? () : nil
        }
    }
}
