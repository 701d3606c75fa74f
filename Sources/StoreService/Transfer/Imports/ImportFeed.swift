import Bytes
import Glibc
import JSON
import ObjectJSON
import ObjectStore
import Threads

/// Cuts the text of an import into chunks of whole lines and holds them for the thread that reads them.
///
/// One thread feeds, another takes; a bounded number of chunks waits in between.
final class ImportFeed: @unchecked Sendable {
    // Unchecked: what the feeding thread cuts belongs to it alone; what both use is in `queue`.

    /// What the reading thread gets.
    enum Next {
        case chunk(ImportChunk)
        /// The text is complete.
        case end
        /// The text can't be an import.
        case refused(RequestFault)
        /// The sender is gone.
        case abandoned
    }

    private struct Queue {
        var chunks: [ImportChunk] = []
        var isComplete = false
        var isAbandoned = false
        /// Each says whether nobody waits for the import any more.
        var departures: [@Sendable () -> Bool] = []
        /// Why the text can't be an import.
        var refusal: RequestFault?
        /// Whether the feeder was told to wait and not yet to go on.
        var isFeederWaiting = false
        /// Nobody takes chunks any more.
        var isClosed = false
    }

    private let options: ImportOptions
    private let onRoom: @Sendable () -> Void
    private let queue = Monitor(Queue())

    // The feeding thread's own.
    private var text: ByteBuffer
    private var lineStart = 0
    private var lineCount = 0
    private var firstNumber = 1
    private var faults: [(number: Int, fault: RequestFault.Entry)] = []
    private var isSkipping = false
    /// How many bytes of a byte order mark were seen; 3 when the beginning is over.
    private var markCount = 0

    /// Makes an empty feed.
    ///
    /// - `onRoom`: Called once after each ``append(_:)`` that returned false, when there is room
    ///   again; perhaps before that call has returned. Any thread.
    init(_ options: ImportOptions, onRoom: @escaping @Sendable () -> Void) {
        self.options = options
        self.onRoom = onRoom
        text = ByteBuffer(capacity: options.chunkByteCount + (64 << 10))
    }

    // MARK: The feeding thread

