import HoldfastQuery
import HoldfastRows

/// Restricts a transaction to the rights of its writer: shows objects as the writer could see them at the start, and checks its
/// changes at the end.
///
/// The version that the transaction began from decides visibility, so that the writer's own changes cannot show it more. An
/// object that this version lacks was made by the transaction itself. Only the writer's own changes are checked, not their
/// consequences, such as cascades. Only the writer's thread uses it, while the transaction's body runs and at its end.
final class WriteAuthorizer {
    /// The acts of the writer on an object.
    private struct AttemptedChange {
        var source: Int
        var isCreated = false
        var isDeleted = false
        /// The properties that were stated of a new object, or changed.
        var members = MemberSet()
        /// Whether it was judged since.
        var isJudged = false
    }

    /// An object as it is shown.
    struct Shown {
        /// Its row, or a copy without the hidden properties.
        let row: RowView
        var hidden = HiddenParts()
    }

    let rights: WriteRights
    /// The version that the transaction began from.
    let base: StoreView
    private let objects: RestrictedObjects
    private var knownRoles: [Int: [WriteRights.Role]] = [:]
    let schema: RowSchema
    let source: any OverflowSource
    private var acts: [ObjectIdentity: AttemptedChange] = [:]
    /// The objects of ``acts``, in the order of the first one.
    private var order: [ObjectIdentity] = []
    private var undo = UndoLog<(object: ObjectIdentity, before: AttemptedChange?)>()

    /// - `base`: A view of the version that the transaction began from, with the transaction's deadline.
    /// - `source`: Reads the present out-of-line values.
    init(_ rights: WriteRights, base: StoreView, _ source: any OverflowSource) {
        self.rights = rights
        self.base = base
        self.source = source
        objects = RestrictedObjects(rights.visibility, of: base)
        schema = rights.visibility.schema
    }

    /// The time by which all rules have to be evaluated.
    var deadlineMilliseconds: UInt64 { base.budget.deadlineMilliseconds }

    // MARK: Visible objects

    /// Returns the visible part of an object; nil if it is hidden.
    ///
    /// - `row`: Its present row.
    /// - Throws: ``StoreError`` if the rules can't be evaluated.
    func show(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) -> Shown? {
        guard rights.visibility.parts[rowClass.index].isConcerned,
            let former = base.row(classIndex: rowClass.index, key: key)
        else {
            try base.checkFailure()
            return Shown(row: row)
        }
        let hidden = objects.hiddenParts(rowClass, key, former, in: row, seenBy: self)
        var shown: Shown?
        if let hidden {
            let copy =
                hidden.isEmpty ? row : objects.copy(row, rowClass, without: hidden, seenBy: self)
            shown = copy.map { Shown(row: $0, hidden: hidden) }
        }
        try base.checkFailure()
        return shown
    }

