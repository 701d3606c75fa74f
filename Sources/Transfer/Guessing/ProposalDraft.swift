import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore

/// A proposal on its way: the properties as they are guessed, and then their keys and links.
struct ProposalDraft {
    private let options: GuessOptions
    private let schema: Schema
    private let time: GuessTime
    private var properties: [GuessedProperty] = []
    private var skipped: [ClassProposal.Reason] = []
    private var primaryKey: String?
    private(set) var embedded: EmbeddedClasses
    private(set) var reading: ProposedReading
    private(set) var objectCount = 0
    private(set) var faults = SampleFaults()
    private(set) var isCut = false
    private(set) var notes: [String] = []

    init(_ options: GuessOptions, _ schema: Schema, _ time: GuessTime) {
        self.options = options
        self.schema = schema
        self.time = time
        embedded = EmbeddedClasses(options.className, in: schema)
        reading = ProposedReading(format: .ndjson, names: options.names)
    }

    // MARK: CSV

    /// Takes the columns of a sample.
    mutating func take(csv sample: GuessSample) throws(RequestFault) {
        let columns = try CSVSample.read(
            sample, options.csv, options.names, hasDelimiter: options.hasDelimiter, time)
        (objectCount, faults, isCut) = (columns.recordCount, columns.faults, columns.isCut)
        if columns.encoding != options.csv.encoding {
            notes.append(
                "The text is not UTF-8, so it is read as Windows-1252. Look whether its letters are right."
            )
        }
        var guess = try CellGuess(columns, stated: options.csv, options.names, time)
        let kept = try keptColumns(columns.columns)
        try Self.check(kept.count)
        let names = propertyNames(kept.map { columns.columns[$0].property })
        for (index, name) in zip(kept, names) {
            try time.check()
            properties.append(guess.property(index, named: name))
        }
        let own = reading
        reading = guess.reading
        for name in own.names.skipped.texts { reading.skip(name) }
        for (index, name) in zip(kept, names) where name != columns.columns[index].property {
            reading.map(columns.columns[index].name, to: name)
        }
    }

    /// The positions of the columns that become properties. Columns with neither a name nor values are left out.
    ///
    /// - Throws: ``RequestFault`` for values that no import could tell apart by a name.
    private mutating func keptColumns(_ columns: [CSVSample.Column]) throws(RequestFault) -> [Int] {
        var kept: [Int] = []
        var positions: [ExactText: Int] = [:]
        for (index, column) in columns.enumerated() {
            let isEmpty = column.cells.allSatisfy { $0?.isEmpty ?? true }
            if column.name.isEmpty, isEmpty {
                reading.skip("")
                skipped.append(
                    ClassProposal.Reason(
                        className: options.className, property: nil, name: "",
                        text:
                            "Column \(index + 1) has neither a name nor values, so it is left out.")
                )
                continue
            }
            if column.name.isEmpty {
                throw Self.unnamed(
                    index, "has values and no name: give it one in the first line of the file")
            }
            if let other = positions[column.property] {
                throw Self.unnamed(
                    index,
                    "has the name '\(RequestFault.shown(column.property))' of column \(other + 1): rename one in the "
                        + "file, or leave both out (skip)")
            }
            positions[column.property] = index
            kept.append(index)
        }
        return kept
    }

    private static func unnamed(_ index: Int, _ detail: String) -> RequestFault {
        .single(
            .invalid, "unknown-column", "Column \(index + 1) \(detail).", column: index + 1)
    }

    // MARK: JSON

