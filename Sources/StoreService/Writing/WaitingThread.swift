import HoldfastThreads

/// A thread that waits for its write. It must be allowed to wait.
package struct WaitingThread: WriteWaiter {
    private let isFinished = Monitor(false)

    package init() {}

    package func wake<Body: WriteCase>(_ write: ServedWrite<Body, WaitingThread>) {
        isFinished.update { $0 = true }
    }

    package func tell<Body: WriteCase>(_ write: ServedWrite<Body, WaitingThread>) { wake(write) }

    /// Waits until the write is durable or has failed.
    package func wait() { isFinished.wait { $0 ? () : nil } }
}
