import HoldfastBytes
import HoldfastRows
import HoldfastStorage

/// Changes inside `mixed` values, and the requirements of every changed object.
extension ObjectEditor {
    // MARK: Mixed values

    /// Makes the `mixed` value that a change inside it leads to.
    func mixed(
        _ old: MixedView, _ steps: [[UInt8]], _ change: Change
    ) throws(EditFailure) -> ByteBuffer {
        let new = ByteBuffer(capacity: 64)
        let placement: Placement?
        switch change {
        case .place(.bytes(let bytes), let own):
            if let bytes { new.append(bytes.bytes) } else { MixedWriter(new).null() }
            placement = own
        case .remove: placement = nil
        case .place, .removeEqual: throw damaged
        }
        let buffer = ByteBuffer(capacity: old.bytes.count + new.count + 64)
        do throws(ElementFault) {
            outcome = try old.change(at: steps[...], placement, MixedView(new.bytes), in: buffer)
        } catch { throw .missing(error) }
        return buffer
    }

    // MARK: Requirements

    /// Refuses a change of the primary key.
    func requireSameKey(
        _ old: RowView, _ changed: ByteBuffer, _ path: EditPath
    ) throws(EditFailure) {
        guard path.owners.isEmpty, let member = rowClass.primaryKeyIndex,
            path.member == nil || path.member == member
        else { return }
        guard let new = RowView(changed.bytes) else { throw damaged }
        let element = rowClass.members[member].storage.element
        let keys = (ByteBuffer(capacity: 64), ByteBuffer(capacity: 64))
        OrderedKey.append(rowClass.field(member, in: old), element, to: keys.0)
        OrderedKey.append(rowClass.field(member, in: new), element, to: keys.1)
        if !keys.0.bytes.elementsEqual(keys.1.bytes) {
            throw .isOtherKey(property: rowClass.definition.properties[member].name)
        }
    }

    /// Refuses a point that does not lie on the Earth, if it is indexed.
    func requirePoint(_ member: Int, _ changed: ByteBuffer) throws(EditFailure) {
        guard rowClass.searchIndexes.contains(where: { $0.member == member && $0.kind == .geo }),
            let new = RowView(changed.bytes), let inner = rowClass.embedded(member, in: new),
            let point = transaction.rows.classes[rowClass.members[member].classIndex].point(
                in: inner, transaction.overflow)
        else { return }
        if abs(point.longitude) > 180 || abs(point.latitude) > 90 { throw .isNoPoint }
    }
}

// Edits of an object that the transaction's writer sees only in part.
extension ObjectEditor {
    /// The row of the object after the edits, including the parts that the transaction's writer does not see.
    ///
    /// - `row`: The visible part after the edits.
    /// - `members`: The properties that are as they are stored.
    func merged(
        _ row: ByteBuffer, _ members: [Int], _ stored: RowView
    ) throws(StoreError) -> ByteBuffer {
        guard let base else { return row }
        let before = try self.row(base.row, taking: members, from: stored)
        guard let shown = RowView(before.bytes) else {
            throw .storage(StorageError(.corrupted, operation: "edit row"))
        }
        // The known edits are edits of the visible lists.
        var formers: [Int: [Int?]] = [:]
        for member in lists.keys where base.hidden.links.contains(member) {
            let count = rowClass.collection(member, in: shown, transaction.overflow).count
            formers[member] = lists.removeValue(forKey: member)?.formers(of: count)
        }
        return try transaction.merged(
            rowClass, key, stored, WriteAuthorizer.Shown(row: shown, hidden: base.hidden), row,
            WriteOrigin(source: source), formers: formers) ?? row
    }

    /// The row as it is now, as far as its writer knows it or may read it.
    ///
    /// - `member`: As of ``current(_:)``.
    func readable(_ member: Int?) throws(EditFailure) -> RowView {
        let row = try current(member)
        guard !unshown.isEmpty, let judge = transaction.judge else { return row }
        var parts = HiddenParts()
        parts.properties = unshown
        let copy = ByteBuffer(capacity: row.byteCount)
        transaction.rowBuilder.append(row, rowClass, without: parts, objects: judge, to: copy)
        readCopy = copy
        guard let view = RowView(copy.bytes) else { throw damaged }
        return view
    }

    /// Has a change of an out-of-line collection judged.
    func judge(changeOf member: Int) {
        transaction.judge?.changed(
            ObjectIdentity(classIndex: rowClass.index, key: key), MemberSet([member]),
            source: source)
    }
}

/// Why an edit was refused; the transaction has to be abandoned then.
package enum EditFailure: Error {
    /// There is nothing at the path, or at that of the source of a copy.
    case missing(ElementFault = .notThere, isSource: Bool = false)
    /// A tested value is another one.
    case isOther
    /// A copied value does not fit its new property.
    case doesNotFit
    /// A required property, or one that is not optional, would get null.
    case isNull
    /// The copied value would nest too deep.
    case isTooDeep
    /// A point would not lie on the Earth, and its index would not find it.
    case isNoPoint
    /// The key of the object would change.
    case isOtherKey(property: String?)
    /// The store refuses it.
    case store(StoreError)
}
