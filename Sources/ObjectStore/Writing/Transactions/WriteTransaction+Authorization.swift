import HoldfastBytes
import HoldfastRows
import HoldfastStorage

// The content that a writer gives if it sees only a part of an object. Hidden parts stay.
extension WriteTransaction {
    /// Refuses the changes of the attempted part if its writer has no right to them. They are judged by the present state, and
    /// again only together with later changes of the same objects. For writes whose parts must each be valid by themselves.
    ///
    /// - Throws: ``StoreError`` `.notAllowed`; `.stopped` if the rules take too long.
    package func requireAllowedAttempt() throws(StoreError) {
        if let judge { try judge.judge(endView(for: judge), isAttempt: true) }
    }

    /// The changes that its writer has no right to, by the present state; empty if the writer may do everything.
    ///
    /// - Throws: ``StoreError`` `.stopped` if the rules take too long.
    package func refusedActs() throws(StoreError) -> [RefusedAct] {
        guard let judge else { return [] }
        return try judge.refusals(endView(for: judge))
    }

    /// Releases the copies of the objects that its writer was shown. No row that is still in use may be one of them. Called after
    /// each of many operations.
    package func releaseShown() { judge?.releaseShown() }

    /// Refuses a draft that lacks a required value, except values that its writer cannot know of.
    func requireComplete(
        _ gaps: DraftGaps, of draft: ObjectDraft, _ origin: WriteOrigin
    ) throws(StoreError) {
        if gaps.isEmpty { return }
        var gaps = gaps
        if let judge { gaps.forgive { !judge.knows([$0.member], of: $0.draft.rowClass) } }
        if !gaps.isEmpty { throw gaps.error(of: draft, origin) }
    }

    /// A view of the transaction as it is now, in which rules are asked.
    func endView(for judge: WriteAuthorizer) -> StoreView {
        let end = openView()
        end.limitFollowing(until: judge.deadlineMilliseconds)
        return end
    }

    /// Makes the row of an object from the writer's version of its visible part; nil if the writer sees all of it.
    ///
    /// - `stored`: Its row as it is.
    /// - `shown`: The part that the writer sees.
    /// - `wanted`: The writer's version of it. Its out-of-line values are freed unless they are used.
    /// - `formers`: As in ``VisibleChange/formers``.
    /// - Throws: ``StoreError`` `.notAllowed` if they state a value of a property that is hidden from them.
    func merged(
        _ rowClass: RowClass, _ key: UInt64, _ stored: RowView, _ shown: WriteAuthorizer.Shown,
        _ wanted: ByteBuffer, _ origin: WriteOrigin, formers: [Int: [Int?]] = [:]
    ) throws(StoreError) -> ByteBuffer? {
        guard let judge, !shown.hidden.isEmpty else { return nil }
        guard let row = RowView(wanted.bytes) else {
            throw .storage(StorageError(.corrupted, operation: "build row"))
        }
        var change = VisibleChange(
            of: rowClass, stored: stored, shown: shown.row, wanted: row,
            links: shown.hidden.links, judge)
        change.formers = formers
        let hidden = change.changed.intersection(shown.hidden.properties)
        if let refused = judge.refusalOfHidden(hidden, rowClass, source: origin.source) {
            throw .notAllowed(refused)
        }
        prepareRow(rowClass, key)
        let whole = ByteBuffer(capacity: stored.byteCount + wanted.count)
        rowBuilder.append(change, rowClass, objects: judge, version: version, to: whole)
        try overflow.requireReadable()
        if let merged = RowView(whole.bytes) {
            try group.freeOverflow(rowClass, key, row, keeping: merged)
        }
        return whole
    }
}

extension WriteMode {
    /// Whether it creates an object that is not there.
    var mayCreate: Bool { self != .update && self != .replaceExisting }
}

extension ObjectDraft {
    /// The properties of a new object that the draft sets. A null or an empty collection, which is the default anyhow, does not
    /// count.
    ///
    /// - `row`: The row made from the draft.
    func stated(in row: RowView) -> MemberSet {
        var stated = MemberSet()
        for (member, compiled) in rowClass.members.enumerated()
        where compiled.storage.shape != .none {
            let state = fields[member].state
            if state == .absent || state == .kept || state == .defaulted { continue }
            let field = rowClass.field(member, in: row)
            let isEmpty =
                field.isNull
                || compiled.storage.shape != .single && !field.isOutOfLine
                    && LeafView(field.heap, compiled.storage).count == 0
            if isEmpty, rowClass.definition.properties[member].defaultValue == nil { continue }
            stated.insert(member)
        }
        return stated
    }
}

/// The behaviour of a write if the object exists, and if it does not.
package enum WriteMode: String, Sendable, CaseIterable {
    /// Creates; an existing object is an error.
    case create
    /// Creates, or changes the stated properties of an existing object.
    case merge
    /// Creates, or replaces an existing object.
    case replace
    /// Creates; an existing object stays as it is.
    case ignore
    /// Changes the stated properties; a missing object is an error.
    case update
    /// Replaces; a missing object is an error.
    case replaceExisting
}
