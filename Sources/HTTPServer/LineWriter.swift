import CMicroHTTPD
import Glibc
import Synchronization
import Threads

/// Writes lines to a file descriptor from a thread of its own, so that no request waits for a disk
/// or a pipe. Lines that come faster than they can be written are dropped and counted.
// @unchecked: the buffer is in a mutex; the thread handle is set once in `init`.
package final class LineWriter: @unchecked Sendable {
    private struct Buffer {
        var bytes: [UInt8] = []
        var droppedCount = 0
        var isStopped = false
    }

    /// Bytes that may wait.
    private static let byteCountMax = 4 << 20
    private let buffer = Mutex(Buffer())
    private let descriptor: Int32
    private let wakeUp: Int32
    private var thread: SystemThread?

    /// Starts the thread. The descriptor is not closed at the end.
    ///
    /// - Throws: ``ServerError`` when the system has no thread or descriptor left.
    package init(descriptor: Int32) throws(ServerError) {
        self.descriptor = descriptor
        wakeUp = shim_event_create(1)
        guard wakeUp >= 0 else { throw .system("eventfd", errno: errno) }
        guard let thread = SystemThread({ self.run() }) else {
            let code = errno
            close(wakeUp)
            throw .system("pthread_create", errno: code)
        }
        self.thread = thread
    }

    /// Queues one line; a line feed is added. Any thread. Cost: a lock and a copy.
    package func write(_ line: [UInt8]) {
        let mustWake = buffer.withLock { buffer in
            if buffer.bytes.count + line.count > LineWriter.byteCountMax || buffer.isStopped {
                buffer.droppedCount += 1
                return false
            }
            let wasEmpty = buffer.bytes.isEmpty
            buffer.bytes.append(contentsOf: line)
            buffer.bytes.append(UInt8(ascii: "\n"))
            return wasEmpty
        }
        if mustWake { shim_event_signal(wakeUp) }
    }

    /// Lines that were dropped so far.
    package var droppedCount: Int { buffer.withLock { $0.droppedCount } }

    /// Writes what is queued and ends the thread. Later lines are dropped.
    package func stop() {
        let wasStopped = buffer.withLock { buffer in
            defer { buffer.isStopped = true }
            return buffer.isStopped
        }
        guard !wasStopped else { return }
        shim_event_signal(wakeUp)
        thread?.join()
        close(wakeUp)
    }

    private func run() {
        var spare: [UInt8] = []
        while true {
            shim_event_clear(wakeUp)
            let isStopped = buffer.withLock { buffer in
                swap(&buffer.bytes, &spare)
                return buffer.isStopped
            }
            // Who reads a log has gone when it cannot be written.
            _ = spare.withUnsafeBytes { writeAll($0, to: descriptor) }
            spare.removeAll(keepingCapacity: true)
            if isStopped { return }
            // A pause collects the lines of many requests into one write.
            usleep(20_000)
        }
    }
}
