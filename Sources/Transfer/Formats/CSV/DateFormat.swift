import CHoldfastTime
import Glibc
import HoldfastObjectModel

/// A form of dates in the conversions of strptime(3), such as `%d.%m.%Y %H:%M`.
///
/// Dates are UTC unless `%z` gives their offset. Decimals of a second may follow where the form ends with them.
package struct DateFormat: Sendable, Equatable {
    /// The bytes that a form may have.
    package static let byteCountMax = 64

    /// The rule for a form, for messages.
    package static let text =
        "a form of strptime(3) with one year and at most \(byteCountMax) bytes, such as '%d.%m.%Y' or '%Y-%m-%d %H:%M:%S'"

    /// The form as it was stated.
    let format: String
    /// The part of the form in front of a year with its century; nil for other years.
    private let beforeYear: String?

    /// Takes a form; nil for one that has not exactly one conversion with a year, is too long or holds a null byte.
    package init?(_ format: String) {
        let years = Self.conversions(format).filter { "YyFDcxs".utf8.contains($0.letter) }
        guard format.utf8.count <= Self.byteCountMax, !format.utf8.contains(0),
            years.count == 1, let year = years.first
        else { return nil }
        self.format = format
        beforeYear =
            switch year.letter {
            case UInt8(ascii: "Y"), UInt8(ascii: "F"): year.before
            case UInt8(ascii: "c"): year.before + "%a %b %e %H:%M:%S "
            default: nil
            }
    }

    /// Reads a date; nil for a text of another form and for a day that no calendar has.
    package func date(_ text: UnsafeRawBufferPointer) -> Timestamp? {
        guard text.count <= 4 * Self.byteCountMax, !text.contains(0) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        return string.withCString { start in
            var time = tm()
            time.tm_mday = 1
            guard let rest = shim_parse_time(start, format, &time),
                let nanoseconds = Self.decimals(String(cString: rest))
            else { return nil }
            // The C library takes `26` for the year 26, which is written with its century.
            if let beforeYear {
                var ignored = tm()
                guard let year = shim_parse_time(start, beforeYear, &ignored), Self.isYear(year)
                else { return nil }
            }
            // The C library moves the 31st of April to May.
            let year = Int64(time.tm_year) + 1900
            let month = Int64(time.tm_mon) + 1
            guard (0...9999).contains(year), Int64(time.tm_mday) >= 1,
                Int64(time.tm_mday) <= Timestamp.dayCount(year: year, month: month)
            else { return nil }
            let days = Timestamp.days(year: year, month: month, day: Int64(time.tm_mday))
            let seconds =
                days * 86_400 + Int64(time.tm_hour) * 3600 + Int64(time.tm_min) * 60
                + Int64(time.tm_sec) - Int64(time.tm_gmtoff)
            guard seconds >= Timestamp.secondsMin, seconds < Timestamp.secondsEnd else {
                return nil
            }
            return Timestamp(seconds: seconds, nanoseconds: nanoseconds)
        }
    }

    /// The nanoseconds that stand behind a date, such as `.25`; nil for anything else.
    private static func decimals(_ text: String) -> Int32? {
        if text.isEmpty { return 0 }
        let digits = text.dropFirst()
        guard text.first == "." || text.first == ",", (1...9).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (48...57).contains($0) })
        else { return nil }
        return Int32(digits + String(repeating: "0", count: 9 - digits.utf8.count))
    }

    /// The conversions of a form, each with the part of the form in front of it.
    private static func conversions(_ format: String) -> [(before: String, letter: UInt8)] {
        let bytes = Array(format.utf8)
        var found: [(String, UInt8)] = []
        var start = 0
        while let percent = bytes[start...].firstIndex(of: UInt8(ascii: "%")) {
            // Flags, and the modifiers of other calendars, which the C locale has not.
            guard
                let end = bytes[(percent + 1)...].firstIndex(where: { !"-_0^#EO".utf8.contains($0) }
                )
            else { break }
            found.append((String(decoding: bytes[..<percent], as: UTF8.self), bytes[end]))
            start = end + 1
        }
        return found
    }

    /// Whether a text begins with the four digits of a year.
    private static func isYear(_ text: UnsafePointer<CChar>) -> Bool {
        var position = 0
        while text[position] == 0x20 { position += 1 }
        // The text ends with a null byte, which is no digit.
        return (position..<(position + 4)).allSatisfy { (0x30...0x39).contains(text[$0]) }
    }
}
