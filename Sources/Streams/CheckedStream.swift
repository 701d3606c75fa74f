import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// A change stream's definition, checked against one schema. Immutable; safe to use from any thread.
package final class CheckedStream: Sendable {
    package let definition: StreamDefinition
    package let names: SchemaNames
    package let observed: ObservedQuery
    /// The delivered properties of each object; nil for the whole store, where it is everything.
    let selection: FieldSelection?
    /// The projection that shows the objects, if one does.
    let projection: CompiledProjection?
    /// The properties whose changes alone are told of an object that stays: those of a projection, or of key
    /// paths; nil for all.
    let compared: FieldSelection?
    /// The property that alone is followed of an object, if one is.
    let property: ObservedProperty?
    /// The result that is followed as a whole, if one is.
    let result: CheckedResult?
    /// Whether the result is followed as a whole, which only events report.
    package var isResult: Bool { result != nil }
    /// The sight that a step is shown by when its events are told; nil where all of what they hold is as it is stored.
    let showing: Sight?
    /// Names the view of its followers, which cursors are of; empty where they may read everything.
    package let viewMark: String

    /// - `sight`: What its followers may read.
    init(
        definition: StreamDefinition, names: SchemaNames, observed: ObservedQuery,
        selection: FieldSelection?, projection: CompiledProjection?, compared: FieldSelection?,
        property: ObservedProperty? = nil, result: CheckedResult? = nil, for sight: Sight? = nil
    ) {
        viewMark = sight?.mark ?? ""
        self.definition = definition
        self.names = names
        self.observed = observed
        self.selection = selection
        self.projection = projection
        self.compared = compared
        self.property = property
        self.result = result
        let isOwn = [selection, compared].allSatisfy { !($0?.holdsOtherObjects ?? false) }
        let isStored = selection != nil && property == nil && result == nil && isOwn
        showing = observed.showsStored && isStored ? nil : observed.sight
    }

    /// Makes what writes objects of a view into a buffer, as its followers are shown them.
    func makeWriter(
        to buffer: ByteBuffer, of read: ReadTransaction, _ limits: ServiceLimits
    ) -> ObjectWriter {
        ObjectWriter(
            buffer, names, read, limits, quotesLargeInts: definition.quotesLargeInts)
    }

    /// The name of the class whose outbox is followed; empty for all else.
    var className: String {
        if case .outbox(let name) = definition.target { name } else { "" }
    }

    /// Whether a catch-up asks of each object that changed what a user saw of it.
    var judgesMissed: Bool { observed.sight != nil && className.isEmpty }

    /// Whether some changes include changes of the schema that make the client's state invalid: of what is shown, and of what the filter and
    /// the rules read.
    func isReset(by changes: FoldedChanges) -> Bool {
        let shapes = changes.changedShapes
        if shapes.isEmpty { return false }
        return observed.readsChangedShape(in: changes)
            || (projection?.isShown(byAny: shapes.projections) ?? false)
            || shows(shapes)
    }

    /// Whether it shows, or compares, a part that has changed.
    private func shows(_ shapes: ShapeChanges) -> Bool {
        guard let selection, result?.showsObjects ?? true else { return false }
        // A projection has its own names.
        let shown = ShownShape(selection, names, isNamed: projection == nil)
        if !shapes.renamedClasses.isEmpty && shown.hasClassNames
            || !shown.named.isDisjoint(with: shapes.renamedProperties)
        {
            return true
        }
        if losesLinks(to: shown.wholeClasses, by: shapes) { return true }
        let compared = compared.map { ShownShape($0, names, isNamed: false) }
        return [shown, compared].compactMap(\.self).contains {
            shapes.changes(anyOf: $0.properties, names.schema)
                || !$0.wholeClasses.isDisjoint(with: shapes.reducedClasses)
                || !$0.linkCountClasses.isDisjoint(with: shapes.unlinkedClasses)
        }
    }

    /// Whether objects that are shown with everything may have lost a link, since it leads to a class that is unknown to the user now.
    private func losesLinks(to wholeClasses: Set<UInt32>, by shapes: ShapeChanges) -> Bool {
        if shapes.properties.isEmpty { return false }
        return names.schema.classes.contains { rowClass in
            wholeClasses.contains(rowClass.number)
                && rowClass.unknown.positions.contains { position in
                    let member = rowClass.members[position]
                    return member.storage.element == .link
                        && shapes.properties.contains(member.number)
                }
        }
    }

    /// Whether it was checked for the schema of a view, and for those to whom that shows what it does.
    package func isChecked(for read: ReadTransaction) -> Bool {
        names.schema.identity == read.rows.identity && isOf(read)
    }

    /// Whether it was checked for those to whom a view shows what it does.
    func isOf(_ read: ReadTransaction) -> Bool { viewMark == read.sight?.mark ?? "" }

    /// The same stream for a view: checked again only where that has another schema, or is another principal's.
    ///
    /// - Throws: ``RequestFault`` as ``StreamDefinition/checked(_:_:for:)``.
    func under(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> CheckedStream {
        if isChecked(for: read) { return self }
        let checked = try definition.checked(
            served.names(of: read.rows), served.limits, for: read.sight)
        let budget = RequestScratch.current.budget
        checked.observed.prepare(within: budget)
        // Conditions that were not made in time would be made on the feed's thread.
        if let failure = budget.failure { throw .givenUp(failure, served.limits) }
        return checked
    }

    /// The text of a cursor of its followers.
    func text(of cursor: StreamCursor) -> String { cursor.text(of: viewMark) }

    /// The text of the cursor that a client of events goes on from.
    func eventText(of cursor: StreamCursor) -> String {
        cursor.eventVersion.map { self.cursor($0) } ?? StreamCursor.start.text
    }

    /// The text of the cursor behind a version.
    func cursor(_ version: StoreVersion) -> String { text(of: .after(version)) }
}
