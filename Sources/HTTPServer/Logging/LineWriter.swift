import Glibc
import HoldfastThreads

/// Writes lines to a file descriptor from a thread of its own, so that no request waits for a disk
/// or a pipe. Lines that come faster than they can be written are dropped.
// @unchecked: the buffer is in a monitor; the thread handle is set once in `init`.
package final class LineWriter: @unchecked Sendable {
    private struct Buffer {
        var bytes: [UInt8] = []
        var isStopped = false
    }

    /// The most bytes that may wait.
    private static let byteCountMax = 4 << 20
    private let buffer = Monitor(Buffer())
    private let descriptor: Int32
    private var thread: SystemThread?

    /// Starts the thread. The descriptor stays open at the end.
    ///
    /// - Throws: ``ServerError`` if the system cannot start another thread.
    package init(descriptor: Int32) throws(ServerError) {
        self.descriptor = descriptor
        guard let thread = SystemThread({ self.run() }) else {
            throw .system("pthread_create", errno: errno)
        }
        self.thread = thread
    }

    /// Queues one line; a line feed is added. Any thread. Cost: a lock and a copy.
    package func write(_ line: [UInt8]) {
        buffer.signal { buffer in
            if buffer.bytes.count + line.count > LineWriter.byteCountMax || buffer.isStopped {
                return false
            }
            let wasEmpty = buffer.bytes.isEmpty
            buffer.bytes.append(contentsOf: line)
            buffer.bytes.append(UInt8(ascii: "\n"))
            return wasEmpty
        }
    }

    /// Writes the queued lines and ends the thread. Later lines are dropped.
    package func stop() {
        var wasStopped = true
        buffer.update { buffer in
            wasStopped = buffer.isStopped
            buffer.isStopped = true
        }
        if !wasStopped { thread?.join() }
    }

    private func run() {
        var spare: [UInt8] = []
        while true {
            let isStopped: Bool = buffer.wait { buffer in
                if buffer.bytes.isEmpty, !buffer.isStopped { return nil }
                swap(&buffer.bytes, &spare)
                return buffer.isStopped
            }
            // A failed write is ignored: there is no other place to report it.
            _ = spare.withUnsafeBytes { writeAll($0, to: descriptor) }
            spare.removeAll(keepingCapacity: true)
            if isStopped { return }
            // A pause collects the lines of many requests into one write.
            usleep(20_000)
        }
    }
}
