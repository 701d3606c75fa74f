import HoldfastText

/// The zone in which parts of dates are read.
package enum ClockZone: Hashable, Sendable {
    /// A fixed number of seconds ahead of UTC.
    case offset(Int64)
    /// A zone by its IANA name.
    case named(String)

    /// Reads `Z`, an offset such as `+02:00`, or a name such as `Europe/Paris`; nil for others.
    package init?(_ text: String) {
        if text == "Z" {
            self = .offset(0)
            return
        }
        let bytes = Array(text.utf8)
        // A plus in a URL that is not escaped arrives as a blank.
        guard let sign = bytes.first, sign == 0x2B || sign == 0x2D || sign == 0x20 else {
            guard !bytes.contains(0), ZoneClock(text) != nil else { return nil }
            self = .named(text)
            return
        }
        guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
            let hours = Int64(String(decoding: bytes[1...2], as: UTF8.self)),
            let minutes = Int64(String(decoding: bytes[4...5], as: UTF8.self)),
            (0...23).contains(hours), (0...59).contains(minutes), bytes[1] >= 0x30,
            bytes[4] >= 0x30
        else { return nil }
        self = .offset((hours * 60 + minutes) * (sign == 0x2D ? -60 : 60))
    }
}
