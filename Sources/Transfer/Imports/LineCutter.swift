import Glibc
import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastThreads

/// Cuts the text of an import into chunks of whole lines. One thread at a time.
final class LineCutter: LineSource {
    private let options: ImportOptions
    private let longLines: LongLineGate
    private let feed: ImportFeed
    private let hand: (ImportChunk) -> Bool
    private var text: ByteBuffer
    private var lineStart = 0
    private var lineCount = 0
    private var firstNumber = 1
    private var faults: [(number: Int, fault: RequestFault.Entry)] = []
    private var isSkipping = false
    /// Whether chunks are taken.
    private var isWanted = true
    /// The way through the gate from the first long line on.
    private var passage: Lease?

    /// Makes a cutter.
    ///
    /// - `hand`: Takes a chunk, or returns false if no more chunks are wanted.
    init(
        _ options: ImportOptions, _ longLines: LongLineGate, _ feed: ImportFeed,
        _ hand: @escaping (ImportChunk) -> Bool
    ) {
        self.options = options
        self.longLines = longLines
        self.feed = feed
        self.hand = hand
        text = ByteBuffer(capacity: options.chunkByteCount + (64 << 10))
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        while isWanted, rest.count > 0 {
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
            if text.count >= options.chunkByteCount || lineCount >= options.chunkLineCount { cut() }
        }
    }

    /// Ends the text; its last line need not have an end.
    func complete() {
        if text.count > lineStart || isSkipping {
            text.append(UInt8(ascii: "\n"))
            endLine()
        }
        if lineCount > 0 { cut() }
    }

    /// The bytes of lines that converters hand on at a time.
    static let batchByteCount = 64 << 10

    /// Takes whole lines out of a buffer.
    func take(_ lines: ByteBuffer) {
        guard lines.count > 0 else { return }
        append(lines.bytes)
        lines.removeAll()
    }

    /// Whether a line of so many bytes may be in memory; waits while another import has long ones. False when the import is over.
    func admits(_ byteCount: Int) -> Bool {
        if isWanted, byteCount > LongLineGate.freeByteCount, passage == nil {
            passage = longLines.enter { feed.endIfAbandoned() }
            isWanted = passage != nil
        }
        return isWanted
    }

    /// Notes a fault of the next line, which has to be blank.
    func note(_ fault: RequestFault.Entry) { faults.append((nextNumber, fault)) }

    /// The number of the line that comes next.
    var nextNumber: Int { firstNumber + lineCount }

    /// Whether a chunk begins of which nothing has to be remembered.
    private var isAtBlank: Bool {
        text.count == 0 && lineCount == 0 && !isSkipping && faults.isEmpty
    }

    private func take(_ piece: UnsafeRawBufferPointer) {
        if isSkipping { return }
        // The end of the line, `\r\n` at most, does not count; `endLine` looks closer.
        let byteCount = text.count - lineStart + piece.count
        if byteCount > options.limits.importLineByteCountMax + 2 { return skip() }
        if admits(byteCount) { text.append(piece) }
    }

    private func skip() {
        isSkipping = true
        text.truncate(to: lineStart)
        note(.lineTooLong(byteCountMax: options.limits.importLineByteCountMax))
    }

    private func endLine() {
        if !isSkipping {
            let line = text.bytes[lineStart..<(text.count - 1)]
            let endCount = line.last == UInt8(ascii: "\r") ? 1 : 0
            if line.count - endCount > options.limits.importLineByteCountMax { skip() }
        }
        if isSkipping {
            isSkipping = false
            text.append(UInt8(ascii: "\n"))
        }
        lineCount += 1
        lineStart = text.count
    }

    /// Passes on the collected lines.
    private func cut() {
        let byteCount = text.count
        text.appendZeros(JSONParser.paddingByteCount)
        let chunk = ImportChunk(
            text: text, byteCount: byteCount, firstNumber: firstNumber, faults: faults)
        text = ByteBuffer(capacity: options.chunkByteCount + (64 << 10))
        firstNumber += lineCount
        lineCount = 0
        lineStart = 0
        faults = []
        isWanted = hand(chunk)
    }
}

extension RequestFault.Entry {
    /// The fault of a line that has more bytes than an import takes.
    static func lineTooLong(byteCountMax: Int) -> RequestFault.Entry {
        RequestFault.Entry(
            code: "line-too-long",
            detail:
                "The line is longer than the \(byteCountMax) bytes that an import takes; let it take "
                + "more (--max-import-line).")
    }
}

/// The gate for imports with very long lines. One import at a time passes it, since several would take too much memory
/// together. Thread-safe.
package final class LongLineGate: Sendable {
    /// The bytes of a line that every import may have in memory.
    static let freeByteCount = 32 << 20

    private let isTaken = Monitor(false)

    /// Makes an open gate.
    package init() {}

    /// Waits until an import may have long lines in memory, as long as it has the result; nil when it is over instead.
    ///
    /// - `isUnwanted`: Whether the import is over, asked each second while it waits.
    func enter(_ isUnwanted: () -> Bool) -> Lease? {
        while true {
            let isEntered = isTaken.wait(microseconds: 1_000_000) { isTaken -> Bool? in
                if isTaken { return nil }
                isTaken = true
                return true
            }
            if isEntered == true { return Lease { [isTaken] in isTaken.update { $0 = false } } }
            if isUnwanted() { return nil }
        }
    }
}
