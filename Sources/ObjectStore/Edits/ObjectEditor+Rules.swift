import Bytes
import Rows

/// Changes inside `mixed` values, and what has to hold of every changed object.
extension ObjectEditor {
    // MARK: Mixed values

    /// What a change inside a `mixed` value makes of it.
    func mixed(
        _ old: MixedView, _ steps: [[UInt8]], _ change: Change
    ) throws(EditFailure) -> ByteBuffer {
        let new = ByteBuffer(capacity: 64)
        var action = MixedEdit.Action.put
        switch change {
        case .add(.bytes(let bytes)), .replace(.bytes(let bytes)):
            if let bytes { new.append(bytes.bytes) } else { MixedWriter(new).null() }
        case .remove: action = .remove
        default: throw damaged
        }
        let buffer = ByteBuffer(capacity: old.bytes.count + new.count + 64)
        do throws(MixedEdit.Fault) {
            var way = steps
            if case .add = change {
                let parent = try Self.value(at: steps.dropLast(), in: old)
                if parent.kind == .list, let last = steps.last {
                    way.removeLast()
                    if last != Array("-".utf8), Self.index(last) == nil { throw .notThere }
                    action = .insert(at: Self.index(last))
                }
            } else {
                _ = try Self.value(at: steps[...], in: old)
            }
            _ = try MixedEdit(way, action).apply(
                to: old, MixedView(new.bytes), in: buffer)
        } catch {
            throw .notThere(isSource: false)
        }
        return buffer
    }

    /// What stands at some steps, of which those into lists are indices without leading zeros.
    static func value(
        at steps: ArraySlice<[UInt8]>, in value: MixedView
    ) throws(MixedEdit.Fault) -> MixedView {
        var value = value
        for step in steps {
            if value.kind == .list, index(step) == nil { throw .notThere }
            value = try value.value(at: [step])
        }
        return value
    }

    private static func index(_ step: [UInt8]) -> Int? {
        guard let first = step.first, step.count <= 10,
            step.allSatisfy({ (48...57).contains($0) }), step.count == 1 || first != 48
        else { return nil }
        return step.reduce(0) { $0 * 10 + Int($1 - 48) }
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
