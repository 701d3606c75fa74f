import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The treatment of an import's lines, and its bounds.
package struct ImportOptions: Sendable {
    /// The rights of the importing user; nil for all rights.
    package var rights: ImportRights?
    /// The format of the text of an import into a class.
    package enum Format: CaseIterable, Sendable {
        /// One JSON object a line.
        case ndjson
        /// A header with property names, and one object a record.
        case csv
        /// MongoDB's extended JSON: one object a line, or an array of objects.
        case extendedJSON
        /// Features of GeoJSON: a FeatureCollection, or one Feature a line.
        case geoJSON

        /// The media type of the text.
        package var mediaType: String {
            switch self {
            case .ndjson: "application/x-ndjson"
            case .csv: "text/csv"
            case .extendedJSON: "application/x-ndjson; profile=extended-json"
            case .geoJSON: "application/geo+json"
            }
        }

        /// The option of the command without its dashes; nil for the default.
        package var option: String? {
            switch self {
            case .ndjson: nil
            case .csv: "csv"
            case .extendedJSON: "extended-json"
            case .geoJSON: "geojson"
            }
        }
    }

    /// The format of the text; a whole store's is always NDJSON.
    package var format = Format.ndjson
    /// The form of a CSV text's cells.
    package var csv = CSVForm()
    /// The names of columns and members where they are not the class's own.
    package var names = ColumnNames()
    /// Whether members that a class has not are left out and counted; else their line is faulty.
    package var ignoresUnknown = false
    /// The treatment of lines of existing and of missing objects.
    package var mode = WriteMode.create
    /// Whether the import is one transaction, which takes all lines or no line.
    package var isAtomic = false
    /// The limits of use cases. An import observes the limits of lines, faults, text rate and JSON, and
    /// creates the file of waiting lines in the configured folder.
    package var limits = ServiceLimits()
    /// Whether the report has equal faults together, as ``FaultGroups``.
    package var groupsFaults = false
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

    /// An option that does not go with the text's format, by the name of its parameter, and where it goes; nil when all fit.
    package var misplaced: (name: String, detail: String)? {
        if format != .csv {
            let plain = CSVForm()
            let names = [
                ("delimiter", csv.delimiter != plain.delimiter),
                ("encoding", csv.encoding != plain.encoding),
                ("decimalComma", csv.hasDecimalComma),
                ("dateFormat", csv.dates != nil || !csv.columnDates.isEmpty),
                ("trueWord", csv.trueWord != nil), ("falseWord", csv.falseWord != nil),
            ]
            if let (name, _) = names.first(where: \.1) {
                return (name, "'\(name)' is for CSV (Content-Type: text/csv).")
            }
        }
        if format == .ndjson, !names.isEmpty {
            let name = names.skipped.isEmpty ? "map" : "skip"
            return (
                name, "'\(name)' is for CSV, extended JSON and GeoJSON, not for NDJSON."
            )
        }
        return nil
    }

    package static let modes: [WriteMode] = [.create, .merge, .replace, .ignore]
}

/// Restricts an import to the rights of its user. Any thread may use it.
package struct ImportRights: Sendable {
    private let caller: Caller
    private let served: ServedStore

    /// Makes the rights of a caller; nil where they may do everything.
    package init?(of caller: Caller, in served: ServedStore) {
        guard caller.visibility != nil else { return nil }
        self.caller = caller
        self.served = served
    }

    /// The catalog of the last commit, and the user's view of it: a schema with the names that the user knows.
    ///
    /// - Throws: ``RequestFault`` if the user's rights can't be evaluated, or the store can't be read.
    func known() throws(RequestFault) -> (
        catalog: Catalog, rows: RowSchema, visibility: Visibility?
    ) {
        try served.withRead(for: caller) { read in (read.catalog, read.rows, read.visibility) }
    }

    /// Restricts a transaction to the rights, before it changes anything.
    ///
    /// - Throws: ``StoreError`` `.refused` if the user's rights can't be evaluated.
    func keep(_ transaction: WriteTransaction) throws(StoreError) {
        try caller.keep(transaction, in: served)
    }

    /// The fault of a failed transaction or line. Details that clients do not get are reported to the operator.
    func fault(_ error: StoreError) -> RequestFault { served.fault(error) }
}

/// The names under which the members or columns of an import's text stand where they are not the class's own.
package struct ColumnNames: Sendable, Equatable {
    /// The property of each name that stands for one.
    package var properties: [ExactText: String] = [:]
    /// The names that are left out.
    package private(set) var skipped: Set<ExactText> = []

    /// Makes names that are the class's own.
    package init() {}

    /// Whether each name stands for itself.
    package var isEmpty: Bool { properties.isEmpty && skipped.isEmpty }

    /// Leaves a name out.
    package mutating func skip(_ name: String) { skipped.insert(name) }

    /// Adds `name=property`; false for a text of another form, and for a name that was added before.
    package mutating func map(_ text: some StringProtocol) -> Bool {
        guard let equals = text.lastIndex(of: "=") else { return false }
        let name = String(text[..<equals])
        let property = String(text[text.index(after: equals)...])
        guard !name.isEmpty, !property.isEmpty, properties[name] == nil else { return false }
        properties[name] = property
        return true
    }

    /// Whether a name stands for a property, or is left out.
    func names(_ name: String) -> Bool { properties[name] != nil || skipped.contains(name) }

    /// A name that both stands for a property and is left out, which is a contradiction; nil if no name does.
    package var contradiction: String? { skipped.texts.first { properties[$0] != nil } }

    /// The property that a name stands for; nil when it is left out.
    func property(_ name: String) -> String? {
        skipped.contains(name) ? nil : properties[name] ?? name
    }
}