    /// The properties of an object made by the transaction that its writer has not stated and could not read of the present
    /// object.
    ///
    /// The rules are evaluated on the version that the transaction began from. Links from there to other new objects count as
    /// missing.
    ///
    /// - `row`: Its present row.
    func unshown(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> MemberSet {
        guard rights.visibility.parts[rowClass.index].isConcerned,
            base.row(classIndex: rowClass.index, key: key) == nil
        else { return MemberSet() }
        let hidden = objects.hiddenProperties(ofNew: rowClass, key, row)
        try base.checkFailure()
        let stated = acts[ObjectIdentity(classIndex: rowClass.index, key: key)]?.members
        return hidden.subtracting(stated ?? MemberSet())
    }

    func sees(_ object: ObjectIdentity) throws(StoreError) -> Bool {
        let isSeen = sees(classIndex: object.classIndex, key: object.key)
        try base.checkFailure()
        return isSeen
    }

    /// Whether an object is seen, and some of its properties are not hidden on it.
    ///
    /// - `row`: Its present row.
    /// - Throws: ``StoreError`` if the rules can't be evaluated.
    func sees(
        _ members: [Int], of rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> Bool {
        guard let shown = try show(rowClass, key, row) else { return false }
        return members.allSatisfy { !shown.hidden.properties.contains($0) }
    }

    /// Whether a class is known by its name.
    func knows(_ rowClass: RowClass) -> Bool {
        rights.visibility.rows.classIndex[rowClass.definition.name] != nil
    }

    /// Whether properties of a class are known by their names.
    func knows(_ members: [Int], of rowClass: RowClass) -> Bool {
        members.allSatisfy { knows($0, of: rowClass) }
    }

    // MARK: Changes

    /// Notes an object that the writer creates.
    ///
    /// - `members`: The properties that are stated.
    /// - Throws: ``StoreError`` `.notAllowed` if no object of the class may be created.
    func created(_ object: ObjectIdentity, _ members: MemberSet, source: Int) throws(StoreError) {
        try requireCreation(schema.classes[object.classIndex], source: source)
        note(object, source) { act in
            act.isCreated = true
            act.members.formUnion(members)
        }
    }

    /// Refuses the creation of an object if the writer may create no object of the class, before an error can reveal that a key
    /// is taken.
    func requireCreation(_ rowClass: RowClass, source: Int) throws(StoreError) {
        let roles = roles(rowClass.index)
        let unknown = rights.visibility.rows.classes[rowClass.index].unknown
        // A value that is required and unknown cannot be given.
        guard roles.contains(where: { $0.create != .constant(false) }),
            unknown.isEmpty
                || !unknown.positions.contains(where: {
                    rowClass.members[$0].isRequired && !rowClass.members[$0].takesUser
                })
        else { throw .notAllowed(refused(rowClass, .create, source)) }
    }

    /// The rights of the roles that hold, for a class.
    private func roles(_ classIndex: Int) -> [WriteRights.Role] {
        if let known = knownRoles[classIndex] { return known }
        let roles = rights.roles(classIndex)
        knownRoles[classIndex] = roles
        return roles
    }

    /// Notes an object if the writer changes its properties.
    func changed(_ object: ObjectIdentity, _ members: MemberSet, source: Int) {
        note(object, source) { $0.members.formUnion(members) }
    }

    /// Notes an object that the writer deletes.
    func deleted(_ object: ObjectIdentity, source: Int) {
        note(object, source) { $0.isDeleted = true }
    }

    private func note(
        _ object: ObjectIdentity, _ source: Int, _ change: (inout AttemptedChange) -> Void
    ) {
        let before = acts[object]
        undo.note((object, before))
        if before == nil { order.append(object) }
        var act = before ?? AttemptedChange(source: source)
        if act.isJudged { (act.source, act.isJudged) = (source, false) }
        change(&act)
        acts[object] = act
    }

    // MARK: Attempts

    /// Begins to note the changes of an attempt.
    func beginAttempt() { undo.open() }

    /// Reverts the changes of the attempt.
    func rollBack() {
        while let (object, before) = undo.popLast() {
            acts[object] = before
            if before == nil { order.removeLast() }
        }
    }

    /// Ends the attempt, and releases the copies of the objects that it was shown.
    func endAttempt() {
        undo.close()
        releaseShown()
    }

    func releaseShown() { objects.releaseCopies() }

    /// Forgets the noted changes.
    func removeAll() {
        acts.removeAll()
        order.removeAll()
    }

    // MARK: The end

    /// The conditions of a role, ready to be asked.
    private final class Role {
        let rights: WriteRights.Role
        private let base: StoreView
        private let end: StoreView
        lazy var create = rights.create.makeMatcher(end.rows, source: end)
        lazy var after = rights.after.makeMatcher(end.rows, source: end)
        lazy var before = rights.before.makeMatcher(base.rows, source: base)
        lazy var delete = rights.delete.makeMatcher(base.rows, source: base)

        init(_ rights: WriteRights.Role, base: StoreView, _ end: StoreView) {
            (self.rights, self.base, self.end) = (rights, base, end)
        }
    }

    /// Refuses changes that the writer has no right to.
    ///
    /// - Parameters:
    ///   - end: A view of the transaction as it is now, which has its time.
    ///   - isAttempt: Whether only the present attempt is judged; otherwise the whole transaction, which ends.
    /// - Throws: ``StoreError`` `.notAllowed`; `.stopped` if the rules take too long.
    func judge(_ end: StoreView, isAttempt: Bool = false) throws(StoreError) {
        let objects = isAttempt ? undo.all.map(\.object) : order
        if let refused = try refusals(of: objects, end, countMax: 1).first {
            throw .notAllowed(refused)
        }
    }

    /// The acts that the writer had no right to.
    ///
    /// - `end`: As in ``judge(_:isAttempt:)``.
    /// - Throws: ``StoreError`` `.stopped` if the rules take too long.
    func refusals(_ end: StoreView) throws(StoreError) -> [RefusedAct] {
        try refusals(of: order, end, countMax: .max)
    }

    /// The refusals of objects that were not judged since something was done with them.
    private func refusals(
        of objects: [ObjectIdentity], _ end: StoreView, countMax: Int
    ) throws(StoreError) -> [RefusedAct] {
        var refusals: [RefusedAct] = []
        var roles: [Int: [Role]] = [:]
        for object in objects {
            guard let act = acts[object], !act.isJudged, base.budget.spend() else { continue }
            let own =
                roles[object.classIndex]
                ?? self.roles(object.classIndex).map { Role($0, base: base, end) }
            roles[object.classIndex] = own
            let refused = refusal(of: act, object, own, end)
            // A rule that cannot be evaluated does not refuse.
            try base.checkFailure()
            try end.checkFailure()
            if let refused {
                refusals.append(refused)
                if refusals.count == countMax { break }
            } else {
                acts[object]?.isJudged = true
            }
        }
        try base.checkFailure()
        return refusals
    }

    /// The refusal of the changes of an object; nil if they are allowed.
    private func refusal(
        of act: AttemptedChange, _ object: ObjectIdentity, _ roles: [Role], _ end: StoreView
    ) -> RefusedAct? {
        let rowClass = schema.classes[object.classIndex]
        let key = object.key
        if act.isCreated {
            // An object that the transaction itself makes and deletes was never there.
            guard let row = end.row(classIndex: object.classIndex, key: key) else { return nil }
            let admitting = roles.filter { $0.create.matches(row: row, key: key, source: end) }
            return refusal(act, rowClass, .create, admitting) { $0.stated }
        }
        guard let former = base.row(classIndex: object.classIndex, key: key) else { return nil }
        if act.isDeleted {
            let admitting = roles.filter { $0.delete.matches(row: former, key: key, source: base) }
            return admitting.isEmpty ? refused(rowClass, .delete, act.source) : nil
        }
        if act.members.isEmpty { return nil }
        // An object that is deleted by a cascade has no state at the end.
        let row = end.row(classIndex: object.classIndex, key: key)
        let admitting = roles.filter { role in
            role.before.matches(row: former, key: key, source: base)
                && row.map { role.after.matches(row: $0, key: key, source: end) } ?? true
        }
        return refusal(act, rowClass, .update, admitting) { $0.changed }
    }

    /// The refusal if no role admits an object, or if no admitting role admits a property.
    private func refusal(
        _ act: AttemptedChange, _ rowClass: RowClass, _ action: RefusedAct.Action,
        _ admitting: [Role], _ allowed: (WriteRights.Role) -> MemberSet
    ) -> RefusedAct? {
        guard !admitting.isEmpty else { return refused(rowClass, action, act.source) }
        var members = MemberSet()
        for role in admitting { members.formUnion(allowed(role.rights)) }
        return rowClass.members.indices.first {
            act.members.contains($0) && !members.contains($0)
        }.map { refused(rowClass, action, act.source, $0) }
    }

    private func refused(
        _ rowClass: RowClass, _ action: RefusedAct.Action, _ source: Int, _ member: Int? = nil
    ) -> RefusedAct {
        RefusedAct(
            source: source, user: rights.user, className: rowClass.definition.name, action: action,
            property: member.map { rowClass.definition.properties[$0].name },
            rules: roles(rowClass.index).map { $0.place(of: action) })
    }

    /// The refusal of a property that is hidden on an object and was stated otherwise than null, as it is shown.
    func refusalOfHidden(_ hidden: MemberSet, _ rowClass: RowClass, source: Int) -> RefusedAct? {
        rowClass.members.indices.first { hidden.contains($0) }.map {
            refused(rowClass, .update, source, $0)
        }
    }
}

extension WriteAuthorizer: VisibleObjects {
    func knows(_ member: Int, of rowClass: RowClass) -> Bool {
        rights.visibility.knows(member, of: rowClass)
    }

    func sees(classIndex: Int, key: UInt64) -> Bool {
        objects.sees(classIndex: classIndex, key: key, orElse: true)
    }
}
