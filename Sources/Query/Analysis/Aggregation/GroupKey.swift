import HoldfastObjectModel
import HoldfastRows
import HoldfastText

/// The value that the objects of a group have in common, or a calculation from it.
package struct GroupKey: Hashable, Sendable {
    /// The part of a value that counts.
    package enum Part: Hashable, Sendable {
        case value
        case date(DatePart, ClockZone)
        /// The lower bound of the interval of this width, a multiple of it, that a number lies in.
        case bucket(Value)
    }

    /// The way to the value, or to several, of which each counts in its group.
    package var path: ValuePath
    /// The part of it that counts.
    package var part: Part

    /// Reads a list such as `country.name,year(founded),bucket(score,10)`, with paths as in ``SortKey``, of which one
    /// may go through a collection.
    ///
    /// - `zone`: In which parts of dates are read.
    /// - Throws: ``QueryError`` with the column in `list`.
    package static func parse(
        list: String, zone: ClockZone, rootClass: Int, schema: RowSchema
    ) throws(QueryError) -> [GroupKey] {
        let source = SourceText(list)
        var keys: [GroupKey] = []
        for item in source.items {
            let key = try parse(item, of: source, zone, rootClass, schema)
            guard !key.path.isMany || !keys.contains(where: \.path.isMany) else {
                throw source.fault(
                    .type,
                    "Only one path of 'by' may go through a collection, and there is one already.",
                    at: item.lowerBound)
            }
            keys.append(key)
        }
        return keys
    }

    private static func parse(
        _ item: Range<Int>, of source: SourceText, _ zone: ClockZone, _ rootClass: Int,
        _ schema: RowSchema
    ) throws(QueryError) -> GroupKey {
        func path(_ range: Range<Int>) throws(QueryError) -> ValuePath {
            let path = try SortKey.key(
                range, of: source, clause: "by", root: .objects(classIndex: rootClass),
                schema: schema
            ).path
            switch path.terminal {
            case .inverse, .holder:
                throw source.fault(
                    .type,
                    "Groups can't be made by the objects of an inverse link; name one of their properties.",
                    at: range.lowerBound)
            default: return path
            }
        }
        // Behind a bracket it stands in the key of a map.
        let named = source.bytes[item].prefix { $0 != UInt8(ascii: "[") }
        guard let open = named.firstIndex(of: UInt8(ascii: "(")) else {
            return GroupKey(path: try path(item), part: .value)
        }
        let word = source.text(item.lowerBound, open)
        guard let example = examples[word] else {
            throw source.fault(
                .syntax,
                "A path, 'year(path)', 'month(path)', 'day(path)', 'hour(path)' or 'bucket(path,10)' is expected "
                    + "here.", at: item.lowerBound,
                hint: NearestName.of(word, among: examples.keys.sorted()))
        }
        let parts =
            source[item.upperBound - 1] == UInt8(ascii: ")")
            ? source.split(open + 1..<item.upperBound - 1, at: UInt8(ascii: ","), sparesKeys: true)
            : []
        let datePart = DatePart(rawValue: word)
        guard parts.count == (datePart == nil ? 2 : 1) else {
            throw source.fault(.syntax, "'\(word)' is written \(example).", at: open)
        }
        let value = try path(parts[0])
        let isDate = value.type == .scalar(.date)
        guard datePart == nil ? value.type.isNumeric : isDate else {
            throw source.fault(
                .type,
                "'\(word)' takes a \(datePart == nil ? "number" : "date"), and this is of type "
                    + "'\(value.type.name)'.", at: parts[0].lowerBound)
        }
        guard let datePart else {
            guard let width = width(source.text(parts[1]), of: value.type.storage) else {
                throw source.fault(
                    .limit, "'bucket' takes a width greater than 0 after the path.",
                    at: parts[1].lowerBound)
            }
            return GroupKey(path: value, part: .bucket(width))
        }
        return GroupKey(path: value, part: .date(datePart, zone))
    }

    /// The words that may stand before a path in parentheses, and how each is written.
    private static let examples = [
        "year": "year(born)", "month": "month(born)", "day": "day(born)", "hour": "hour(born)",
        "bucket": "bucket(score,10)",
    ]

    private static func width(_ text: String, of storage: ElementStorage) -> Value? {
        if storage == .decimal {
            return Decimal128(text).flatMap { width in
                width.kind == .finite && !width.isNegative && width.coefficient > 0
                    ? .decimal(width) : nil
            }
        }
        if storage == .int, let width = Int64(text) { return width > 0 ? .int(width) : nil }
        // Swift reads hexadecimal doubles, too.
        guard !text.utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "x") }),
            let width = Double(text), width > 0, width.isFinite
        else { return nil }
        return .double(width)
    }
}

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
            (0...23).contains(hours), (0...59).contains(minutes), bytes[1] >= 0x30, bytes[4] >= 0x30
        else { return nil }
        self = .offset((hours * 60 + minutes) * (sign == 0x2D ? -60 : 60))
    }
}
