import HoldfastObjectJSON
import HoldfastObjectModel

/// The types of the columns of a CSV text, and the options by which an import reads them.
///
/// All columns have the same decimal sign and the same further words, so the columns are looked at together.
struct CellGuess {
    private let sample: CSVSample
    /// The form that options state.
    private let stated: CSVForm
    /// The numbers of each column.
    private let numbers: [CellNumbers]
    /// The cells of each column that are not blank, without the blanks around them.
    private let values: [[String]]
    /// The options that fit.
    private(set) var reading: ProposedReading
    /// Whether a column has decimal points that no other sign explains.
    private let hasPointColumn: Bool

    /// Looks at a sample.
    ///
    /// - Throws: ``RequestFault`` when the time is over.
    init(
        _ sample: CSVSample, stated form: CSVForm, _ names: ColumnNames, _ time: GuessTime
    ) throws(RequestFault) {
        self.sample = sample
        stated = form
        var values: [[String]] = []
        var numbers: [CellNumbers] = []
        for column in sample.columns {
            try time.check()
            let trimmed = column.cells.compactMap { $0.map(Self.trimmed) }
            values.append(trimmed.filter { !$0.isEmpty })
            numbers.append(CellNumbers(values[values.count - 1]))
        }
        self.values = values
        self.numbers = numbers
        let pointCount = numbers.count(where: { $0.needsPoint })
        let commaCount = numbers.count(where: { $0.needsComma })
        hasPointColumn = pointCount > 0
        reading = ProposedReading(format: .csv, names: names)
        reading.delimiter = sample.delimiter
        reading.encoding = sample.encoding
        reading.hasDecimalComma =
            form.hasDecimalComma || (commaCount > 0 && commaCount >= pointCount)
        reading.setWords(trueWord: form.trueWord, falseWord: form.falseWord)
        if let dates = form.dates { reading.dateFormats.append((nil, dates.format)) }
    }

    /// Guesses a column.
    ///
    /// - `index`: Its position in the sample.
    mutating func property(_ index: Int, named name: String) -> GuessedProperty {
        let column = sample.columns[index]
        var property = GuessedProperty(
            name: name, sourceName: column.name, type: .single(.scalar(.string)))
        let found = find(index, name)
        property.clauses.append(found.clause)
        property.type = .single(.scalar(found.scalar))
        let isText = found.scalar == .string
        // Quotes with nothing between them are a text, and null for other types.
        let presentCount =
            isText ? column.cells.count(where: { $0 != nil }) : values[index].count
        property.isPresent = presentCount == column.cells.count
        property.isOptional = !property.isPresent || values[index].isEmpty
        if property.isOptional, !values[index].isEmpty {
            property.clauses.append(
                GuessWords.some(
                    column.cells.count - presentCount, of: column.cells.count, "cells", "is empty",
                    "are empty") + ", so it is optional")
        }
        switch found.scalar {
        case .string: property.keyTexts = column.cells.compactMap { $0 }
        case .int where reading.hasDecimalComma:
            property.keyTexts = values[index].map { CellNumbers.pointed($0) }
        case .uuid: property.keyTexts = values[index].map { $0.lowercased() }
        case .objectID: property.keyTexts = IdentifierForms.objectIDs(ofCells: values[index])
        case .int: property.keyTexts = values[index]
        default: break
        }
        return property
    }

    // MARK: Types

    /// A type, and its reason.
    private struct Found {
        let scalar: ScalarType
        let clause: String

        init(_ scalar: ScalarType, _ clause: String) {
            self.scalar = scalar
            self.clause = clause
        }
    }

    private mutating func find(_ index: Int, _ name: String) -> Found {
        let cells = values[index]
        let count = cells.count
        guard count > 0 else {
            return Found(.string, "no cell has a value, so it is an optional string")
        }
        if let found = bool(cells) { return found }
        if let found = date(statedFor: index, name) { return found }
        if let found = number(index) { return found }
        if IdentifierForms.areUUIDs(cells) {
            return Found(.uuid, GuessWords.all(count, "a UUID", "UUIDs"))
        }
        if IdentifierForms.objectIDs(ofCells: cells) != nil {
            return Found(.objectID, GuessWords.all(count, "an object id", "object ids"))
        }
        if let found = date(index, name) { return found }
        return Found(.string, TextReason.clause(cells))
    }

