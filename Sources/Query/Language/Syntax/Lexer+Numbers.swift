import HoldfastObjectModel

/// Numbers and points in time.
extension Lexer {
    /// Reads a token that begins with a digit: a point in time, a number, or digits.
    mutating func numeric() throws(QueryError) -> Token {
        if let timestamp = try calendarTimestamp() { return timestamp }
        return try number(signed: false)
    }

    /// Reads a token that begins with `+`, `-` or `.`.
    mutating func numericOrSign() throws(QueryError) -> Token {
        let start = position
        let (first, second) = (source[start], source[start + 1])
        if first == UInt8(ascii: ".") {
            if Self.isDigit(second) { return try number(signed: false) }
            position += 1
            return Token(kind: .dot, start: start, end: start + 1)
        }
        if Self.isDigit(second) || (second == UInt8(ascii: ".") && Self.isDigit(source[start + 2]))
        {
            return try number(signed: true)
        }
        for (word, kind) in [("infinity", Token.Kind.infinity), ("inf", .infinity), ("nan", .nan)]
        where source.text(start + 1, start + 1 + word.utf8.count).lowercased() == word {
            position = start + 1 + word.utf8.count
            let magnitude: Double = kind == .nan ? .nan : .infinity
            value = .double(first == UInt8(ascii: "-") ? -magnitude : magnitude)
            return Token(kind: kind, start: start, end: position)
        }
        position += 1
        return Token(
            kind: first == UInt8(ascii: "+") ? .plus : .minus, start: start, end: start + 1)
    }

    private func digitsEnd(_ offset: Int) -> Int {
        var end = offset
        while Self.isDigit(source[end]) { end += 1 }
        return end
    }

    private func refused(_ start: Int, _ end: Int, _ reason: String) -> QueryError {
        source.fault(
            .limit, "The number \(source.text(start, min(end, start + 40))) \(reason).", at: start)
    }

    private mutating func number(signed: Bool) throws(QueryError) -> Token {
        let start = position
        let digits = start + (signed ? 1 : 0)
        if !signed, source[start] == 0x30, source[start + 1] | 0x20 == UInt8(ascii: "x"),
            source[start + 2].hexadecimalValue != nil
        {
            var end = start + 2
            while source[end].hexadecimalValue != nil { end += 1 }
            guard let number = Int64(source.text(start + 2, end), radix: 16) else {
                throw refused(start, end, "does not fit into a signed 64-bit integer")
            }
            return literal(.number, .int(number), end: end)
        }
        var end = digitsEnd(digits)
        var isFloat = false
        if source[end] == UInt8(ascii: ".") {
            isFloat = true
            end = digitsEnd(end + 1)
        }
        if source[end] | 0x20 == UInt8(ascii: "e") {
            var exponent = end + 1
            if source[exponent] == UInt8(ascii: "+") || source[exponent] == UInt8(ascii: "-") {
                exponent += 1
            }
            if Self.isDigit(source[exponent]) {
                isFloat = true
                end = digitsEnd(exponent)
            }
        }
        guard isFloat else {
            let text = source.text(start, end)
            if let number = Int64(text) {
                return literal(signed ? .number : .natural, .int(number), end: end)
            }
            guard let number = Decimal128(text) else {
                throw refused(start, end, "has more than the 34 digits of a decimal128")
            }
            return literal(.float, .decimal(number), end: end)
        }
        let number = Double(source.text(start, end)) ?? 0
        guard source[end] == UInt8(ascii: "f") else {
            return literal(.float, .double(number), end: end)
        }
        return literal(.float, .float(Float(number)), end: end + 1)
    }

    /// Reads an optional sign and digits at `offset`.
    private func signedInteger(_ offset: Int) -> (value: Int64?, isNegative: Bool, end: Int)? {
        let sign = source[offset]
        let isSigned = sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+")
        let digits = isSigned ? offset + 1 : offset
        let end = digitsEnd(digits)
        guard end > digits else { return nil }
        return (Int64(source.text(offset, end)), sign == UInt8(ascii: "-"), end)
    }

