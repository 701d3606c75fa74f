import CHoldfastICU

/// A regular expression in ICU's syntax, ready to test whole texts.
///
/// One thread at a time uses it. It keeps its memory from text to text.
package final class TextPattern {
    /// Why a text is no regular expression.
    package struct Fault: Error, Equatable, Sendable {
        /// The rest of a sentence.
        package var reason: String
        /// About where, in UTF-16 units from 0, if that is known.
        package var offset: Int?
    }

    /// The outcome of a test.
    package enum Outcome: Sendable {
        case no, yes
        /// The deadline passed.
        case outOfTime
        /// There is no memory for the text.
        case outOfMemory
        /// One test took too long (about a second), or too much memory (8 MiB) for the ways that it has not
        /// tried yet.
        case tooComplex
    }

    /// The most bytes of a regular expression.
    package static let byteCountMax = 16 << 10

    private let pattern: OpaquePointer

    /// Compiles a regular expression. Cost: tens of microseconds.
    package init(_ text: String, ignoresCase: Bool) throws(Fault) {
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

    /// Whether a whole text matches.
    ///
    /// - `deadlineMilliseconds`: In milliseconds of the monotonic clock.
    package func matches(_ text: UnsafeRawBufferPointer, deadlineMilliseconds: UInt64) -> Outcome {
        switch HFPatternTest(pattern, text.baseAddress, text.count, deadlineMilliseconds) {
        case HFMatchNo: .no
        case HFMatchYes: .yes
        case HFMatchTime: .outOfTime
        case HFMatchLimit: .tooComplex
        default: .outOfMemory
        }
    }
}
