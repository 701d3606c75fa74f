import Glibc

/// A point in time: seconds since 1970-01-01T00:00:00Z, rounded down, and nanoseconds since then.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Whole seconds since the epoch, rounded towards the past.
    public var seconds: Int64
    /// Nanoseconds after `seconds`, from 0 to 999,999,999.
    public var nanoseconds: Int32

    /// Makes a timestamp from its parts; `nanoseconds` must be in its range.
    @inlinable public init(seconds: Int64, nanoseconds: Int32) {
        self.seconds = seconds
        self.nanoseconds = nanoseconds
    }

    /// Returns the present time of the system's real-time clock.
    package static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: Int32(time.tv_nsec))
    }

    /// Earlier comes first.
    @inlinable public static func < (a: Timestamp, b: Timestamp) -> Bool {
        (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
    }
}

extension Timestamp {
    /// Days since 1970-01-01 of a date of the proleptic Gregorian calendar.
    ///
    /// The year is taken to begin in March, so that the leap day is its last day.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns the whole days since 1970 of a time in seconds, and the remaining seconds.
    package static func days(seconds: Int64) -> (days: Int64, rest: Int64) {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        return rest < 0 ? (days - 1, rest + 86_400) : (days, rest)
    }

    /// Returns the calendar date of a number of days since 1970-01-01.
    package static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }

    /// Returns the number of days of a month.
    package static func dayCount(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The first second of the year 0000. RFC 3339 has no earlier years.
    package static let secondsMin = days(year: 0, month: 1, day: 1) * 86_400
    /// The first second after the year 9999, the last year of RFC 3339.
    package static let secondsEnd = days(year: 10_000, month: 1, day: 1) * 86_400

    /// Reads an RFC 3339 date-time with any offset and up to nine decimals.
    ///
    /// A time that is outside the years 0000…9999 in UTC, because of its offset or a leap second, is refused: its text could not
    /// be read again.
    ///
    /// A leap second (`:60`) is read as the following second. More than nine decimals are refused, because they would be lost.
    package init?(rfc3339 text: UnsafeRawBufferPointer) {
        var position = 0
        func digits(_ count: Int) -> Int64? {
            guard position + count <= text.count else { return nil }
            var value: Int64 = 0
            for _ in 0..<count {
                let byte = text[position]
                guard byte >= 48, byte <= 57 else { return nil }
                value = value * 10 + Int64(byte - 48)
                position += 1
            }
            return value
        }
        func skip(_ expected: Unicode.Scalar...) -> Bool {
            guard position < text.count else { return false }
            let byte = text[position]
            guard expected.contains(where: { UInt8(ascii: $0) == byte }) else { return false }
            position += 1
            return true
        }
        guard let year = digits(4), skip("-"), let month = digits(2), (1...12).contains(month),
            skip("-"), let day = digits(2), day >= 1,
            day <= Self.dayCount(year: year, month: month), skip("T", "t", " "),
            let hour = digits(2), hour <= 23, skip(":"), let minute = digits(2), minute <= 59,
            skip(":"), let second = digits(2), second <= 60
        else { return nil }
        var nanoseconds: Int64 = 0
        if skip(".") {
            let start = position
            while position < text.count, text[position] >= 48, text[position] <= 57 {
                guard position - start < 9 else { return nil }
                nanoseconds = nanoseconds * 10 + Int64(text[position] - 48)
                position += 1
            }
            guard position > start else { return nil }
            for _ in (position - start)..<9 { nanoseconds *= 10 }
        }
        var offset: Int64 = 0
        if !skip("Z", "z") {
            let isWest = skip("-")
            guard isWest || skip("+"), let hours = digits(2), hours <= 23, skip(":"),
                let minutes = digits(2), minutes <= 59
            else { return nil }
            offset = (hours * 60 + minutes) * (isWest ? -60 : 60)
        }
        guard position == text.count else { return nil }
        let days = Self.days(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        guard seconds >= Self.secondsMin, seconds < Self.secondsEnd else { return nil }
        self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// Passes the RFC 3339 form in UTC to `emit`, without trailing zeros of the decimals.
    ///
    /// Years outside 0000…9999 are written with a sign and at least four digits.
    package func writeRFC3339(_ emit: (UInt8) -> Void) {
        func write(_ value: Int64, width: Int) {
            var divisor: Int64 = 1
            for _ in 1..<width { divisor *= 10 }
            while value / divisor >= 10 { divisor *= 10 }
            while divisor > 0 {
                emit(UInt8(48 + value / divisor % 10))
                divisor /= 10
            }
        }
        let (days, rest) = Self.days(seconds: seconds)
        let (year, month, day) = Self.date(days: days)
        if year < 0 { emit(UInt8(ascii: "-")) } else if year > 9999 { emit(UInt8(ascii: "+")) }
        write(abs(year), width: 4)
        emit(UInt8(ascii: "-"))
        write(month, width: 2)
        emit(UInt8(ascii: "-"))
        write(day, width: 2)
        emit(UInt8(ascii: "T"))
        write(rest / 3600, width: 2)
        emit(UInt8(ascii: ":"))
        write(rest / 60 % 60, width: 2)
        emit(UInt8(ascii: ":"))
        write(rest % 60, width: 2)
        if nanoseconds != 0 {
            emit(UInt8(ascii: "."))
            var value = nanoseconds
            var divisor: Int32 = 100_000_000
            while value > 0 {
                emit(UInt8(48 + value / divisor))
                value %= divisor
                divisor /= 10
            }
        }
        emit(UInt8(ascii: "Z"))
    }
}

extension Timestamp: CustomStringConvertible {
    /// The RFC 3339 form in UTC.
    public var description: String { String(writtenBy: writeRFC3339) }
}
