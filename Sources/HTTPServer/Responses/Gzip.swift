import CHoldfastZlib
import Glibc
import Synchronization

/// Writers kept for reuse: preparing a writer allocates and clears 260 KiB, which would cost more than compressing a small reply.
private let idleWriters = Mutex<[GzipWriter]>([])

/// Returns a zlib stream that `prepare` has made ready; nil if there is no memory.
private func makeStream(_ prepare: (z_streamp) -> Int32) -> UnsafeMutablePointer<z_stream>? {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    if prepare(stream) == Z_OK { return stream }
    stream.deallocate()
    return nil
}

/// Compresses to gzip (RFC 1952), level 1: the fastest, with most of the gain on JSON.
// @unchecked: a writer has one owner at a time, and is handed over through the mutex of idle writers.
final class GzipWriter: @unchecked Sendable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// Returns a writer that is ready, reused if possible; nil if there is no memory.
    static func take() -> GzipWriter? { idleWriters.withLock { $0.popLast() } ?? GzipWriter() }

    /// Returns a writer to the idle ones. Its input is cleared, because the body of a client that left may not have been read to
    /// its end.
    static func give(_ writer: GzipWriter) {
        writer.setInput(UnsafeRawBufferPointer(start: nil, count: 0))
        guard deflateReset(writer.stream) == Z_OK else { return }
        idleWriters.withLock { if $0.count < 8 { $0.append(writer) } }
    }

    private init?() {
        guard let stream = makeStream({ shim_deflate_init_gzip($0, 1) }) else { return nil }
        self.stream = stream
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Compresses all of `source` in one go; nil if there is no memory or the result would not be smaller.
    func compress(_ source: UnsafeRawBufferPointer) -> Bytes? {
        guard source.count > 0, source.count < Int(UInt32.max), let memory = malloc(source.count)
        else { return nil }
        setInput(source)
        stream.pointee.next_out = memory.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(source.count)
        guard deflate(stream, Z_FINISH) == Z_STREAM_END else {
            free(memory)
            return nil
        }
        return Bytes(adopting: memory, count: source.count - Int(stream.pointee.avail_out))
    }

    /// Sets the input of the next calls of ``write(to:isLast:)``; it must stay in place until they have read it.
    func setInput(_ source: UnsafeRawBufferPointer) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(source.count)
    }

    /// Whether all input was read.
    var needsInput: Bool { stream.pointee.avail_in == 0 }

    /// Compresses into `target`. Returns the number of bytes written and whether the end was written; nil if zlib fails.
    func write(
        to target: UnsafeMutableRawBufferPointer, isLast: Bool
    ) -> (count: Int, isOver: Bool)? {
        stream.pointee.next_out = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(target.count)
        let code = deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else { return nil }
        return (target.count - Int(stream.pointee.avail_out), code == Z_STREAM_END)
    }
}

/// Reads gzip, piece by piece.
package final class GzipReader {
    /// The reason why a text cannot be read.
    package enum Fault: Error {
        case broken
        /// The consumer of the pieces stopped.
        case stopped
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
    /// Whether the input so far is a complete stream.
    package private(set) var isOver = false

    /// Creates a reader; nil if there is no memory.
    package init?() {
        guard let stream = makeStream(shim_inflate_init_gzip) else {
            scratch.deallocate()
            return nil
        }
        self.stream = stream
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        scratch.deallocate()
    }

    /// Decompresses `source` and calls `sink` with each piece (at most 32 KiB) until it returns false. Consecutive members are
    /// read as one text (RFC 1952, section 2.2).
    package func read(
        _ source: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(Fault) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: source.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(source.count)
        while true {
            if isOver {
                guard stream.pointee.avail_in > 0 else { return }
                guard inflateReset(stream) == Z_OK else { throw .broken }
                isOver = false
            }
            stream.pointee.next_out = scratch.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(scratch.count)
            let code = inflate(stream, Z_NO_FLUSH)
            let count = scratch.count - Int(stream.pointee.avail_out)
            if count > 0, !sink(UnsafeRawBufferPointer(rebasing: scratch[0..<count])) {
                throw .stopped
            }
            switch code {
            case Z_STREAM_END: isOver = true
            case Z_OK: break
            // No progress is possible without more input.
            case Z_BUF_ERROR: return
            default: throw .broken
            }
            if code == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 { return }
        }
    }
}

/// Compresses the body of another source, in bounded memory.
final class GzipSource: PullSource {
    private let body: PullBody
    private var writer: GzipWriter?
    private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 15, alignment: 16)
    private var isLast = false

    init?(_ body: PullBody) {
        guard let writer = GzipWriter.take() else {
            input.deallocate()
            return nil
        }
        self.body = body
        self.writer = writer
    }

    deinit { input.deallocate() }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Pull {
        guard let writer else { return .end }
        while true {
            if writer.needsInput, !isLast {
                switch body.read(into: input) {
                case .bytes(let count):
                    writer.setInput(UnsafeRawBufferPointer(rebasing: input[0..<count]))
                case .end: isLast = true
                case .failed: return .failed
                }
            }
            guard let (count, isOver) = writer.write(to: buffer, isLast: isLast) else {
                return .failed
            }
            if isOver {
                GzipWriter.give(writer)
                self.writer = nil
                return count > 0 ? .bytes(count) : .end
            }
            if count > 0 { return .bytes(count) }
        }
    }

    var heldByteCount: Int { body.sourceByteCount }

    func close() {
        if let writer { GzipWriter.give(writer) }
        writer = nil
        body.close()
    }
}
