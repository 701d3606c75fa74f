import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// A patch, or a whole object, in the names of a projection, ready to be applied to objects under one schema. One
/// thread at a time uses it.
struct ProjectedPatch {
    /// The changes that a merge patch or a whole object states.
    private struct Stated {
        let change: ProjectedChange
        /// The values that have to equal the shown ones.
        let shown: [ProjectedChangeReader.Shown]
    }

    /// A statement of the body.
    private enum Statement {
        case merge(Stated)
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
    /// Names the object, as far as the request or the body does.
    let key: Value?
    /// The parts that faults of a transaction's end are about; the transaction's source numbers count them.
    private var parts: [Part] = []
    /// How many source numbers of the transaction the patch has used.
    var sourceCount: Int { parts.count }

    /// The subject of a projection: the objects of a class, or the value of a property of them.
    struct Subject {
        let projection: CompiledProjection
        let rowClass: RowClass
        let member: Int?

        var selection: FieldSelection {
            member.map { projection.selection(ofMember: $0, of: rowClass) } ?? projection.selection
        }
    }

    /// Reads a patch, or a whole object.
    ///
    /// - `isJSONPatch`: Whether it is no merge patch.
    /// - `id`: The name of the object, which a `$id` has to equal; nil for several objects, and for an object that
    ///   the body names.
    /// - Throws: ``RequestFault`` with every fault.
    init(
        _ json: JSONValue, isJSONPatch: Bool, of subject: Subject, id: Value?,
        as form: ProjectedForm = .patch, _ context: ObjectReadingContext
    ) throws(RequestFault) {
        guard !isJSONPatch else {
            (version, key) = (nil, id)
            statement = .patch(
                try ProjectedJSONPatch(
                    json, of: subject.rowClass, behind: subject.member, subject.projection, context
                ))
            return
        }
        let change = ProjectedChange(subject.rowClass, isWhole: form == .whole, context.reader)
        let inner =
            subject.member.map {
                change.descend(
                    $0, to: subject.projection.rowClass, at: JSONPointer(), makesObject: false,
                    context.reader)
            } ?? change
        var reader = ProjectedChangeReader(context.reader, context.names, form)
        var read: (version: StoreVersion?, key: Value?) = (nil, id)
        if let inner {
            read = try reader.read(
                json, subject.projection, into: inner, id: subject.member == nil ? id : nil)
        }
        change.finish()
        (version, key) = (read.version, read.key ?? id)
        statement = .merge(Stated(change: change, shown: reader.shown))
    }

