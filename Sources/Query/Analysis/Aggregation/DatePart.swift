import HoldfastObjectModel

/// A part of a date that objects are grouped by. Raw values are the words of a list of paths.
package enum DatePart: String, Hashable, Sendable, CaseIterable {
    case year
    /// From 1 to 12.
    case month
    /// The day of the month, from 1.
    case day
    /// From 0 to 23.
    case hour

    /// The part of a time in seconds since 1970 by the clock that is meant.
    func value(at seconds: Int64) -> Int64 {
        let (days, rest) = Timestamp.days(seconds: seconds)
        return switch self {
        case .year: Timestamp.date(days: days).year
        case .month: Timestamp.date(days: days).month
        case .day: Timestamp.date(days: days).day
        case .hour: rest / 3600
        }
    }
}