    /// Takes the objects of a sample.
    ///
    /// - `isFeatures`: Whether it is sure to be GeoJSON.
    mutating func take(json sample: GuessSample, isFeatures: Bool) throws(RequestFault) {
        let objects = try JSONSample.read(
            sample, isFeatures: isFeatures, depthMax: options.depthMax, time)
        (objectCount, faults, isCut) = (objects.objects.count, objects.faults, objects.isCut)
        let members = SampleMembers.collect(objects.objects).filter {
            options.names.property($0.name) != nil
        }
        try Self.check(members.count)
        let names = propertyNames(members.map { options.names.property($0.name) ?? $0.name })
        var guess = ValueGuess(embedded, time)
        for (member, name) in zip(members, names) {
            properties.append(
                try guess.property(member, named: name, of: objectCount, owner: options.className))
            if name != options.names.property(member.name) { reading.map(member.name, to: name) }
        }
        embedded = guess.embedded
        if objects.isFeatures {
            reading.format = .geoJSON
            nameGeometry()
        } else {
            // NDJSON has neither other names, nor objects in an array or over several lines.
            let isExtended = objects.isExtended || !reading.names.isEmpty
            reading.format = isExtended ? .extendedJSON : .ndjson
        }
    }

    /// Names the property of the geometry, which is the class's only point unless an option says otherwise.
    private mutating func nameGeometry() {
        guard let own = properties.first(where: { $0.sourceName == Feature.geometryName }),
            own.name == Feature.geometryName, !embedded.isPoint(own.type),
            properties.count(where: { embedded.isPoint($0.type) }) == 1
        else { return }
        reading.map(Feature.geometryName, to: own.name)
    }

    // MARK: Names

    /// Makes sure that a class may have so many properties.
    private static func check(_ propertyCount: Int) throws(RequestFault) {
        guard propertyCount > ModelLimits.propertyCountMax else { return }
        throw RequestFault(
            .invalid, "no-class",
            "The sample has \(GuessWords.number(propertyCount)) names, and a class has at most "
                + "\(GuessWords.number(ModelLimits.propertyCountMax)) properties. Leave some out (skip)."
        )
    }

    /// The names of properties for names of the text. Names that are valid stay as they are.
    private func propertyNames(_ texts: [String]) -> [String] {
        var names = PropertyNames()
        var found: [String?] = texts.map { PropertyNames.isValid($0) ? names.name(for: $0) : nil }
        for (index, text) in texts.enumerated() where found[index] == nil {
            found[index] = names.name(for: text)
        }
        return found.compactMap { $0 }
    }

    // MARK: Keys and links

    /// Finds links to classes of the store.
    mutating func link(_ links: inout LinkGuess) throws(StoreError) {
        for index in properties.indices { try links.find(&properties[index]) }
    }

    /// Chooses the primary key and the indexes, and says what an import has to know.
    mutating func finish() {
        primaryKey = KeyGuess.primaryKey(&properties, of: options.className, objectCount)
        KeyGuess.addIndexes(&properties, besides: primaryKey)
        if isCut {
            notes.append(
                "Only the first \(GuessWords.number(objectCount)) objects were read. Values of later objects may be of "
                    + "other types: the import reports them.")
        }
        if faults.count > 0, let first = faults.first {
            notes.append(
                "\(GuessWords.number(faults.count)) objects could not be read. The first fault is: \(first)"
            )
        }
        if primaryKey == nil {
            notes.append(
                "No property is sure to be a primary key, so each import makes new objects.")
        }
        if schema.objectClass(named: options.className) != nil {
            notes.append(
                "The store has a class '\(options.className)': to put this one changes it.")
        }
    }

    /// The class.
    var objectClass: ObjectClass {
        ObjectClass(
            name: options.className, primaryKey: primaryKey,
            properties: properties.map(\.property))
    }

    /// The reasons for the properties of the class, for columns that are left out, and for the properties of embedded classes.
    var reasons: [ClassProposal.Reason] {
        let own = properties.map { property -> ClassProposal.Reason in
            let hasOwnName = property.sourceName.isSame(as: property.name)
            return ClassProposal.Reason(
                className: options.className, property: property.name,
                name: hasOwnName ? nil : property.sourceName, text: property.reason)
        }
        return own + skipped + embedded.reasons
    }
}
