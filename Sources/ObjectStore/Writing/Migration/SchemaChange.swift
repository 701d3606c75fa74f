import HoldfastObjectModel
import HoldfastRows
import HoldfastStorage

/// The change from a stored schema to a proposed one: the catalog that follows, the work to be done
/// before it holds, and the garbage that is left behind.
struct SchemaChange {
    /// The catalog of the proposed schema.
    let catalog: Catalog
    /// The steps, as they are reported to a client.
    let steps: [SchemaStep]
    /// The conversions of rows, by positions of classes in the present catalog; nil for a class that goes.
    let conversions: [RowConversion?]
    /// The work for each class, by its position in the present catalog.
    let works: [Int: ClassWork]
    /// The unique keys to be tested on the objects that are there already.
    let uniquenessTests: [(rowClass: RowClass, unique: UniqueKey)]
    /// The refusal of each change that only a class without objects allows, by its position in the present catalog.
    let emptinessTests: [Int: SchemaFault]
    /// The entries that ``works`` write, to be removed if the change does not come about.
    let staged: [Garbage]
    /// The entries that nothing leads to once the change has come about.
    let garbage: [Garbage]
    /// Whether anything differs.
    let isChange: Bool
    /// The changed classes and projections that the change log tells of.
    let changedShapes: ShapeChanges

    /// Compares schemas.
    ///
    /// - `record`: The record of earlier changes. Their numbers are not used again.
    /// - `repairs`: Numbers of properties. Their values are converted although they are stored alike.
    /// - Throws: ``StoreError`` `.invalidSchema`, `.invalidRenames`, `.brokenProjections` or `.unsupportedMigration`.
    init(
        from present: Catalog, to proposal: SchemaProposal,
        record: MigrationRecord = MigrationRecord(), repairs: Set<UInt32> = []
    ) throws(StoreError) {
        let faults = proposal.schema.faults()
        if !faults.isEmpty { throw .invalidSchema(faults) }
        let renameFaults = proposal.renames.faults(from: present.schema, to: proposal.schema)
        if !renameFaults.isEmpty { throw .invalidRenames(renameFaults) }
        let projections =
            proposal.projections
            ?? present.projections.map { proposal.renames.renamed($0, in: present.schema) }
        let broken = Projection.faults(of: projections, in: proposal.schema)
        if !broken.isEmpty { throw .brokenProjections(broken) }
        let comparison = SchemaComparison(from: present, to: proposal, repairs: repairs)
        if !comparison.refusals.isEmpty { throw .unsupportedMigration(comparison.refusals) }
        let proposed = proposal.schema
        isChange =
            proposed.classes != present.schema.classes || projections != present.projections
            // Two names that are swapped leave the same schema, but not the same objects.
            || !comparison.steps.isEmpty
            || proposed.schemaVersion != nil
                && proposed.schemaVersion != present.schema.schemaVersion
        var plan = CatalogPlan(comparison, record)
        plan.make()
        let revision = present.schema.revision + (isChange ? 1 : 0)
        catalog = Catalog(
            revision: revision,
            schemaVersion: proposed.schemaVersion ?? present.schema.schemaVersion,
            classes: CatalogPlan.withFillRows(plan.classes, plan.newLayouts),
            projections: projections, nextClass: plan.nextClass, nextProperty: plan.nextProperty)
        steps = comparison.steps
        changedShapes = ShapeChanges(comparison, to: catalog)
        conversions = plan.conversions(to: catalog.rows)
        works = plan.works(to: catalog.rows)
        uniquenessTests = plan.uniquenessTests(to: catalog.rows)
        emptinessTests = comparison.emptinessTests
        staged = plan.staged
        garbage = plan.garbage
    }

    /// ``conversions`` with the necessary checks: of keys if data may be lost, and of values that are stored alike, to find out
    /// whether they must be converted.
    func checks(allowsDataLoss: Bool) -> [RowConversion?] {
        guard allowsDataLoss else { return conversions }
        return conversions.map { conversion in
            guard var conversion else { return nil }
            let kept = conversion.members.compactMap { source in
                if case .kept(let member) = source { member } else { nil }
            }
            conversion.checks.removeAll { check in
                !steps[check.step].isStrict && !kept.contains(check.member)
            }
            return conversion
        }
    }

