import HoldfastBytes

/// The lines that a record of CSV with a wrong quote took along, which are read again as lines of their own.
struct CSVRewinding {
    /// The bytes of such lines that are kept.
    private static let keptByteCountMax = 1 << 20
    /// How often as many bytes are read again as were received, so that the work is linear.
    private static let ratioMax = 4

    /// The bytes of the present record behind its first line.
    private let kept = ByteBuffer(capacity: 0)
    private var isWhole = true
    /// The pieces that are to be read again, the next bytes last.
    private var pieces: [ArraySlice<UInt8>] = []
    /// The bytes that may still be read again.
    private var leftByteCount = keptByteCountMax

    /// Notes that so many bytes were received.
    mutating func receive(_ byteCount: Int) { leftByteCount += Self.ratioMax * byteCount }

    /// Keeps a byte of the present record.
    mutating func keep(_ byte: UInt8) {
        if kept.count < Self.keptByteCountMax { kept.append(byte) } else { isWhole = false }
    }

    /// Forgets the present record.
    mutating func forget() {
        kept.removeAll()
        isWhole = true
    }

    /// Reads the kept part of the present record again; false if it can't.
    mutating func rewind() -> Bool {
        guard isWhole, kept.count <= leftByteCount else { return false }
        leftByteCount -= kept.count
        pieces.append(kept.array[...])
        return true
    }

    /// The next byte that is to be read again.
    mutating func next() -> UInt8? {
        while let last = pieces.indices.last {
            if let byte = pieces[last].popFirst() { return byte }
            pieces.removeLast()
        }
        return nil
    }
}
