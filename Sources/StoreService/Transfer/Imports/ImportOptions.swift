import HoldfastObjectStore

/// The treatment of an import's lines, and its bounds.
package struct ImportOptions: Sendable {
    /// The rights of the user whom it is made for; nil for everything.
    package var rights: ImportRights?
    /// The format of the text of an import into a class.
    package enum Format: Sendable {
        /// One JSON object a line.
        case ndjson
        /// A header with property names, and one object a record.
        case csv
        /// MongoDB's extended JSON: one object a line, or an array of objects.
        case extendedJSON
    }

    /// The format of the text; a whole store's is always NDJSON.
    package var format = Format.ndjson
    /// The form of a CSV text's cells.
    package var csv = CSVForm()
    /// The names of columns and members where they are not the class's own.
    package var names = ColumnNames()
    /// Whether members that a class has not are left out and counted; else their line is faulty.
    package var ignoresUnknown = false
    /// The treatment of a line whose object is or isn't there.
    package var mode = WriteMode.create
    /// Whether all lines are taken or none, in one transaction.
    package var isAtomic = false
    /// The limits of use cases: an import keeps those of its lines and faults, of the rate of its text and of JSON, and
    /// makes the file of lines that wait where they say.
    package var limits = ServiceLimits()
    /// How many faults the report lists; all are counted.
    package var faultCountMax = 1000
    /// A transaction takes lines until it has so many bytes of text …
    package var chunkByteCount = 2 << 20
    /// … or so many lines.
    package var chunkLineCount = 8192
    /// The bytes of lines that wait in memory for objects of later lines; more go to a file.
    package var deferredByteCountMax = 32 << 20
    /// The lines of an atomic import, which are one transaction.
    package var atomicLineCountMax = 100_000
    /// The bytes of an atomic import, which waits in memory.
    package var atomicByteCountMax = 256 << 20

    /// Told when the header of a whole store has changed the schema or the projections.
    package var noteSchemaChange: (@Sendable () -> Void)?

    /// Makes the defaults.
    package init() {}

    /// An option that does not go with the text's format, by the name of its parameter, and where it goes; nil when
    /// all fit.
    package var misplaced: (name: String, detail: String)? {
        if format != .csv {
            let plain = CSVForm()
            let names = [
                ("delimiter", csv.delimiter != plain.delimiter),
                ("decimalComma", csv.hasDecimalComma), ("dateFormat", csv.dates != nil),
            ]
            if let (name, _) = names.first(where: \.1) {
                return (name, "'\(name)' is for CSV (Content-Type: text/csv).")
            }
        }
        if format == .ndjson, !names.isEmpty {
            let name = names.skipped.isEmpty ? "map" : "skip"
            return (name, "'\(name)' is for CSV and for extended JSON, not for NDJSON.")
        }
        return nil
    }

    /// The modes that an import takes.
    package static let modes: [WriteMode] = [.create, .merge, .replace, .ignore]
}
