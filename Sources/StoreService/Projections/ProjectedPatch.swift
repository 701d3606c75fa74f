import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A patch in the names of a projection, ready to be applied to objects under one schema. One thread at a time uses
/// it.
struct ProjectedPatch {
    /// A statement of the body.
    private enum Statement {
        case merge(ProjectedChange)
        case patch(ProjectedJSONPatch)
    }

    /// A part of the body that is about one object, which was changed when the patch last ran.
    private enum Part {
        case merge(ProjectedChange)
        case patch(JSONPatch)
    }

    private let statement: Statement
    /// The `$version` that the body states.
    let version: StoreVersion?
    /// The parts that faults of a transaction's end are about; the transaction's source numbers count them.
    private var parts: [Part] = []
    /// How many source numbers of the transaction the patch has used.
    var sourceCount: Int { parts.count }

    /// The subject of a projection: the objects of a class, or the value of a property of them.
    struct Subject {
        let projection: CompiledProjection
        let rowClass: RowClass
        let member: Int?

        /// The selection of the reply.
        var selection: FieldSelection {
            member.map { projection.selection(ofMember: $0, of: rowClass) } ?? projection.selection
        }
    }

    /// Reads a patch.
    ///
    /// - `isJSONPatch`: Whether it is no merge patch.
    /// - `id`: What names the object, with which a `$id` has to agree; nil for several.
    /// - Throws: ``RequestFault`` with every fault.
    init(
        _ json: JSONValue, isJSONPatch: Bool, of subject: Subject, id: Value?,
        _ context: ObjectReadingContext
    ) throws(RequestFault) {
        guard !isJSONPatch else {
            version = nil
            statement = .patch(
                try ProjectedJSONPatch(
                    json, of: subject.rowClass, behind: subject.member, subject.projection, context
                ))
            return
        }
        let change = ProjectedChange(subject.rowClass)
        let inner =
            subject.member.map {
                change.descend(
                    $0, to: subject.projection.rowClass, at: JSONPointer(), makesObject: false)
            } ?? change
        var version: StoreVersion?
        if let inner {
            version = try ProjectedChangeReader(context.reader, context.names).read(
                json, subject.projection, into: inner, id: subject.member == nil ? id : nil)
        }
        change.finish()
        self.version = version
        statement = .merge(change)
    }

    /// Applies the patch to an object that is there. Writer's thread.
    ///
    /// - `firstSource`: The first of the transaction's source numbers that the patch may use.
    /// - Throws: ``StoreError``; nothing may be committed then.
    mutating func apply(
        to rowClass: RowClass, key: UInt64, firstSource: Int, _ transaction: WriteTransaction,
        in served: ServedStore
    ) throws(StoreError) {
        parts = []
        switch statement {
        case .merge(let change):
            guard let row = try transaction.row(rowClass, key) else { throw .objectNotFound }
            let steps = try ProjectedChangeSteps(change, key, row, transaction).all
            for step in steps {
                parts.append(.merge(step.change))
                guard step.change.hasStatements else { continue }
                let source = firstSource + parts.count - 1
                do throws(StoreError) {
                    _ = try transaction.update(step.change.draft, key: step.key, source: source)
                } catch {
                    guard case .unstated = error else { throw error }
                    var fault = served.fault(error)
                    for index in fault.errors.indices {
                        fault.errors[index] = placed(fault.errors[index], part: parts.count - 1)
                    }
                    throw .refused(fault)
                }
            }
        case .patch(let patch):
            for run in patch.runs {
                let target = try target(of: run, key, transaction)
                parts.append(.patch(run.patch))
                let editor = try ObjectEditor(
                    transaction, run.rowClass, key: target, .none,
                    source: firstSource + parts.count - 1)
                _ = try run.patch.apply(to: editor, in: served)
            }
        }
    }

    /// The object that the links of a run lead to.
    private func target(
        of run: ProjectedJSONPatch.Run, _ key: UInt64, _ transaction: WriteTransaction
    ) throws(StoreError) -> UInt64 {
        var key = key
        for link in run.links {
            var rowClass = transaction.catalog.rows.classes[link.classIndex]
            var row = try transaction.row(rowClass, key)
            for member in link.members.dropLast() {
                row = row.flatMap { rowClass.embedded(member, in: $0) }
                let inner = rowClass.members[member].classIndex
                rowClass = transaction.catalog.rows.classes[inner]
            }
            let field = link.members.last.flatMap { member in
                row.map { rowClass.field(member, in: $0) }
            }
            guard let field, !field.isNull else {
                let pointer = JSONPointer().appending(index: run.patch.firstIndex)
                    .appending("path")
                throw .refused(
                    .single(
                        .invalid, "null-on-path",
                        "A link or embedded object on '\(run.patch.operations[0].pathText)' is null, so "
                            + "there is no object behind it to change.",
                        pointer: pointer.description) as RequestFault)
            }
            key = field.load(UInt64.self)
        }
        return key
    }

    // MARK: Faults

    /// The client's fault when a write of this patch alone failed, whose source numbers began at 0.
    func fault(_ error: StoreError, _ served: ServedStore) -> RequestFault {
        var fault = served.fault(error)
        let sources = error.sources
        for index in fault.errors.indices where sources.indices.contains(index) {
            fault.errors[index] = placed(fault.errors[index], part: sources[index])
        }
        return fault
    }

    /// The same fault of a part of the patch, with its place in the body instead of that in the object.
    func placed(_ fault: RequestFault.Entry, part index: Int) -> RequestFault.Entry {
        guard parts.indices.contains(index), let text = fault.pointer,
            let pointer = JSONPointer(text)
        else { return fault }
        var fault = fault
        switch parts[index] {
        case .patch(let patch): fault.pointer = patch.position(of: text)?.description
        case .merge(let change):
            if let found = change.location(of: pointer.steps.map { .property($0) }) {
                fault.pointer =
                    pointer.steps.dropFirst(found.stepCount).reduce(found.pointer) {
                        $0.appending($1)
                    }.description
            }
        }
        return fault
    }
}

extension StoreError {
    /// Of what only the end of a transaction shows, the source of each fault.
    var sources: [Int] {
        switch self {
        case .danglingLinks(let links): links.map(\.source)
        case .notUnique(let violations): violations.map(\.source)
        case .deniedDeletion(let deletions): deletions.map(\.source)
        case .notAllowed(let act): [act.source]
        default: []
        }
    }
}
