extension UInt8 {
    /// The value of a hexadecimal digit; nil for other bytes.
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension String {
    /// Makes a text of the bytes that `write` passes, one after the other.
    init(writtenBy write: (_ emit: (UInt8) -> Void) -> Void) {
        var bytes: [UInt8] = []
        write { bytes.append($0) }
        self.init(decoding: bytes, as: UTF8.self)
    }
}

/// Reads hexadecimal digits as two numbers, the first of sixteen digits; nil for any other text.
///
/// - `dashes`: A bit for the position of each dash.
private func numbers(
    _ text: UnsafeRawBufferPointer, dashes: UInt64
) -> (high: UInt64, low: UInt64)? {
    var (high, low): (UInt64, UInt64) = (0, 0)
    var count = 0
    for (index, byte) in text.enumerated() {
        if dashes >> UInt64(index) & 1 == 1 {
            guard byte == UInt8(ascii: "-") else { return nil }
            continue
        }
        guard let digit = byte.hexadecimalValue else { return nil }
        if count < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
        count += 1
    }
    return (high, low)
}

private let digits: StaticString = "0123456789abcdef"

/// Writes the `count` lowest bytes of `number` as hexadecimal digits, highest first.
private func append(_ number: UInt64, byteCount: Int, _ emit: (UInt8) -> Void) {
    var shift = byteCount * 8 - 4
    while shift >= 0 {
        emit(digits.utf8Start[Int(number >> UInt64(shift) & 15)])
        shift -= 4
    }
}

extension ObjectID {
    /// Reads 24 hexadecimal digits of either case.
    package init?(text: UnsafeRawBufferPointer) {
        guard text.count == 24, let (high, low) = numbers(text, dashes: 0) else { return nil }
        self.init(high: high, low: UInt32(truncatingIfNeeded: low))
    }

    /// Passes the 24 lower-case digits to `emit`, one after the other.
    package func writeText(_ emit: (UInt8) -> Void) {
        append(high, byteCount: 8, emit)
        append(UInt64(low), byteCount: 4, emit)
    }
}

extension UUID128 {
    /// Reads the 8-4-4-4-12 form in either case.
    package init?(text: UnsafeRawBufferPointer) {
        guard text.count == 36,
            let (high, low) = numbers(text, dashes: 1 << 8 | 1 << 13 | 1 << 18 | 1 << 23)
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Passes the 36 characters of the lower-case form to `emit`, one after the other.
    package func writeText(_ emit: (UInt8) -> Void) {
        let dash = UInt8(ascii: "-")
        append(high >> 32, byteCount: 4, emit)
        emit(dash)
        append(high >> 16 & 0xFFFF, byteCount: 2, emit)
        emit(dash)
        append(high & 0xFFFF, byteCount: 2, emit)
        emit(dash)
        append(low >> 48, byteCount: 2, emit)
        emit(dash)
        append(low & 0xFFFF_FFFF_FFFF, byteCount: 6, emit)
    }
}

extension ObjectID: CustomStringConvertible {
    /// 24 lower-case hexadecimal digits.
    public var description: String { String(writtenBy: writeText) }
}

extension UUID128: CustomStringConvertible {
    /// The lower-case 8-4-4-4-12 form.
    public var description: String { String(writtenBy: writeText) }
}
