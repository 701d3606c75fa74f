import CHoldfastICU

/// A compiled regular expression in ICU's syntax, for testing whole texts.
///
/// One thread at a time uses it. It keeps its memory from text to text.
package final class TextPattern {
    /// The reason why a text is not a regular expression.
    package struct Fault: Error, Equatable, Sendable {
        /// The rest of a sentence.
        package var reason: String
        /// The approximate position of the fault, in UTF-16 units from 0, if it is known.
        package var offset: Int?
    }

    /// The outcome of a test.
    package enum Outcome: Sendable {
        case no, yes
        /// The test was stopped by `mayContinue`.
        case stopped
        /// There is not enough memory for the text.
        case outOfMemory
        /// One test took too long (about a second), or too much memory (8 MiB) for its untried alternatives.
        case tooComplex
    }

    /// The maximum size of a regular expression, in bytes.
    package static let byteCountMax = 16 << 10

    /// The maximum total of ``effort(of:ignoresCase:)`` for expressions that are compiled together: some 100 to 200 ms.
    package static let effortMax = 3_200

    /// Estimates the effort of compiling an expression beyond its length, in units of about 30 µs, from its text. The estimate is
    /// rather too high than too low. Classes of many characters cost most, and more if case is ignored, because each character
    /// then equals others.
    package static func effort(of text: String, ignoresCase: Bool) -> Int {
        let bytes = Array(text.utf8)
        func byte(_ offset: Int) -> UInt8 { offset < bytes.count ? bytes[offset] : 0 }
        var (classCount, otherCount, depth, index) = (0, 0, 0, 0)
        var folds = ignoresCase
        while index < bytes.count {
            let next = byte(index + 1)
            switch bytes[index] {
            case UInt8(ascii: "\\"):
                let isClass = depth > 0 ? "pPNwWdDsShHvVRXxuU" : "pPN"
                if isClass.utf8.contains(next) { classCount += 1 }
                index += 1
            case UInt8(ascii: "["):
                depth += 1
                if next == UInt8(ascii: "^") || next == UInt8(ascii: ":") { classCount += 1 }
            case UInt8(ascii: "]"): depth = max(0, depth - 1)
            case UInt8(ascii: "-") where depth > 0 && next >= 0x80: classCount += 1
            case UInt8(ascii: "{"): otherCount += 1
            case UInt8(ascii: "(") where next == UInt8(ascii: "?"):
                if byte(index + 2) == UInt8(ascii: "<") { otherCount += 1 }
                var flag = index + 2
                while byte(flag) == UInt8(ascii: "-") || (0x61...0x7A).contains(byte(flag)) {
                    if byte(flag) == UInt8(ascii: "i") { folds = true }
                    flag += 1
                }
            default: break
            }
            index += 1
        }
        return classCount * (folds ? 100 : 1) + otherCount
    }

    private let pattern: OpaquePointer
    private let mayContinue: () -> Bool

    /// Compiles a regular expression. Cost: tens of microseconds; milliseconds for long ones with character properties.
    ///
    /// - `mayContinue`: Returns whether a test may continue. It is called every ten thousand steps of a test, some milliseconds.
    ///   It may block.
    package init(
        _ text: String, ignoresCase: Bool, mayContinue: @escaping () -> Bool = { true }
    ) throws(Fault) {
        self.mayContinue = mayContinue
        var fault = HFPatternFault()
        var text = text
        let made = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                HFPatternMake($0.baseAddress, $0.count, ignoresCase, &fault)
            }
        }
        guard let made else {
            throw Fault(
                reason: fault.reason.map { String(cString: $0) } ?? "",
                offset: fault.offset < 0 ? nil : Int(fault.offset))
        }
        pattern = made
    }

    deinit { HFPatternFree(pattern) }

    /// Tests whether the whole text matches.
    package func matches(_ text: UnsafeRawBufferPointer) -> Outcome {
        let own = Unmanaged.passUnretained(self).toOpaque()
        let match = HFPatternTest(
            pattern, text.baseAddress, text.count,
            { context in
                guard let context else { return false }
                return Unmanaged<TextPattern>.fromOpaque(context).takeUnretainedValue()
                    .mayContinue()
            }, own)
        return switch match {
        case HFMatchNo: .no
        case HFMatchYes: .yes
        case HFMatchStopped: .stopped
        case HFMatchLimit: .tooComplex
        default: .outOfMemory
        }
    }
}
