import HoldfastJSON
import HoldfastObjectModel

/// The options with which an import takes a file into the proposed class.
package struct ProposedReading: Sendable {
    /// The format of the text.
    package internal(set) var format: ImportOptions.Format
    var delimiter = UInt8(ascii: ",")
    var encoding = TextEncoding.utf8
    var hasDecimalComma = false
    /// The forms of dates, each of a property, or for nil of all others.
    var dateFormats: [(property: String?, format: String)] = []
    private(set) var trueWord: String?
    private(set) var falseWord: String?
    /// The names that options give to columns and members, completed with the names that are no property's.
    private(set) var names: ColumnNames

    init(format: ImportOptions.Format, names: ColumnNames) {
        self.format = format
        self.names = names
    }

    // MARK: Names

    /// Gives a name of the text a property of another name.
    mutating func map(_ name: String, to property: String) { names.properties[name] = property }

    /// Leaves a name of the text out.
    mutating func skip(_ name: String) { names.skip(name) }

    /// The names that stand for properties, as `name=property`.
    private var maps: [String] {
        names.properties.texts.map { "\($0)=\(names.properties[$0] ?? "")" }
    }

    // MARK: Words

    /// Sets the words that options state.
    mutating func setWords(trueWord: [UInt8]?, falseWord: [UInt8]?) {
        self.trueWord = trueWord.map { String(decoding: $0, as: UTF8.self) }
        self.falseWord = falseWord.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Has the import know the words of a column; false if another column has other words.
    mutating func adopt(_ pair: WordPair) -> Bool {
        func isFree(_ word: String?, _ present: String?) -> Bool {
            word == nil || present == nil || present?.lowercased() == word
        }
        guard isFree(pair.trueOption, trueWord), isFree(pair.falseOption, falseWord),
            trueWord?.lowercased() != pair.falseWord, falseWord?.lowercased() != pair.trueWord
        else { return false }
        trueWord = pair.trueOption ?? trueWord
        falseWord = pair.falseOption ?? falseWord
        return true
    }

    // MARK: Forms of the options

    /// The options of an import, completed with those that fit.
    package func applied(to options: ImportOptions) -> ImportOptions {
        var options = options
        options.format = format
        options.names = names
        guard format == .csv else { return options }
        options.csv = CSVForm()
        options.csv.delimiter = delimiter
        options.csv.encoding = encoding
        options.csv.hasDecimalComma = hasDecimalComma
        for text in dateTexts { _ = options.csv.addDates(text) }
        if let trueWord { _ = options.csv.setWord(trueWord, for: true) }
        if let falseWord { _ = options.csv.setWord(falseWord, for: false) }
        return options
    }

    private var dateTexts: [String] {
        dateFormats.map { dates in (dates.property.map { "\($0)=" } ?? "") + dates.format }
    }

    private var delimiterText: String {
        delimiter == UInt8(ascii: "\t") ? "tab" : String(decoding: [delimiter], as: UTF8.self)
    }

    /// A parameter of the import's query, or an option of the command.
    private struct Parameter {
        /// The name of the parameter.
        let name: StaticString
        /// The option of the command.
        let option: String
        /// The values. A parameter that is a flag has none.
        let values: [String]
        var isFlag = false
        var isList = false
    }

    /// The parameters that differ from their defaults.
    private var parameters: [Parameter] {
        var found: [Parameter] = []
        if format == .csv {
            if delimiter != UInt8(ascii: ",") {
                found.append(
                    Parameter(name: "delimiter", option: "--delimiter", values: [delimiterText]))
            }
            if encoding != .utf8 {
                found.append(
                    Parameter(name: "encoding", option: "--encoding", values: [encoding.rawValue]))
            }
            if hasDecimalComma {
                found.append(
                    Parameter(
                        name: "decimalComma", option: "--decimal-comma", values: [], isFlag: true))
            }
            found.append(
                Parameter(
                    name: "dateFormat", option: "--date-format", values: dateTexts, isList: true))
            for (name, option, word) in [
                ("trueWord", "--true", trueWord), ("falseWord", "--false", falseWord),
            ] as [(StaticString, String, String?)] {
                guard let word else { continue }
                found.append(Parameter(name: name, option: option, values: [word]))
            }
        }
        found.append(Parameter(name: "map", option: "--map", values: maps, isList: true))
        found.append(
            Parameter(name: "skip", option: "--skip", values: names.skipped.texts, isList: true))
        return found.filter { $0.isFlag || !$0.values.isEmpty }
    }

    /// The query of an import's target with its question mark, or an empty text.
    ///
    /// - `encode`: Percent-encodes a value.
    package func query(_ encode: (String) -> String) -> String {
        let pairs = parameters.flatMap { parameter in
            (parameter.isFlag ? ["true"] : parameter.values).map { value in
                "\(parameter.name)=\(encode(value))"
            }
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }

    /// The options of `holdfast import`, each word by itself.
    package var commandOptions: [String] {
        var words = format.option.map { ["--" + $0] } ?? []
        for parameter in parameters {
            if parameter.isFlag { words.append(parameter.option) }
            for value in parameter.values { words += [parameter.option, value] }
        }
        return words
    }

    /// Writes the options by the names of the import's parameters.
    func writeParameters(to writer: JSONWriter) {
        writer.object { object in
            for parameter in parameters {
                let value = object.member(parameter.name)
                if parameter.isFlag {
                    value.bool(true)
                } else if parameter.isList {
                    value.strings(parameter.values)
                } else {
                    value.string(parameter.values.joined())
                }
            }
        }
    }
}