    /// Applies the patch to an object that is there. Writer's thread.
    ///
    /// - `firstSource`: The first of the transaction's source numbers that the patch may use.
    /// - `projected`: The form in which the projection shows the object, with which a whole object is compared.
    /// - Throws: ``StoreError``; nothing may be committed then.
    mutating func apply(
        to rowClass: RowClass, key: UInt64, firstSource: Int, _ transaction: WriteTransaction,
        in served: ServedStore, _ projected: ProjectedObject? = nil
    ) throws(StoreError) {
        parts = []
        switch statement {
        case .merge(let stated):
            guard let row = try transaction.row(rowClass, key) else { throw .objectNotFound }
            _ = stated.change.draftOfChange()
            try Self.require(stated.shown, key, transaction, projected)
            let steps = try ProjectedChangeSteps(stated.change, key, row, transaction)
            for step in steps.all {
                parts.append(.merge(step.change))
                guard step.change.hasStatements else { continue }
                let source = firstSource + parts.count - 1
                let written = try stating(served) { () throws(StoreError) in
                    try transaction.update(step.change.draft, key: step.key, source: source)
                }
                try steps.requireNoConflict(written)
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

    /// Makes the object, which the projection then shows as it is stated. Writer's thread.
    ///
    /// - `reservedKey`: The object key that it gets, if it has been given one.
    /// - `mode`: The treatment of an object that has its key and is not visible.
    /// - `firstSource`: The transaction's source number that it may use.
    /// - Throws: ``StoreError``; nothing may be committed then.
    mutating func make(
        reservedKey: UInt64? = nil, _ mode: WriteMode, _ precondition: Precondition,
        firstSource: Int, _ transaction: WriteTransaction, in served: ServedStore,
        _ projected: ProjectedObject?
    ) throws(StoreError) -> WriteResult {
        guard case .merge(let stated) = statement else { throw .objectNotFound }
        parts = [.merge(stated.change)]
        try ProjectedChangeSteps.requireNothingBehind(stated.change, transaction)
        let draft = stated.change.draftOfNew()
        let made = try stating(served) { () throws(StoreError) in
            if let reservedKey {
                try transaction.check(precondition, draft.rowClass, key: nil, nil)
                return try transaction.create(draft, reservedKey: reservedKey, source: firstSource)
            }
            return try transaction.write(
                draft, mode: mode, precondition: precondition, source: firstSource)
        }
        try Self.require(stated.shown, made.key, transaction, projected)
        return made
    }

    /// Runs a write of the last part. Its faults are reported with their places in the body.
    private func stating<Result>(
        _ served: ServedStore, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do throws(StoreError) { return try body() } catch {
            guard case .unstated = error else { throw error }
            var fault = served.fault(error)
            for index in fault.errors.indices {
                fault.errors[index] = placed(fault.errors[index], part: parts.count - 1)
            }
            throw .refused(fault)
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
                let pointer = JSONPointer().appending(index: run.patch.firstIndex).appending("path")
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

    // MARK: Read-only properties

    /// Requires that values equal the shown ones.
    private static func require(
        _ stated: [ProjectedChangeReader.Shown], _ key: UInt64, _ transaction: WriteTransaction,
        _ projected: ProjectedObject?
    ) throws(StoreError) {
        if stated.isEmpty { return }
        let buffer = ByteBuffer(capacity: 512)
        _ = try projected?.writeSeen(key: key, transaction, to: buffer)
        let (own, other) = (JSONParser(), JSONParser())
        let whole = try? own.parse(buffer.bytes, depthMax: ServedStore.replyDepthMax)
        let others = stated.filter { stated in
            guard let value = try? other.value(of: stated.json) else { return true }
            var shown = whole
            for step in stated.pointer.steps { shown = shown?.member(named: step) }
            // The writer sees nothing of a hidden object, and no writer with rules of an object that the transaction has made.
            return !(shown.map { isSame($0, value) } ?? value.isNull)
        }
        if !others.isEmpty { throw refused(others) }
    }

    private static func refused(_ stated: [ProjectedChangeReader.Shown]) -> StoreError {
        let faults = FaultList(stated.map(\.fault))
        let first = stated[0].fault
        return .refused(
            RequestFault.several(.invalid, first.code, faults, first.detail) as RequestFault)
    }

    /// Whether two values are the same, independently of their texts. Recursive: they were parsed with a bounded depth.
    private static func isSame(_ a: JSONValue, _ b: JSONValue) -> Bool {
        switch (a.kind, b.kind) {
        case (.integer, .integer): a.exactInt64 == b.exactInt64
        case (.integer, .double), (.double, .integer), (.double, .double): a.double == b.double
        case (.string, .string):
            a.stringBytes.map { Array($0) } == b.stringBytes.map { Array($0) }
        case (.array, .array):
            a.count == b.count && zip(a.elements, b.elements).allSatisfy { isSame($0, $1) }
        case (.object, .object): a.count == b.count && hasSameMembers(a, b)
        default: a.kind == b.kind && a.bool == b.bool
        }
    }

    /// Whether two objects with equally many members have the same ones, in any order. Cost: linear where the order
    /// is equal, that of sorting both otherwise.
    private static func hasSameMembers(_ a: JSONValue, _ b: JSONValue) -> Bool {
        // The names alone decide: values that were compared here and again below would take twice the time for each level.
        if zip(a.members, b.members).allSatisfy({ $0.name.elementsEqual($1.name) }) {
            return zip(a.members, b.members).allSatisfy { isSame($0.value, $1.value) }
        }
        func sorted(_ object: JSONValue) -> [JSONMember] {
            object.members.sorted { $0.name.lexicographicallyPrecedes($1.name) }
        }
        return zip(sorted(a), sorted(b)).allSatisfy {
            $0.name.elementsEqual($1.name) && isSame($0.value, $1.value)
        }
    }

    // MARK: Faults

    /// The client's fault after a failed write of only this patch, with source numbers from 0.
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
    /// The source of each fault that is only found at the end of a transaction.
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