    /// Makes the faults of losses.
    ///
    /// - `counts`: The number of objects that lose something, by step.
    static func losses(_ steps: [SchemaStep], _ counts: [Int]) -> [SchemaFault] {
        zip(steps, counts).filter { $1 > 0 }.map { step, count in
            var step = step
            step.objectCount = count
            return SchemaFault(
                className: step.className, property: step.property, detail: step.lossDetail)
        }
    }
}

extension SchemaChange {
    /// Refuses to make a value unique that objects share.
    ///
    /// - `snapshot`: The snapshot that the objects are read from, by the classes of the new catalog.
    /// - `converter`: Makes the rows that `snapshot` has not got yet; nil if it has them.
    /// - `source`: Reads out-of-line values.
    /// - Throws: ``StoreError`` `.sharedValues` with a fault for each property and group.
    func testUniqueness(
        in snapshot: any StorageSnapshot, _ source: any OverflowSource,
        _ converter: RowConverter? = nil
    ) throws(StoreError) {
        var faults: [SchemaFault] = []
        for (rowClass, unique) in uniquenessTests {
            var search = DuplicateSearch(
                rowClass: rowClass, unique: unique, snapshot: snapshot, source: source)
            if let converter,
                let work = works.values.first(where: { $0.target === rowClass && $0.rewrites })
            {
                search.conversion = (work, converter)
            }
            if let fault = try search.fault() { faults.append(fault) }
        }
        if !faults.isEmpty { throw .sharedValues(faults) }
    }
}

/// A schema that is to replace the current one.
package struct SchemaProposal: Sendable {
    /// The schema; its own revision counts for nothing.
    package var schema: Schema
    /// The names that are new names of stored classes and properties.
    package var renames: SchemaRenames
    /// The projections that are wanted; nil leaves them as they are, but for renamings.
    package var projections: [Projection]?
    /// Whether values may be lost that the new schema has no room for.
    package var allowsDataLoss: Bool

    /// Makes the access document for the schema that is wanted, of the store's and the present and the wanted catalog; nil
    /// leaves it as it is. It throws if the document is not valid for the proposed schema.
    package var document:
        (@Sendable (StoredDocument, Catalog, Catalog) throws(StoreError) -> String)?

    /// Makes a proposal.
    package init(
        _ schema: Schema, renames: SchemaRenames = SchemaRenames(), allowsDataLoss: Bool = false,
        projections: [Projection]? = nil
    ) {
        self.projections = projections
        self.schema = schema
        self.renames = renames
        self.allowsDataLoss = allowsDataLoss
    }
}

/// One step from a stored schema to a proposed one.
package struct SchemaStep: Equatable, Sendable {
    /// The kinds of step. Raw values are shown to clients.
    package enum Operation: String, Sendable {
        case setSchemaVersion
        case addClass, dropClass, renameClass, changeKind, changePrimaryKey
        case addProperty, dropProperty, renameProperty
        case changeType, makeOptional, makeRequired, changeEnum, changeDefault
        case addIndex, dropIndex, addUnique, dropUnique
        case addRequired, dropRequired
        case changeOnDelete, changeMapTo
        /// Links in `mixed` values lead to a class that goes.
        case dropLinks
    }

    package var operation: Operation
    /// The class, by its new name, or by its present one when it goes; nil for the schema itself.
    package var className: String?
    /// The property in the same way; nil for a class.
    package var property: String?
    /// The present name of a class or property that is renamed.
    package var formerName: String?
    /// The class's position in the present schema; nil if it is added.
    var source: Int?
    /// Whether a loss is always refused, because keys are not invented.
    var isStrict = false
    /// The number of objects concerned: the objects that would lose something, or all objects of the class.
    package var objectCount = 0
    /// Whether something would be lost.
    package var isLossy = false

    /// A description of the loss for a client.
    package var lossDetail: String {
        let objects = objectCount == 1 ? "1 object" : "\(objectCount) objects"
        let advice =
            isStrict
            ? " Change those objects first."
            : operation == .dropClass
                ? " To lose them, repeat with allowDataLoss=true."
                : " Change them first, or repeat with allowDataLoss=true."
        let loss =
            switch operation {
            case .dropClass: "Dropping the class '\(className ?? "")' loses its \(objects)."
            case .dropProperty:
                "Dropping the property '\(property ?? "")' loses its value in \(objects)."
            case .makeRequired:
                "The property would be required, and is null in \(objects), which would get its "
                    + "default."
            case .changeEnum: "The enum would not allow the value in \(objects)."
            case .dropLinks: "The property links to removed classes in \(objects)."
            default: "The property's value does not fit its new type in \(objects)."
            }
        return loss + advice
    }
}
