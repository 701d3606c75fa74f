/// Base64 of RFC 4648, strict: in an alphabet, every sequence of bytes has exactly one form.
package enum Base64 {
    /// The digits 62 and 63, and whether `=` pads the last group.
    package enum Alphabet: Sendable {
        /// `+` and `/`, always padded (section 4).
        case standard
        /// `-` and `_`, with or without padding (section 5).
        case url
    }

    private static let standardDigits: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    private static let urlDigits: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

    /// The mark of a byte that is not a digit; digits are below 64.
    private static let noDigit: UInt8 = 0x80
    private static let standardValues = values(of: standardDigits)
    private static let urlValues = values(of: urlDigits)

    private static func values(of digits: StaticString) -> [UInt8] {
        var values = [UInt8](repeating: noDigit, count: 256)
        for value in 0..<64 { values[Int(digits.utf8Start[value])] = UInt8(value) }
        return values
    }

    /// Appends the form of `bytes` in an alphabet: the standard one with padding, the other without.
    package static func encode(
        _ bytes: UnsafeRawBufferPointer, alphabet: Alphabet = .standard, into buffer: ByteBuffer
    ) {
        guard let source = bytes.baseAddress else { return }
        let digits = (alphabet == .standard ? standardDigits : urlDigits).utf8Start
        let start = buffer.count
        buffer.appendZeros((bytes.count + 2) / 3 * 4)
        var out = (buffer.base + start).assumingMemoryBound(to: UInt8.self)
        func emit(_ group: UInt32, digitCount: Int) {
            for index in 0..<4 {
                let digit = digits[Int(group >> UInt32(18 - 6 * index) & 63)]
                out[index] = index < digitCount ? digit : UInt8(ascii: "=")
            }
            out += 4
        }
        func byte(_ offset: Int) -> UInt32 {
            UInt32(source.load(fromByteOffset: offset, as: UInt8.self))
        }
        var at = 0
        while at + 3 <= bytes.count {
            emit(byte(at) << 16 | byte(at + 1) << 8 | byte(at + 2), digitCount: 4)
            at += 3
        }
        switch bytes.count - at {
        case 1: emit(byte(at) << 16, digitCount: 2)
        case 2: emit(byte(at) << 16 | byte(at + 1) << 8, digitCount: 3)
        default: break
        }
        if alphabet == .url { buffer.truncate(to: start + (bytes.count * 4 + 2) / 3) }
    }

    /// Returns the form of `bytes` in the URL alphabet.
    package static func urlText(of bytes: UnsafeRawBufferPointer) -> String {
        let text = ByteBuffer(capacity: bytes.count * 3 / 2 + 4)
        encode(bytes, alphabet: .url, into: text)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// Appends the bytes that `text` represents.
    ///
    /// - Returns: False if a character is not in the alphabet, the length or the padding is wrong, or unused bits are set; then
    ///   nothing is appended.
    package static func decode(
        _ text: UnsafeRawBufferPointer, alphabet: Alphabet, into buffer: ByteBuffer
    ) -> Bool {
        var digitCount = text.count
        if text.count % 4 == 0, text.last == UInt8(ascii: "=") {
            digitCount -= text[text.count - 2] == UInt8(ascii: "=") ? 2 : 1
        } else if alphabet == .standard, text.count % 4 != 0 {
            return false
        }
        let restDigitCount = digitCount % 4
        guard restDigitCount != 1 else { return false }
        let start = buffer.count
        let restByteCount = restDigitCount == 0 ? 0 : restDigitCount - 1
        buffer.appendZeros(digitCount / 4 * 3 + restByteCount)
        var out = (buffer.base + start).assumingMemoryBound(to: UInt8.self)
        let values = alphabet == .standard ? standardValues : urlValues
        let isValid = values.withUnsafeBufferPointer { values in
            var seen: UInt8 = 0
            func digit(_ offset: Int) -> UInt32 {
                let value = values[Int(text[offset])]
                seen |= value
                return UInt32(value)
            }
            var at = 0
            while at + 4 <= digitCount {
                let group =
                    digit(at) << 18 | digit(at + 1) << 12 | digit(at + 2) << 6 | digit(at + 3)
                out[0] = UInt8(truncatingIfNeeded: group >> 16)
                out[1] = UInt8(truncatingIfNeeded: group >> 8)
                out[2] = UInt8(truncatingIfNeeded: group)
                out += 3
                at += 4
            }
            guard restDigitCount != 0 else { return seen < noDigit }
            var group: UInt32 = 0
            while at < digitCount {
                group = group << 6 | digit(at)
                at += 1
            }
            // Two digits contain a byte and four spare bits; three digits contain two bytes and two spare bits.
            let spareBitCount = UInt32(restDigitCount == 2 ? 4 : 2)
            guard group & (1 << spareBitCount - 1) == 0 else { return false }
            group >>= spareBitCount
            for index in 0..<restByteCount {
                out[index] = UInt8(
                    truncatingIfNeeded: group >> UInt32(8 * (restByteCount - 1 - index)))
            }
            return seen < noDigit
        }
        if !isValid { buffer.truncate(to: start) }
        return isValid
    }

    /// Appends the bytes that `text` represents in either alphabet. Its lines may be broken, because clients write data in all
    /// these ways.
    ///
    /// - Returns: As ``decode(_:alphabet:into:)``.
    package static func decodeEither(
        _ text: UnsafeRawBufferPointer, into buffer: ByteBuffer
    ) -> Bool {
        if decode(text, alphabet: .standard, into: buffer)
            || decode(text, alphabet: .url, into: buffer)
        {
            return true
        }
        guard text.contains(where: isBlank) else { return false }
        // The text has lines of 64 or 76 digits, as base64(1) and openssl write them.
        let digits = ByteBuffer(capacity: text.count)
        for byte in text where !isBlank(byte) { digits.append(byte) }
        return decode(digits.bytes, alphabet: .standard, into: buffer)
            || decode(digits.bytes, alphabet: .url, into: buffer)
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x0A || byte == 0x0D || byte == 0x20 || byte == 0x09
    }

    /// Returns the bytes that `text` represents in either alphabet; nil if it is valid in neither.
    package static func decodeEither(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: text.count)
        return decodeEither(text, into: buffer) ? buffer.array : nil
    }

    /// Returns the bytes that `text` represents; nil if ``decode(_:alphabet:into:)`` fails.
    package static func decode(
        _ text: UnsafeRawBufferPointer, alphabet: Alphabet = .standard
    ) -> [UInt8]? {
        let buffer = ByteBuffer(capacity: text.count)
        return decode(text, alphabet: alphabet, into: buffer) ? buffer.array : nil
    }
}