    private mutating func bool(_ cells: [String]) -> Found? {
        if WordPair.all(cells, areStatedIn: stated) {
            return Found(.bool, GuessWords.all(cells.count, "a truth value", "truth values"))
        }
        guard let pair = WordPair.of(cells), reading.adopt(pair) else { return nil }
        return Found(
            .bool,
            GuessWords.all(
                cells.count, "'\(pair.trueWord)' or '\(pair.falseWord)'",
                "'\(pair.trueWord)' or '\(pair.falseWord)'")
        )
    }

    private func number(_ index: Int) -> Found? {
        let numbers = numbers[index]
        let cells = values[index]
        guard let scalar = reading.hasDecimalComma ? numbers.comma : numbers.point else {
            guard numbers.comma != nil, numbers.mayHaveGroupCommas else { return nil }
            return Found(.string, Self.doubt(cells, ",", "before decimals"))
        }
        if scalar == .int, let word = TextReason.codeWord(in: sample.columns[index].name) {
            return Found(
                .string,
                "'\(word)' in its name stands for codes, whose zeros in front a number would lose"
            )
        }
        // Without another column that shows the sign, a point of a spreadsheet with semicolons may stand between thousands.
        if !reading.hasDecimalComma, !hasPointColumn, numbers.isAmbiguous,
            sample.delimiter != UInt8(ascii: ",")
        {
            return Found(.string, Self.doubt(cells, ".", "between thousands"))
        }
        if scalar == .int {
            return Found(.int, GuessWords.all(cells.count, "a whole number", "whole numbers"))
        }
        let sign = reading.hasDecimalComma ? "comma" : "point"
        return Found(
            .double,
            GuessWords.all(
                cells.count, "a number with a decimal \(sign)",
                "numbers, some with a decimal \(sign)")
        )
    }

    /// The reason for numbers with a sign of two meanings.
    ///
    /// - `meaning`: Where it stands if the numbers have decimal commas.
    private static func doubt(_ cells: [String], _ sign: Character, _ meaning: String) -> String {
        let example = cells.first { $0.contains(sign) } ?? ""
        return
            "the '\(sign)' of \(GuessWords.quoted(example)) may stand between thousands or before decimals, so it is "
            + "a string; state decimalComma if it stands \(meaning)"
    }

    // MARK: Dates

    /// The type by a form of dates that an option states for the column, or for all.
    private mutating func date(statedFor index: Int, _ name: String) -> Found? {
        let column = sample.columns[index]
        let own = stated.columnDates[column.name] ?? stated.columnDates[column.property]
        guard let format = own ?? stated.dates, DateForms.all(values[index], are: format) else {
            return nil
        }
        if own != nil { reading.dateFormats.append((name, format.format)) }
        return Found(.date, dateClause(index, format.format))
    }

    private mutating func date(_ index: Int, _ name: String) -> Found? {
        let cells = values[index]
        // A stated form is that of all columns without one of their own.
        if stated.dates == nil, DateForms.areRFC3339(cells) {
            return Found(
                .date, GuessWords.all(cells.count, "a date of RFC 3339", "dates of RFC 3339"))
        }
        let formats = DateForms.fitting(cells)
        guard let format = formats.first else { return nil }
        guard formats.count == 1 else {
            let texts = formats.map { "'\($0)'" }.joined(separator: " and ")
            return Found(
                .string,
                "each value is a date in the formats \(texts), so it is a string; state one as dateFormat "
                    + "to have a date"
            )
        }
        reading.dateFormats.append((name, format))
        return Found(.date, dateClause(index, format))
    }

    private func dateClause(_ index: Int, _ format: String) -> String {
        GuessWords.all(
            values[index].count, "a date in the format '\(format)'",
            "dates in the format '\(format)'")
    }

    /// A text without the blanks around it, as an import reads cells of other types than strings.
    private static func trimmed(_ text: String) -> String {
        Array(text.utf8).withUnsafeBytes {
            String(decoding: CSVConverter.trimmed($0), as: UTF8.self)
        }
    }
}
