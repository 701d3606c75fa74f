import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// Finds out which projected properties differ between two states.
///
/// A change of an object's property, or of one that a path reaches, need not change what a projection shows:
/// of an embedded object the log has no single properties, and two objects may have the same value. So what
/// is shown is written for both states and compared. Cost: the writing of both.
package struct ProjectedComparison {
    private let projection: CompiledProjection
    private let before: ReadTransaction
    private let after: ReadTransaction
    private let earlier: Shown
    private let later: Shown

    /// What a state shows, value by value.
    private final class Shown {
        let read: ReadTransaction
        let buffer = ByteBuffer(capacity: 256)
        var writer: ObjectWriter

        init(_ read: ReadTransaction, _ names: SchemaNames, _ limits: ServiceLimits) {
            self.read = read
            writer = ObjectWriter(buffer, names, read, limits, quotesLargeInts: false)
        }

        /// The text of a value; nil when it is too large to be compared.
        func value(
            _ step: FieldSelection.Step, _ row: RowView, _ key: UInt64, _ selection: FieldSelection
        ) -> UnsafeRawBufferPointer? {
            buffer.removeAll()
            if writer.omits(step, row, selection.rowClass, selection) { return nil }
            writer.writeValue(step, of: row, selection.rowClass, key: key, selection)
            return writer.isTruncated ? nil : buffer.bytes
        }
    }

    /// Compares what is shown by `before` and by `after`, which have the same schema.
    package init(
        _ projection: CompiledProjection, _ names: SchemaNames, before: ReadTransaction,
        after: ReadTransaction, _ limits: ServiceLimits
    ) {
        self.projection = projection
        self.before = before
        self.after = after
        earlier = Shown(before, names, limits)
        later = Shown(after, names, limits)
    }

    /// Drops the updates that change nothing that is shown.
    ///
    /// - Returns: Of the others the projected properties that have changed, by their positions.
    package func keepChanges(in events: inout [QueryEvent]) -> [ObjectIdentity: MemberSet] {
        var changed: [ObjectIdentity: MemberSet] = [:]
        events.removeAll { event in
            guard event.kind == .update else { return false }
            let members = changedProperties(event)
            if !members.isEmpty { changed[event.identity] = members }
            return members.isEmpty
        }
        return changed
    }

    private func changedProperties(_ event: QueryEvent) -> MemberSet {
        let identity = event.identity
        var changed = MemberSet()
        guard let old = before.row(classIndex: identity.classIndex, key: identity.key),
            let new = after.row(classIndex: identity.classIndex, key: identity.key)
        else { return changed }
        let selection = projection.selection
        let steps = selection.steps.suffix(projection.properties.count)
        for (position, step) in steps.enumerated() {
            // What begins with another property can't have changed.
            guard event.members.contains(projection.properties[position].firstMember) else {
                continue
            }
            if let was = earlier.value(step, old, identity.key, selection),
                let now = later.value(step, new, identity.key, selection),
                was.elementsEqual(now)
            {
                continue
            }
            changed.insert(position)
        }
        return changed
    }
}
