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
    /// The delivered properties of each object; nil for the whole store, which delivers every property.
    let selection: FieldSelection?
    /// The projection that shows the objects, if one does.
    let projection: CompiledProjection?
    /// The properties that decide whether an update is reported: a projection's or the key paths'; nil for all.
    let compared: FieldSelection?
    /// The followed property, if the stream follows a single one.
    let property: ObservedProperty?
    /// The followed result, if the stream follows one as a whole.
    let result: CheckedResult?
    /// Whether the result is followed as a whole. Only events can report that.
    package var isResult: Bool { result != nil }
    /// The visibility through which the events of a step are written; nil if they contain only values as they are stored.
    let showing: Visibility?
    /// The name of the followers' view. Their cursors work only for this view. Empty if they may read everything.
    package let viewMark: String

    /// - `visibility`: The visibility of its followers.
    init(
        definition: StreamDefinition, names: SchemaNames, observed: ObservedQuery,
        selection: FieldSelection?, projection: CompiledProjection?, compared: FieldSelection?,
        property: ObservedProperty? = nil, result: CheckedResult? = nil,
        for visibility: Visibility? = nil
    ) {
        viewMark = visibility?.mark ?? ""
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
        showing = observed.showsStored && isStored ? nil : observed.visibility
    }

    /// Makes the writer of objects of a view into a buffer, as the followers are shown them.
    func makeWriter(
        to buffer: ByteBuffer, of read: ReadTransaction, _ limits: ServiceLimits
    ) -> ObjectWriter {
        ObjectWriter(buffer, names, read, limits, quotesLargeInts: definition.quotesLargeInts)
    }

    /// The class name of the followed outbox; empty for every other target.
    var className: String {
        if case .outbox(let name) = definition.target { name } else { "" }
    }

    /// Whether a catch-up has to find out, for each changed object, how much of it the user saw.
    var judgesMissed: Bool { observed.visibility != nil && className.isEmpty }

    /// Whether changes include schema changes that invalidate the client's state. The schema of the shown values, and of the
    /// values that the filter and the rules read, counts.
    func isReset(by changes: FoldedChanges) -> Bool {
        let shapes = changes.changedShapes
        if shapes.isEmpty { return false }
        return observed.readsChangedShape(in: changes)
            || (projection?.isShown(byAny: shapes.projections) ?? false) || shows(shapes)
    }

    /// Whether it shows, or compares, a changed part of the schema.
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

    /// Whether objects that are shown completely may have lost a link, because its target class is now unknown to the user.
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

    /// Whether it was checked for the schema of a view and for the view's principals.
    package func isChecked(for read: ReadTransaction) -> Bool {
        names.schema.identity == read.rows.identity && isOf(read)
    }

    /// Whether it was checked for the principals of a view.
    func isOf(_ read: ReadTransaction) -> Bool { viewMark == read.visibility?.mark ?? "" }

    /// Returns this stream for a view. It is checked again only if the view has another schema or another principal.
    ///
    /// - Throws: ``RequestFault`` as ``StreamDefinition/checked(_:_:for:)``.
    func under(
        _ read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> CheckedStream {
        if isChecked(for: read) { return self }
        let checked = try definition.checked(
            served.names(of: read.rows), served.limits, for: read.visibility)
        let budget = RequestScratch.current.budget
        checked.observed.prepare(within: budget)
        // Conditions that are not prepared in time would be prepared on the feed's thread.
        if let failure = budget.failure { throw .givenUp(failure, served.limits) }
        return checked
    }

    /// The text of a cursor for its followers.
    func text(of cursor: StreamCursor) -> String { cursor.text(of: viewMark) }

    /// The text of the cursor from which a client of events resumes.
    func eventText(of cursor: StreamCursor) -> String {
        cursor.eventVersion.map { self.cursor($0) } ?? StreamCursor.start.text
    }

    func cursor(_ version: StoreVersion) -> String { text(of: .after(version)) }
}
