import JSON

/// Reads a body in chunks (RFC 9112, section 7.1), piece by piece as it comes.
///
/// Every line must end with CR LF. Extensions and trailer fields are read over; together they may have 8 KiB.
struct ChunkReader {
    /// What is wrong with the framing, so that the end of the body is in doubt.
    struct Fault: Error {}

    private enum State {
        case size
        /// After blanks behind the size.
        case sizeBlank
        case extensions
        /// After the CR of the line with the size.
        case sizeEnd
        case data
        /// After the data: its CR, then its LF.
        case dataEnd
        case dataLineFeed
        case trailer
        /// After the CR of a line of the trailer.
        case trailerEnd
        case over
    }

    private static let overheadByteCountMax = 8 << 10

    private var state = State.size
    private var digitCount = 0
    /// The size as far as it was read; then the bytes of the chunk that are to come.
    private var left: UInt64 = 0
    private var trailerLineByteCount = 0
    private var overheadByteCount = 0

    /// Whether the body is complete.
    var isOver: Bool { state == .over }

    /// Reads on, and gives each run of the body's bytes to `sink` until that returns false or the body is over.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) -> Bool
    ) throws(Fault) {
        var index = 0
        while index < bytes.count {
            if state == .data {
                let count = Int(min(left, UInt64(bytes.count - index)))
                left -= UInt64(count)
                if left == 0 { state = .dataEnd }
                let piece = UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
                index += count
                guard sink(piece) else { return }
                continue
            }
            if state == .over { return }
            try step(bytes[index])
            index += 1
        }
    }

    /// Takes a byte of the framing.
    private mutating func step(_ byte: UInt8) throws(Fault) {
        let isCR = byte == 0x0D
        switch state {
        case .size:
            if let digit = Hexadecimal.value(byte), digitCount < 15 {
                left = left << 4 | UInt64(digit)
                digitCount += 1
                return
            }
            guard digitCount > 0 else { throw Fault() }
            state = try Self.stateBehindSize(byte)
        case .sizeBlank:
            try countOverhead()
            state = try Self.stateBehindSize(byte)
        case .extensions:
            guard byte >= 0x20 || byte == 0x09 || isCR else { throw Fault() }
            try countOverhead()
            if isCR { state = .sizeEnd }
        case .sizeEnd:
            guard byte == 0x0A else { throw Fault() }
            state = left == 0 ? .trailer : .data
            trailerLineByteCount = 0
        case .dataEnd:
            guard isCR else { throw Fault() }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { throw Fault() }
            state = .size
            digitCount = 0
        case .trailer:
            guard byte >= 0x20 || byte == 0x09 || isCR else { throw Fault() }
            try countOverhead()
            if isCR { state = .trailerEnd } else { trailerLineByteCount += 1 }
        case .trailerEnd:
            guard byte == 0x0A else { throw Fault() }
            state = trailerLineByteCount == 0 ? .over : .trailer
            trailerLineByteCount = 0
        case .data, .over: return
        }
    }

    /// What follows a byte that is behind the size: blanks, extensions or the end of the line.
    private static func stateBehindSize(_ byte: UInt8) throws(Fault) -> State {
        switch byte {
        case 0x20, 0x09: .sizeBlank
        case UInt8(ascii: ";"): .extensions
        case 0x0D: .sizeEnd
        default: throw Fault()
        }
    }

    private mutating func countOverhead() throws(Fault) {
        overheadByteCount += 1
        if overheadByteCount > Self.overheadByteCountMax { throw Fault() }
    }
}
