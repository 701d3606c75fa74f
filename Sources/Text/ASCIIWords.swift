/// The words of a text that is all ASCII, as ICU finds them by the rules of UAX 29, many times faster.
/// A test compares the two.
enum ASCIIWords {
    /// The kind of a character in the rules.
    private enum Kind: UInt8 {
        case other, letter, digit
        /// `_`, which joins letters and digits and itself.
        case joiner
        /// `.` and `'`: within letters, and within digits.
        case middle
        /// `,` and `;`: within digits.
        case middleOfDigits
    }

    private static let kinds: [Kind] = (UInt8(0)..<128).map { byte in
        switch byte {
        case 0x30...0x39: .digit
        case 0x41...0x5A, 0x61...0x7A: .letter
        case UInt8(ascii: "_"): .joiner
        case UInt8(ascii: "."), UInt8(ascii: "'"): .middle
        case UInt8(ascii: ","), UInt8(ascii: ";"): .middleOfDigits
        default: .other
        }
    }

    /// Hands over where each word lies, until `body` returns false.
    static func forEachWord(_ text: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Bool) {
        kinds.withUnsafeBufferPointer { kinds in
            func kind(_ offset: Int) -> Kind {
                offset < text.count ? kinds[Int(text[offset] & 0x7F)] : .other
            }
            var offset = 0
            while offset < text.count {
                let start = offset
                var last = kind(offset)
                offset += 1
                guard last == .letter || last == .digit || last == .joiner else { continue }
                var isWord = last != .joiner
                while true {
                    let next = kind(offset)
                    switch next {
                    // A single `_` is no word; ICU takes several for one.
                    case .letter, .digit, .joiner: isWord = true
                    case .middle where last == .letter || last == .digit,
                        .middleOfDigits where last == .digit:
                        // It joins only where the same goes on behind it.
                        guard kind(offset + 1) == last else {
                            if isWord, !body(start..<offset) { return }
                            offset += 1
                            last = .other
                            break
                        }
                        offset += 2
                        continue
                    default:
                        if isWord, !body(start..<offset) { return }
                        last = .other
                    }
                    if last == .other { break }
                    last = next
                    offset += 1
                }
            }
        }
    }
}
