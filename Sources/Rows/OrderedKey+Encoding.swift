import HoldfastBytes
import Glibc
import HoldfastObjectModel

extension OrderedKey {
    /// Appends a plain value or null in the encoding of ``OrderedKey``.
    ///
    /// - Returns: False, with nothing appended, for links, lists and maps.
    @discardableResult
    package static func append(_ value: Value, to buffer: ByteBuffer) -> Bool {
        if let value = InlineValue(value) {
            append(value, to: buffer)
            return true
        }
        switch value {
        case .null: appendNull(to: buffer)
        case .string(var text):
            text.withUTF8 { append(text: UnsafeRawBufferPointer($0), to: buffer) }
        case .data(let bytes): bytes.withUnsafeBytes { append(text: $0, to: buffer) }
        default: return false
        }
        return true
    }

    /// Appends a value of fixed width.
    package static func append(_ value: InlineValue, to buffer: ByteBuffer) {
        buffer.append(1 as UInt8)
        switch value.element {
        case .int: buffer.append(big: value.low ^ 1 << 63)
        case .double: buffer.append(big: orderedBits(Double(bitPattern: value.low)))
        case .float:
            let bits = UInt32(truncatingIfNeeded: value.low)
            buffer.append(big: orderedBits(Float(bitPattern: bits)))
        // Equal numbers have one key, with any number of trailing zeros.
        case .decimal: buffer.append(big: Decimal128(high: value.high, low: value.low).ordinal)
        case .date:
            buffer.append(big: value.low ^ 1 << 63)
            buffer.append(big: UInt32(truncatingIfNeeded: value.high))
        default: value.append(to: buffer)
        }
    }

    /// Appends the value of a stored scalar at `address`, or of its heap bytes for text.
    ///
    /// - `element`: Not a link and not embedded.
    /// - `bytes`: The slot's or element's bytes, or the heap bytes of a string or data value.
    package static func append(
        stored bytes: UnsafeRawBufferPointer, element: ElementStorage, to buffer: ByteBuffer
    ) {
        switch element {
        case .string, .data: append(text: bytes, to: buffer)
        case .mixed: append(MixedView(bytes), to: buffer)
        case .link, .embedded: break
        default:
            if let address = bytes.baseAddress {
                append(InlineValue(at: address, element), to: buffer)
            }
        }
    }

    /// Appends a row's value of a single scalar property, or null.
    ///
    /// - `source`: Reads the value if it is out of line, which a primary key never is.
    package static func append(
        _ field: Field, _ element: ElementStorage, _ source: (any OverflowSource)? = nil,
        to buffer: ByteBuffer
    ) {
        if field.isNull { return appendNull(to: buffer) }
        let storage = FieldStorage(.single, element)
        let bytes = source.map { field.bytes(storage, $0) } ?? field.heapOrSlot(storage)
        append(stored: bytes, element: element, to: buffer)
    }

    /// Appends null, which sorts before every value.
    package static func appendNull(to buffer: ByteBuffer) { buffer.append(0 as UInt8) }

    /// Returns a float's bits in an order that unsigned comparison keeps; NaN is 0.
    @inlinable @inline(__always)
    package static func orderedBits(_ value: Float) -> UInt32 {
        if value.isNaN { return 0 }
        // Both zeros have the same bits.
        let bits = (value + 0).bitPattern
        return bits ^ (bits >> 31 == 0 ? 1 << 31 : .max)
    }

    /// Returns a double's bits in an order that unsigned comparison keeps; NaN is 0.
    @inlinable @inline(__always)
    package static func orderedBits(_ value: Double) -> UInt64 {
        if value.isNaN { return 0 }
        // Both zeros have the same bits.
        let bits = (value + 0).bitPattern
        return bits ^ (bits >> 63 == 0 ? 1 << 63 : .max)
    }

    /// Appends the bytes of a string or data value, cut with a hash if they are long.
    package static func append(text: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        _ = append(text: text, to: buffer, byteCountMax: textByteCountMax)
    }

    /// Returns the key of a string or data value, and whether it contains the whole value.
    package static func key(text: UnsafeRawBufferPointer) -> (bytes: [UInt8], isWhole: Bool) {
        if text.count <= textByteCountMax, !text.hasZero {
            let bytes = [UInt8](unsafeByteCount: text.count + 3) { bytes in
                bytes[0] = 1
                UnsafeMutableRawBufferPointer(rebasing: bytes[1...]).copyMemory(from: text)
                bytes.storeBytes(of: 0, toByteOffset: 1 + text.count, as: UInt16.self)
            }
            return (bytes, true)
        }
        let buffer = ByteBuffer(capacity: textByteCountMax + 32)
        buffer.append(1 as UInt8)
        let isCut = append(content: text, to: buffer, byteCountMax: textByteCountMax)
        return (buffer.array, !isCut)
    }

    /// Appends the bytes of a string or data value, cut with a hash if their escaped form exceeds `byteCountMax`. Unlike keys of
    /// the storage, other keys may contain longer texts completely.
    ///
    /// - Returns: Whether the text was cut.
    package static func append(
        text: UnsafeRawBufferPointer, to buffer: ByteBuffer, byteCountMax: Int
    ) -> Bool {
        buffer.append(1 as UInt8)
        return append(content: text, to: buffer, byteCountMax: byteCountMax)
    }

    /// Appends the bytes of a string or data value, without the leading byte for not null.
    static func append(
        content text: UnsafeRawBufferPointer, to buffer: ByteBuffer, byteCountMax: Int
    ) -> Bool {
        let start = buffer.count
        if appendEscaped(text, to: buffer, byteCountMax: byteCountMax) == text.count {
            buffer.append(big: 0 as UInt16)
            return false
        }
        precondition(buffer.count - start <= byteCountMax)
        buffer.append(big: 1 as UInt16)
        let hash = SipHash128.hash(text)
        buffer.append(big: hash.high)
        buffer.append(big: hash.low)
        return true
    }

    /// Appends the beginning of every key of strings that start with `text`: a bound for prefix scans.
    ///
    /// - Returns: Whether the bound contains the whole text; otherwise matches have to be checked.
    @discardableResult
    package static func append(prefix text: UnsafeRawBufferPointer, to buffer: ByteBuffer) -> Bool {
        buffer.append(1 as UInt8)
        return appendEscaped(text, to: buffer, byteCountMax: textByteCountMax) == text.count
    }

    /// Appends the escaped bytes that fit, and returns the number of bytes of `text` that they encode.
    static func appendEscaped(
        _ text: UnsafeRawBufferPointer, to buffer: ByteBuffer, byteCountMax: Int
    ) -> Int {
        if text.count <= byteCountMax, !text.hasZero {
            buffer.append(text)
            return text.count
        }
        var room = byteCountMax
        for (position, byte) in text.enumerated() {
            let width = byte == 0 ? 2 : 1
            guard width <= room else { return position }
            room -= width
            buffer.append(byte)
            if byte == 0 { buffer.append(0xFF as UInt8) }
        }
        return text.count
    }
}

extension UnsafeRawBufferPointer {
    /// Whether one of the bytes is 0, which keys escape.
    fileprivate var hasZero: Bool {
        guard let baseAddress else { return false }
        return memchr(baseAddress, 0, count) != nil
    }
}
