import HoldfastBytes
import HoldfastRows

/// Changes inside `mixed` values, and what has to hold of every changed object.
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
        } catch {
            throw .missing(error)
        }
        return buffer
    }

    // MARK: What has to hold

    /// Refuses a change of what names the object.
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
