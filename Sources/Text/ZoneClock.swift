import CICU

/// The clock of a time zone, by ICU's data. One thread at a time uses it.
package final class ZoneClock {
    private let zone: OpaquePointer
    /// Seconds since 1970 that ICU's calendar is asked for: some 30,000 years to either side.
    private static let secondsMax: Int64 = 1 << 40

    /// Opens a zone by its IANA name, such as `Europe/Paris`; nil where there is none of that name.
    package init?(_ name: String) {
        var name = name
        let zone = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { HFZoneMake($0.baseAddress, $0.count) }
        }
        guard let zone else { return nil }
        self.zone = zone
    }

    deinit { HFZoneFree(zone) }

    /// By how many seconds the clock is ahead of UTC at a time in seconds since 1970. Cost: some hundred nanoseconds.
    package func offset(at seconds: Int64) -> Int64 {
        Int64(HFZoneOffset(zone, min(max(seconds, -Self.secondsMax), Self.secondsMax)))
    }
}