    /// Takes the next bytes of text.
    ///
    /// - Returns: False when no more is wanted until `onRoom` is called.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = skipMark(bytes) { text.append($0) }
        var hasRoom = true
        while rest.count > 0 {
            if isAtBlank {
                // Blank lines that no line of the chunk stands before are counted and not kept.
                let count = rest.firstIndex { $0 != UInt8(ascii: "\n") } ?? rest.count
                firstNumber += count
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
                if rest.isEmpty { break }
            }
            guard let start = rest.baseAddress, let end = memchr(start, 10, rest.count) else {
                take(rest)
                break
            }
            let count = UnsafeRawPointer(end) - start + 1
            take(UnsafeRawBufferPointer(start: start, count: count))
            endLine()
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if text.count >= options.chunkByteCount || lineCount >= options.chunkLineCount {
                hasRoom = cut() && hasRoom
            }
        }
        return hasRoom
    }

    /// Whether a chunk begins of which nothing has to be remembered.
    private var isAtBlank: Bool {
        text.count == 0 && lineCount == 0 && !isSkipping && faults.isEmpty
    }

    /// The text is complete; the last line need not have an end.
    func complete() {
        if text.count > lineStart || isSkipping {
            text.append(UInt8(ascii: "\n"))
            endLine()
        }
        if lineCount > 0 { _ = cut() }
        queue.update { $0.isComplete = true }
    }

    /// The sender is gone: what was not taken yet is dropped.
    func abandon() {
        queue.update {
            $0.isAbandoned = true
            $0.chunks = []
        }
    }

    /// Abandons the import when `isGone` says so, which is asked before each chunk. Any thread.
    func abandon(when isGone: @escaping @Sendable () -> Bool) {
        queue.withLock { $0.departures.append(isGone) }
    }

    /// Notes what is wrong with the line that comes next, which has to be blank.
    func note(_ fault: RequestFault.Entry) { faults.append((firstNumber + lineCount, fault)) }

    /// Lets nothing be imported any more: what is wrong concerns the whole text.
    func refuse(_ fault: RequestFault) {
        queue.update { if $0.refusal == nil { $0.refusal = fault } }
    }

    /// Leaves out a byte order mark at the beginning of the text, which says nothing.
    ///
    /// - `keep`: Takes what looked like the beginning of a mark and is text.
    func skipMark(
        _ bytes: UnsafeRawBufferPointer, keep: (UInt8) -> Void
    ) -> UnsafeRawBufferPointer {
        var rest = bytes
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        while markCount < 3, let byte = rest.first {
            guard byte == mark[markCount] else {
                let count = markCount
                markCount = 3
                for byte in mark[..<count] { keep(byte) }
                break
            }
            markCount += 1
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
        }
        return rest
    }

    private func take(_ piece: UnsafeRawBufferPointer) {
        if isSkipping { return }
        // The end of the line, `\r\n` at most, does not count; `endLine` looks closer.
        if text.count - lineStart + piece.count > options.lineByteCountMax + 2 { return skip() }
        text.append(piece)
    }

    private func skip() {
        isSkipping = true
        text.truncate(to: lineStart)
        note(
            RequestFault.Entry(
                code: "line-too-long",
                detail: "The line is longer than the \(options.lineByteCountMax) bytes that an "
                    + "import takes."))
    }

    private func endLine() {
        if !isSkipping {
            let line = text.bytes[lineStart..<(text.count - 1)]
            let endCount = line.last == UInt8(ascii: "\r") ? 1 : 0
            if line.count - endCount > options.lineByteCountMax { skip() }
        }
        if isSkipping {
            isSkipping = false
            text.append(UInt8(ascii: "\n"))
        }
        lineCount += 1
        lineStart = text.count
    }

    /// Hands on what is there; false when no more is wanted for now.
    private func cut() -> Bool {
        let byteCount = text.count
        text.appendZeros(JSONParser.paddingByteCount)
        let chunk = ImportChunk(
            text: text, byteCount: byteCount, firstNumber: firstNumber, faults: faults)
        text = ByteBuffer(capacity: options.chunkByteCount + (64 << 10))
        firstNumber += lineCount
        lineCount = 0
        lineStart = 0
        faults = []
        var hasRoom = true
        queue.signal { queue in
            if queue.isClosed || queue.isAbandoned { return false }
            queue.chunks.append(chunk)
            hasRoom = queue.isFeederWaiting
            queue.isFeederWaiting = true
            return true
        }
        return hasRoom
    }

    // MARK: The reading thread

    /// Whether nobody waits for the import any more: asked wherever its work may be long. Cost: a system
    /// call.
    var isAbandoned: Bool {
        queue.withLock { queue in
            if !queue.isAbandoned, queue.departures.contains(where: { $0() }) {
                queue.isAbandoned = true
                queue.chunks = []
            }
            return queue.isAbandoned
        }
    }

    /// The next chunk; waits for it.
    func next() -> Next {
        if isAbandoned { return .abandoned }
        var wakesFeeder = false
        let next: Next = queue.wait { queue in
            if queue.isAbandoned { return .abandoned }
            if let fault = queue.refusal { return .refused(fault) }
            if !queue.chunks.isEmpty {
                let chunk = queue.chunks.removeFirst()
                wakesFeeder = queue.isFeederWaiting && queue.chunks.isEmpty
                if wakesFeeder { queue.isFeederWaiting = false }
                return .chunk(chunk)
            }
            return queue.isComplete ? .end : nil
        }
        if wakesFeeder { onRoom() }
        return next
    }

    /// Takes no more chunks: the rest of the text is received and dropped.
    func close() {
        var wakesFeeder = false
        queue.signal { queue in
            queue.isClosed = true
            queue.chunks = []
            wakesFeeder = queue.isFeederWaiting
            queue.isFeederWaiting = false
            return false
        }
        if wakesFeeder { onRoom() }
    }

    /// Waits until the text is complete or the sender gone; true for the former.
    func waitForEnd() -> Bool {
        queue.wait { queue in
            if queue.isAbandoned { return false }
            return queue.isComplete ? true : nil
        }
    }
}
