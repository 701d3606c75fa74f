import HoldfastBytes

/// A record with one function that writes and reads its fields.
protocol CodedRecord {
    /// Writes or reads the fields, the form of the record first; fails for a form that this program does not know.
    mutating func code(_ coder: inout RecordCoder)
}

extension CodedRecord {
    func append(to buffer: ByteBuffer) {
        var copy = self
        var coder = RecordCoder(to: buffer)
        copy.code(&coder)
    }

    /// Reads the fields.
    ///
    /// - Returns: Whether they are whole, and nothing is left behind them.
    mutating func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var coder = RecordCoder(bytes)
        code(&coder)
        return !coder.isDamaged && coder.isAtEnd
    }

    /// Writes the one form that there is, or reads it and fails where it is another one.
    static func code(form: UInt8, _ coder: inout RecordCoder) {
        var found = form
        coder.code(&found)
        if found != form { coder.fail() }
    }
}

/// Reads encoded records with bounds checks; a short or damaged record makes every later read nil.
struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position >= bytes.count }

    mutating func read<T: BitwiseCopyable>(_ type: T.Type) -> T? {
        guard position + MemoryLayout<T>.size <= bytes.count else { return nil }
        defer { position += MemoryLayout<T>.size }
        return bytes.loadUnaligned(fromByteOffset: position, as: type)
    }

    mutating func readBytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)])
    }

    /// Reads a count of four bytes, then as many bytes.
    mutating func readBlock() -> UnsafeRawBufferPointer? {
        guard let count = read(UInt32.self) else { return nil }
        return readBytes(Int(count))
    }

    mutating func readString() -> String? {
        readBlock().map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads a variable-length integer: seven bits a byte, lowest first.
    mutating func readVariable() -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while shift < 64, let byte = read(UInt8.self) {
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
        return nil
    }

    /// Reads a variable-length integer that numbers a class or property.
    mutating func readNumber() -> UInt32? { readVariable().flatMap { UInt32(exactly: $0) } }

    /// Reads a variable-length integer that counts elements.
    mutating func readCount() -> Int? {
        readVariable().flatMap { $0 <= UInt64(Int32.max) ? Int($0) : nil }
    }

    /// Reads a variable-length count, then as many bytes.
    mutating func readVariableBytes() -> UnsafeRawBufferPointer? {
        readCount().flatMap { readBytes($0) }
    }
}

extension ByteBuffer {
    /// Appends a count of four bytes and the bytes.
    func append(block: UnsafeRawBufferPointer) {
        append(little: UInt32(block.count))
        append(block)
    }

    func append(block text: String) {
        var text = text
        text.withUTF8 { append(block: UnsafeRawBufferPointer($0)) }
    }

    /// Appends an integer with seven bits a byte, lowest first.
    func append(variable value: UInt64) {
        var value = value
        while value >= 0x80 {
            append(UInt8(truncatingIfNeeded: value) | 0x80)
            value >>= 7
        }
        append(UInt8(value))
    }
}