    /// `T<seconds>:<nanoseconds>` at the present position, if it is longer than the identifier that ends at `identifierEnd`.
    mutating func countedTimestamp(longerThan identifierEnd: Int) throws(QueryError) -> Token? {
        let start = position
        guard source[start] == UInt8(ascii: "T"), let seconds = signedInteger(start + 1),
            source[seconds.end] == UInt8(ascii: ":"),
            let nanoseconds = signedInteger(seconds.end + 1), nanoseconds.end > identifierEnd
        else { return nil }
        guard let whole = seconds.value, let part = nanoseconds.value,
            abs(part) < 1_000_000_000, whole > Int64.min + 1
        else {
            throw source.syntaxError(
                "syntax error, a timestamp's seconds fit into 64 bits and its nanoseconds are "
                    + "below 1000000000", at: start)
        }
        guard (whole >= 0 && part >= 0) || (whole <= 0 && part <= 0) else {
            throw source.syntaxError(
                "syntax error, seconds and nanoseconds of a timestamp have the same sign",
                at: start)
        }
        return literal(.timestamp, .date(Self.timestamp(whole, part)), end: nanoseconds.end)
    }

    /// `YYYY-MM-DDThh:mm:ss[.fraction]` with `Z` or an offset such as `+02:00`; nil for another text.
    private mutating func internetTimestamp() -> Token? {
        let fields = position + 19
        guard source[position + 10] | 0x20 == UInt8(ascii: "t"), fields <= source.bytes.count else {
            return nil
        }
        var end = fields
        if source[end] == UInt8(ascii: ".") { end = digitsEnd(end + 1) }
        switch source[end] {
        case UInt8(ascii: "Z"), UInt8(ascii: "z"): end += 1
        case UInt8(ascii: "+"), UInt8(ascii: "-"): end += 6
        default: return nil
        }
        guard let time = bytes(position, end - position, Timestamp.init(rfc3339:)) else {
            return nil
        }
        return literal(.timestamp, .date(time), end: end)
    }

    /// Seconds and nanoseconds of the same sign as a timestamp with positive nanoseconds.
    private static func timestamp(_ seconds: Int64, _ nanoseconds: Int64) -> Timestamp {
        nanoseconds < 0
            ? Timestamp(seconds: seconds - 1, nanoseconds: Int32(nanoseconds + 1_000_000_000))
            : Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    /// `Y-M-D@h:m:s[:nanoseconds]`, or with a `T` for the `@`, or a point in time by RFC 3339; nil when the
    /// text goes on otherwise.
    private mutating func calendarTimestamp() throws(QueryError) -> Token? {
        let start = position
        // The text after their digits distinguishes most numbers.
        guard source[digitsEnd(start)] == UInt8(ascii: "-") else { return nil }
        if let timestamp = internetTimestamp() { return timestamp }
        var fields: [Int64?] = []
        var offset = start
        for separators in ["-", "-", "@T", ":", ":", ""].map(\.utf8) {
            let end = digitsEnd(offset)
            guard end > offset else { return nil }
            fields.append(Int64(source.text(offset, end)))
            offset = end
            guard separators.isEmpty || separators.contains(source[offset]) else { return nil }
            if !separators.isEmpty { offset += 1 }
        }
        var nanoseconds: Int64? = 0
        if source[offset] == UInt8(ascii: ":"), let part = signedInteger(offset + 1) {
            guard !part.isNegative else {
                throw source.syntaxError(
                    "syntax error, a date's nanoseconds are not negative", at: offset + 1)
            }
            nanoseconds = part.value
            offset = part.end
        }
        let known = fields.compactMap { $0 }
        guard known.count == 6, let part = nanoseconds, part < 1_000_000_000,
            known[0] <= 1_000_000, (1...12).contains(known[1]), known[2] >= 1,
            known[2] <= Timestamp.dayCount(year: known[0], month: known[1]),
            known[3] <= 23, known[4] <= 59, known[5] <= 60
        else {
            throw source.fault(
                .syntax,
                "'\(source.text(start, min(offset, start + 60)))' is not a date: expected "
                    + "one such as 2026-11-20T06:38:58Z, or year-month-day@hour:minute:second"
                    + "[:nanoseconds], each in its range", at: start)
        }
        guard known[0] >= 1900 else {
            throw source.fault(
                .type, "Dates before 1900 are written as T<seconds>:<nanoseconds>.",
                at: start)
        }
        let seconds =
            Timestamp.days(year: known[0], month: known[1], day: known[2]) * 86_400
            + known[3] * 3600 + known[4] * 60 + known[5]
        return literal(
            .timestamp, .date(Self.timestamp(seconds, seconds < 0 ? -part : part)), end: offset)
    }
}
