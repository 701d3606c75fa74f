import HoldfastBytes

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
