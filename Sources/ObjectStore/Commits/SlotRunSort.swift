import Threads

/// The sort of spans of slots, one after the other, by a thread beside the writer's while that goes on adding slots.
///
/// What is left for a commit is to sort the last span and to merge. Thread-safe.
final class SlotRunSort: Sendable {
    private struct Task {
        var kind: Int
        var span: SlotSpan
    }

    private struct Done {
        var task: Task
        var run: SlotRun
    }

    private struct State {
        var tasks: [Task] = []
        var done: [Done] = []
        /// Whether there is a thread.
        var isWorking = false
    }

    private let state = Monitor(State())

    /// Has a span sorted, which must stay until ``reset()`` returns.
    func add(_ span: SlotSpan, kind: Int) {
        let starts = state.withLock { state in
            state.tasks.append(Task(kind: kind, span: span))
            defer { state.isWorking = true }
            return !state.isWorking
        }
        // Without a thread whoever asks for the run sorts it.
        if starts, !startThreadIfPossible({ self.work() }) {
            state.withLock {
                $0.tasks = []
                $0.isWorking = false
            }
        }
    }

    private func work() {
        var done: Done?
        while true {
            var next: Task?
            state.signal { state in
                if let done { state.done.append(done) }
                next = state.tasks.isEmpty ? nil : state.tasks.removeFirst()
                state.isWorking = next != nil
                return true
            }
            guard let next else { return }
            done = Done(task: next, run: SlotItems.run(of: next.span))
        }
    }

    /// The slots of a span in order; waits for the thread if it has begun with the span. Nil if the span was not added,
    /// and if its turn has not come: then it will not.
    func run(kind: Int, first: Int) -> SlotRun? {
        let isIt = { (task: Task) in task.kind == kind && task.span.first == first }
        return state.wait { state in
            if let place = state.tasks.firstIndex(where: isIt) {
                state.tasks.remove(at: place)
                return .some(nil)
            }
            if let done = state.done.first(where: { isIt($0.task) }) { return done.run }
            return state.isWorking ? nil : .some(nil)
        }
    }

    /// Forgets all spans; waits until none is read any more.
    func reset() {
        state.wait { state in
            state.tasks = []
            state.done = []
            return state.isWorking ? nil : ()
        }
    }
}
