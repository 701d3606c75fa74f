import ObjectStore
import Threads

/// Threads for reads that take long, so that the threads of connections never wait.
///
/// The queue is bounded: past the bound work is refused, which the caller answers with 503. Thread-safe.
package final class WorkerPool: Sendable {
    private struct State {
        var work: [@Sendable () -> Void] = []
        var first = 0
        var isStopping = false
        var runningCount = 0
    }

    private let state = Monitor(State())
    private let queueCountMax: Int

    /// Starts the threads.
    package init(threadCount: Int, queueCountMax: Int = 10_000) {
        self.queueCountMax = queueCountMax
        let state = self.state
        state.withLock { $0.runningCount = threadCount }
        for _ in 0..<threadCount {
            startThread {
                while let work = Self.next(state) { work() }
                state.signal {
                    $0.runningCount -= 1
                    return true
                }
            }
        }
    }

    /// Queues work.
    ///
    /// - Returns: False, with nothing queued, when the queue is full or the pool was stopped.
    package func submit(_ work: @escaping @Sendable () -> Void) -> Bool {
        var isTaken = false
        state.signal { state in
            guard !state.isStopping, state.work.count - state.first < queueCountMax else {
                return false
            }
            state.work.append(work)
            isTaken = true
            return true
        }
        return isTaken
    }

    /// Lets the threads finish what is queued, and returns when they have ended.
    package func stop() {
        state.signal {
            $0.isStopping = true
            return true
        }
        state.wait { $0.runningCount == 0 ? () : nil }
    }

    private static func next(_ state: Monitor<State>) -> (@Sendable () -> Void)? {
        state.wait { state -> (@Sendable () -> Void)?? in
            if state.first < state.work.count {
                let work = state.work[state.first]
                state.first += 1
                if state.first > 256 || state.first == state.work.count {
                    state.work.removeFirst(state.first)
                    state.first = 0
                }
                return .some(work)
            }
            return state.isStopping ? .some(nil) : nil
        }
    }
}
