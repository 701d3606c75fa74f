import CHoldfastICU

/// The clock of a time zone, by ICU's data. One thread at a time uses it.
package final class ZoneClock {
    /// The zone's offset in a unit of time.
    private struct Unit {
        /// The number of the unit, counted from 1970.
        var number = Int64.min
        /// The offset during the whole unit; nil if it changes.
        var offset: Int64?
    }

    private let zone: OpaquePointer
    /// The units used last, by the lowest bits of their numbers.
    private var units: [Unit] = []
    private static let unitCount = 1 << 12

    /// The limit of times for ICU's calendar, in seconds from 1970: some 30,000 years in both directions.
    private static let secondsMax: Int64 = 1 << 40
    /// The binary logarithm of a unit's seconds: a unit has about twelve days, so that the units of a century are kept.
    private static let unitLog2: Int64 = 20

    /// Opens a zone by its IANA name, such as `Europe/Paris`; nil if there is no such zone.
    package init?(_ name: String) {
        var name = name
        let zone = name.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { HFZoneMake($0.baseAddress, $0.count) }
        }
        guard let zone else { return nil }
        self.zone = zone
    }

    deinit { HFZoneFree(zone) }

    /// The number of seconds by which the clock is ahead of UTC at a time in seconds since 1970. Cost: some hundred nanoseconds
    /// if the offset changes in the surrounding days, and for the first time in a unit.
    package func offset(at seconds: Int64) -> Int64 {
        let seconds = min(max(seconds, -Self.secondsMax), Self.secondsMax)
        let number = seconds >> Self.unitLog2
        if units.isEmpty { units = [Unit](repeating: Unit(), count: Self.unitCount) }
        let index = Int(number & Int64(Self.unitCount - 1))
        if units[index].number != number {
            let first = number << Self.unitLog2
            let isWhole = HFZoneNextChange(zone, first) >> Self.unitLog2 > number
            units[index] = Unit(
                number: number, offset: isWhole ? Int64(HFZoneOffset(zone, first)) : nil)
        }
        return units[index].offset ?? Int64(HFZoneOffset(zone, seconds))
    }
}
