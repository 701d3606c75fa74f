import Storage
import Threads

/// Asks for a checkpoint when there is enough to write, or some time after the first commit that
/// waits for one.
///
/// A checkpoint that fails is tried again; until it succeeds the changes stay in the journal.
final class Checkpointer: Sendable {
    private struct State {
        var isRunning = false
        /// Whether a commit has come since the last checkpoint began.
        var isExpected = false
        /// Whether it shall begin without more delay.
        var isUrgent = false
        var isStopped = false
    }

    private enum Step {
        case checkpoint
        case stop
    }

    /// How long a failed one is left alone.
    private static let retryMilliseconds = 1000

    /// How long a commit waits for a checkpoint.
    private let delayMilliseconds: Int
    private let state = Monitor(State())

    init(delayMilliseconds: Int) {
        self.delayMilliseconds = delayMilliseconds
    }

    /// Sees to it that `environment` has a checkpoint soon, or now. Cost: a lock.
    func expectCheckpoint(of environment: LMDBEnvironment, now isUrgent: Bool) {
        var starts = false
        state.signal { state in
            if state.isStopped { return false }
            let wakes = !state.isExpected || (isUrgent && !state.isUrgent)
            state.isExpected = true
            if isUrgent { state.isUrgent = true }
            starts = !state.isRunning
            state.isRunning = true
            return wakes
        }
        if starts { startThread { self.run(environment) } }
    }

    /// Ends the thread, after the checkpoint that it may be at.
    func stop() {
        state.signal { state in
            state.isStopped = true
            return true
        }
        state.wait { $0.isRunning ? nil : () }
    }

    private func run(_ environment: LMDBEnvironment) {
        while nextStep() == .checkpoint {
            do throws(StorageError) {
                if try environment.checkpoint() { expectAnother() }
            } catch {
                // Whoever commits next is told when writes are refused or there is no room.
                _ = state.wait(milliseconds: Self.retryMilliseconds) { $0.isStopped ? () : nil }
                expectAnother()
            }
        }
        state.signal { state in
            state.isRunning = false
            return true
        }
    }

    private func expectAnother() {
        state.withLock { $0.isExpected = true }
    }

    private func nextStep() -> Step {
        state.wait { $0.isStopped || $0.isExpected ? () : nil }
        _ = state.wait(milliseconds: delayMilliseconds) {
            $0.isStopped || $0.isUrgent ? () : nil
        }
        var step = Step.stop
        state.signal { state in
            if !state.isStopped { step = .checkpoint }
            state.isExpected = false
            state.isUrgent = false
            return false
        }
        return step
    }
}
