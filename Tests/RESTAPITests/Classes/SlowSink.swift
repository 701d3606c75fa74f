import HoldfastObjectJSON
import HoldfastStoreService
import HoldfastStreams
import HoldfastThreads

/// A stream whose client reads when it is told to; it leaves after several refusals.
final class SlowSink: StreamSink {
    private struct State {
        var text = ""
        var queuedByteCount = 0
        var refusedCount = 0
        /// What runs once no more than some bytes are queued.
        var waiting: (byteCount: Int, body: @Sendable () -> Void)?
        /// Nothing but heartbeats comes before the client reads, or something is committed.
        var isPaused: Bool { waiting != nil || refusedCount > SlowSink.refusedCountMax }
    }

    private static let refusedCountMax = 3
    let queueByteCountMax: Int
    private let state = Monitor(State())

    init(queueByteCountMax: Int) { self.queueByteCountMax = queueByteCountMax }

    var queuedByteCount: Int { state.withLock { $0.queuedByteCount } }
    var isClosed: Bool { refusedCount > Self.refusedCountMax }
    /// How often there was no room.
    var refusedCount: Int { state.withLock { $0.refusedCount } }
    /// Everything that was taken.
    var text: String { state.withLock { $0.text } }

    func send(_ bytes: SharedBytes) -> StreamSent {
        var isTaken = false
        state.update { state in
            isTaken =
                state.queuedByteCount == 0
                || state.queuedByteCount + bytes.count <= queueByteCountMax
            guard isTaken else { return state.refusedCount += 1 }
            state.queuedByteCount += bytes.count
            state.text += String(decoding: bytes.buffer.bytes, as: UTF8.self)
        }
        return isTaken ? .queued : .full
    }

    func send(all pieces: [SharedBytes]) -> StreamSent {
        for piece in pieces where send(piece) != .queued { return .full }
        return .queued
    }

    func end() {}
    func end(sending last: SharedBytes) {}

    func whenQueued(atMost byteCount: Int, _ body: @escaping @Sendable () -> Void) {
        var isDue = false
        state.update { state in
            isDue = state.queuedByteCount <= byteCount
            if !isDue { state.waiting = (byteCount, body) }
        }
        if isDue { body() }
    }

    /// Reads everything.
    func read() {
        let waiting = state.withLock { state in
            state.queuedByteCount = 0
            return state.waiting.take()
        }
        waiting?.body()
    }

    /// Waits until nothing is sent before the client reads.
    func awaitPause() { state.wait { $0.isPaused ? () : nil } }
}
