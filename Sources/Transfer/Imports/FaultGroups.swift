import HoldfastObjectJSON

/// Equal faults of the lines of an import, counted together.
///
/// Faults are equal if they have the same code and the same column or member, and their texts differ only in quoted
/// text and in numbers. Memory: at most ``countMax`` groups.
package struct FaultGroups: Sendable {
    /// The lines that have a fault.
    package struct Group: Sendable {
        /// The fault of the first line.
        package fileprivate(set) var first: ImportReport.LineFault
        /// The number of lines.
        package fileprivate(set) var lineCount: Int
        fileprivate var lastLine: Int
    }

    private struct Key: Hashable {
        var code: String
        var column: Int?
        var member: String?
        var words: String
    }

    /// The number of groups; faults of other kinds are only counted.
    package static let countMax = 100

    private var groups: [Key: Group] = [:]
    /// The number of faults that are in no group.
    package private(set) var restCount = 0

    /// Makes an empty list.
    package init() {}

    /// The groups, by their first lines.
    package var list: [Group] {
        groups.values.sorted {
            ($0.first.line, $0.first.fault.column ?? 0, $0.first.fault.detail)
                < ($1.first.line, $1.first.fault.column ?? 0, $1.first.fault.detail)
        }
    }

    /// Adds a fault of a line.
    ///
    /// - `lineCount`: The number of lines that have equal faults, of which this is the first.
    /// - `shown`: Makes the fault that is shown if it is the first one of its group.
    package mutating func add(
        _ fault: RequestFault.Entry, line: Int, lineCount: Int = 1,
        _ shown: () -> RequestFault.Entry
    ) {
        let key = Key(
            code: fault.code, column: fault.column, member: fault.pointer.map(Self.member),
            // The text tells the kind of value that was found.
            words: fault.code == "wrong-type" ? "" : Self.words(fault.detail))
        guard var group = groups[key] else {
            guard groups.count < Self.countMax else { return restCount += 1 }
            groups[key] = Group(
                first: ImportReport.LineFault(line: line, fault: shown()), lineCount: lineCount,
                lastLine: line)
            return
        }
        // A line may have the fault in several elements of a list.
        if group.lastLine != line { group.lineCount += lineCount }
        group.lastLine = line
        // Lines that waited for others come last.
        if line < group.first.line {
            group.first = ImportReport.LineFault(line: line, fault: shown())
        }
        groups[key] = group
    }

    /// A pointer without the positions in lists.
    private static func member(_ pointer: String) -> String {
        pointer.split(separator: "/").filter { !$0.utf8.allSatisfy(isDigit) }
            .joined(separator: "/")
    }

    /// A text without its quoted part, from the first quote to the last one, and without digits.
    private static func words(_ text: String) -> String {
        let bytes = text.utf8
        let quote = UInt8(ascii: "'")
        guard let first = bytes.firstIndex(of: quote), let last = bytes.lastIndex(of: quote) else {
            return String(decoding: bytes.filter { !isDigit($0) }, as: UTF8.self)
        }
        let rest = Array(bytes[..<first]) + Array(bytes[last...])
        return String(decoding: rest.filter { !isDigit($0) }, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }
}

extension FaultGroups.Group {
    /// The lines, the column or member, and the fault of the first line, such as `1,842 lines, column 'Umsatz €', first
    /// line 3: '9.429,59' is not a number. (wrong-type)`.
    package var text: String {
        let fault = first.fault
        let hint = fault.hint.map { " Did you mean '\($0)'?" } ?? ""
        let end = "\(hint) (\(fault.code))"
        // That of a CSV text names its line and column itself.
        let line = "Line \(first.line)"
        if fault.detail.hasPrefix(line) {
            if lineCount == 1 { return fault.detail + end }
            let (place, detail) = Self.parts(fault.detail.dropFirst(line.count))
            return "\(lineCountText) lines\(place), first line \(first.line)\(detail)\(end)"
        }
        let place = fault.pointer.map { $0.isEmpty ? "" : " at \($0)" } ?? ""
        let lines =
            lineCount == 1
            ? "line \(first.line)\(place)"
            : "\(lineCountText) lines\(place), first line \(first.line)"
        return "\(lines): \(fault.detail)\(end)"
    }

    /// The column in the text of a fault, and the text from the colon on.
    private static func parts(_ text: Substring) -> (place: Substring, detail: Substring) {
        let isNamed = text.hasPrefix(", column '")
        var rest = text
        while let colon = rest.firstIndex(of: ":") {
            if !isNamed || text[..<colon].hasSuffix("'") {
                return (text[..<colon], text[colon...])
            }
            rest = rest[rest.index(after: colon)...]
        }
        return ("", text)
    }

    /// The number of lines, with commas between thousands.
    private var lineCountText: String {
        var digits = String(lineCount)
        var position = digits.utf8.count - 3
        while position > 0 {
            digits.insert(",", at: digits.utf8.index(digits.startIndex, offsetBy: position))
            position -= 3
        }
        return digits
    }
}
