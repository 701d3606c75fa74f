import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A class that is proposed for a file, with the options by which an import takes the file, and the reasons.
///
/// Equal samples give equal proposals. A value that its property would not keep stays a string.
package struct ClassProposal: Sendable {
    /// The reason for a property.
    package struct Reason: Sendable {
        /// The class of the property.
        package let className: String
        /// The property; nil for a column that is left out.
        package let property: String?
        /// The name in the text where it differs; nil where it is the same.
        package let name: String?
        /// A sentence.
        package let text: String
    }

    /// The class.
    package let objectClass: ObjectClass
    /// The embedded classes that the class needs and the store lacks, in the order in which they are put.
    package let embedded: [ObjectClass]
    /// The options of the import.
    package let reading: ProposedReading
    /// The reason for each property.
    package let reasons: [Reason]
    /// The objects of the sample.
    package let objectCount: Int
    /// The objects of the sample that could not be read.
    package let faultCount: Int
    /// Whether the sample is the whole file.
    package let isWhole: Bool
    /// Sentences about the file and the import.
    package let notes: [String]

    /// Proposes a class.
    ///
    /// - `read`: A view of the store, whose classes links may lead to; nil for no store.
    /// - Throws: ``RequestFault`` for a text that can't be read, a name that no class may have, and a store that can't be read.
    package init(
        of sample: GuessSample, _ options: GuessOptions, _ read: ReadTransaction?
    ) throws(RequestFault) {
        let schema = read?.rows.definition ?? Schema()
        try options.check()
        try sample.refuseArchive()
        var draft = ProposalDraft(options, schema, GuessTime(read))
        switch options.form ?? sample.form {
        case .csv: try draft.take(csv: sample)
        case .json: try draft.take(json: sample, isFeatures: false)
        case .geoJSON: try draft.take(json: sample, isFeatures: true)
        }
        if let read {
            var links = LinkGuess(read, besides: options.className)
            do throws(StoreError) { try draft.link(&links) } catch { throw RequestFault(error) }
        }
        draft.finish()
        objectClass = draft.objectClass
        embedded = draft.embedded.classes
        reading = draft.reading
        reasons = draft.reasons
        objectCount = draft.objectCount
        faultCount = draft.faults.count
        isWhole = !draft.isCut
        notes = draft.notes
        try Self.check(schema, embedded, objectClass)
    }

    /// Makes sure that a store takes the classes beside its own.
    private static func check(
        _ schema: Schema, _ embedded: [ObjectClass], _ objectClass: ObjectClass
    ) throws(RequestFault) {
        let proposed = embedded + [objectClass]
        let others = schema.classes.filter { known in
            !proposed.contains { $0.name.isSame(as: known.name) }
        }
        let faults = Schema(classes: others + proposed).faults().filter { fault in
            fault.className == nil || proposed.contains { $0.name == fault.className }
        }
        guard let fault = faults.first else { return }
        throw RequestFault(
            .invalid, "no-class", "No class fits the sample as it is: \(fault.detail)")
    }
}
