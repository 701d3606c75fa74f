import HoldfastRESTAPI
import HoldfastTransfer

/// The options that say how the text of an import into a class is written, and its names.
enum ReadingOptions {
    static let formats = [
        Option(
            flag: "csv",
            "the text is CSV with a header line, for --class; default for a FILE *.csv or *.tsv"),
        Option(
            flag: "extended-json",
            "the text is MongoDB's extended JSON, as mongoexport writes it, for --class"),
        Option(
            flag: "geojson",
            "the text is GeoJSON, as lists are given out, for --class; default for a FILE *.geojson"
        ),
    ]

    static let all = [
        Option(
            "map", "NAME=PROPERTY", "import a column or member as this property; repeatable",
            isRepeatable: true),
        Option(
            "skip", "NAME", "a column or member that is left out; repeatable", isRepeatable: true),
        Option("delimiter", "CHARACTER|tab", "the separator between cells of CSV", fallback: ","),
        Option(
            "encoding", "utf-8|windows-1252", "the encoding of CSV, such as a German spreadsheet's",
            fallback: "utf-8"),
        Option(
            flag: "decimal-comma",
            "numbers in CSV have a decimal comma, and points between thousands"),
        Option(
            "date-format", "FORMAT|COLUMN=FORMAT",
            "how dates in CSV are written, such as '%d.%m.%Y %H:%M'; repeatable",
            fallback: "RFC 3339", isRepeatable: true),
        Option("true", "WORD", "a further text for true in CSV, such as 'ja'"),
        Option("false", "WORD", "a further text for false in CSV, such as 'nein'"),
    ]

    /// The format that a file's name shows, if it shows one, and whether it is CSV with tabs.
    static func format(ofFile path: String) -> (format: ImportOptions.Format?, hasTabs: Bool) {
        let lowercased = path.lowercased()
        let name = lowercased.hasSuffix(".gz") ? String(lowercased.dropLast(3)) : lowercased
        if name.hasSuffix(".tsv") { return (.csv, true) }
        let isGeoJSON = [".geojson", ".geojsonl", ".geojsons"].contains { name.hasSuffix($0) }
        return (name.hasSuffix(".csv") ? .csv : isGeoJSON ? .geoJSON : nil, false)
    }

    /// The format that an option states; nil without one.
    ///
    /// - `others`: Further options that state a format.
    /// - Throws: A usage failure for several.
    static func format(
        _ arguments: Arguments, besides others: [String] = []
    ) throws(CommandFailure) -> ImportOptions.Format? {
        let formats = ImportOptions.Format.allCases.filter {
            $0.option.map { arguments.has($0) } ?? false
        }
        let stated = formats.compactMap(\.option) + others.filter { arguments.has($0) }
        guard stated.count < 2 else {
            throw .usage("--\(stated[0]) does not go with --\(stated[1])")
        }
        return formats.first
    }

    /// Reads the options into the options of an import, whose format is known.
    ///
    /// - Throws: A usage failure for values that are wrong, contradict each other or do not go with the format.
    static func read(
        _ arguments: Arguments, into options: inout ImportOptions
    ) throws(CommandFailure) {
        if let text = arguments.text("delimiter") {
            guard let byte = CSVForm.delimiter(text) else {
                throw .usage("--delimiter is \(CSVForm.delimiterText), not '\(text)'")
            }
            options.csv.delimiter = byte
        }
        options.csv.encoding = try arguments.choice("encoding", .utf8)
        options.csv.hasDecimalComma = arguments.has("decimal-comma")
        for text in arguments.texts("date-format") where !options.csv.addDates(text) {
            throw .usage("--date-format is \(CSVForm.datesText), not '\(text)'")
        }
        for (name, value) in [("true", true), ("false", false)] {
            guard let text = arguments.text(name), !options.csv.setWord(text, for: value) else {
                continue
            }
            throw .usage("--\(name) is \(CSVForm.wordText), not '\(text)'")
        }
        for text in arguments.texts("map") where !options.names.map(text) {
            throw .usage("--map is NAME=PROPERTY, for each name once, not '\(text)'")
        }
        for text in arguments.texts("skip") { options.names.skip(text) }
        if let name = options.names.contradiction {
            throw .usage("--map renames '\(name)', and --skip leaves it out: give one of them")
        }
        if options.misplaced != nil {
            throw .usage(
                "--delimiter, --encoding, --decimal-comma, --date-format, --true and --false are for CSV (--csv), "
                    + "--map and --skip for it, --extended-json and --geojson")
        }
    }
}

extension TargetQuery {
    /// Adds the options, as parameters of an operation that takes the text; the delimiter is left out.
    mutating func addReading(_ arguments: Arguments, _ format: ImportOptions.Format) {
        for text in arguments.texts("map") { add("map", text) }
        for text in arguments.texts("skip") { add("skip", text) }
        guard format == .csv else { return }
        if let encoding = arguments.text("encoding") { add("encoding", encoding) }
        if arguments.has("decimal-comma") { add("decimalComma", "true") }
        for format in arguments.texts("date-format") { add("dateFormat", format) }
        if let word = arguments.text("true") { add("trueWord", word) }
        if let word = arguments.text("false") { add("falseWord", word) }
    }
}
