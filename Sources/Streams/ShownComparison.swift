import HoldfastBytes
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// Finds the reported properties of a stream that differ between two states.
///
/// A change of an object's property, or of a property that a path reaches, need not change a projection or key paths: the log
/// does not list the properties of embedded objects, and two objects may have the same value. So the shown values are written for
/// both states and compared. Cost: the writing of both.
struct ShownComparison {
    private let selection: FieldSelection
    /// Whether every property counts, not only the selected ones.
    private let countsEverything: Bool
    private let earlier: Shown
    private let later: Shown

    /// A state, with its values as they are shown.
    private final class Shown {
        let read: ReadTransaction
        let buffer = ByteBuffer(capacity: 256)
        var writer: ObjectWriter

        init(_ read: ReadTransaction, _ names: SchemaNames, _ limits: ServiceLimits) {
            self.read = read
            writer = ObjectWriter(buffer, names, read, limits, quotesLargeInts: false)
        }

        /// The text of a value; nil if it is too large to be compared.
        func value(
            _ step: FieldSelection.Step, _ row: RowView, _ key: UInt64, _ selection: FieldSelection
        ) -> UnsafeRawBufferPointer? {
            buffer.removeAll()
            if writer.omits(step, of: row, selection.rowClass, key: key, selection) { return nil }
            writer.writeValue(step, of: row, selection.rowClass, key: key, selection)
            return writer.hasRoom ? buffer.bytes : nil
        }
    }

    /// Compares the reported values in `before` and `after`, which have the same schema; nil if every change is reported. A user
    /// that may not read everything gets only the changes of visible values.
    init?(
        of stream: CheckedStream, before: ReadTransaction, after: ReadTransaction,
        _ limits: ServiceLimits
    ) {
        let isPart = stream.observed.visibility.map { _ in stream.selection } ?? nil
        guard let compared = stream.compared ?? isPart else { return nil }
        selection = compared
        countsEverything = stream.compared == nil
        earlier = Shown(before, stream.names, limits)
        later = Shown(after, stream.names, limits)
    }

    /// Drops the updates that change no compared value.
    ///
    /// - Returns: The other events. Each update has the properties that are shown differently.
    func changes(in events: [QueryEvent]) -> [QueryEvent] {
        events.compactMap { event in
            guard event.kind == .update else { return event }
            let (index, key) = (event.identity.classIndex, event.identity.key)
            guard let old = earlier.read.row(classIndex: index, key: key),
                let new = later.read.row(classIndex: index, key: key)
            else { return nil }
            var event = event
            if countsEverything {
                event.members = changedMembers(event, old, new)
                return event.members.isEmpty ? nil : event
            }
            let changed = changedProperties(event, old, new)
            event.shown = changed
            return changed.isEmpty ? nil : event
        }
    }

    /// The properties that are shown differently, themselves or in an object that they lead to.
    private func changedMembers(_ event: QueryEvent, _ old: RowView, _ new: RowView) -> MemberSet {
        var changed = MemberSet()
        let rowClass = selection.rowClass
        for member in rowClass.members.indices where !rowClass.unknown.contains(member) {
            let isHidden = rowClass.hides(member, in: new)
            if isHidden, rowClass.hides(member, in: old) { continue }
            if isHidden != rowClass.hides(member, in: old)
                || rowClass.differs(member, from: (old, earlier.read), to: (new, later.read))
            {
                changed.insert(member)
            }
        }
        for step in selection.steps where step.member >= 0 {
            let member = Int(step.member)
            guard event.members.contains(member), !changed.contains(member),
                !rowClass.hides(member, in: new), !selection.showsRowAlone(step)
            else { continue }
            if !isSame(step, old, new, event.identity.key) { changed.insert(member) }
        }
        return changed
    }

    /// Whether a step writes the same for two states of an object. False if one of them is too large to be compared.
    private func isSame(
        _ step: FieldSelection.Step, _ old: RowView, _ new: RowView, _ key: UInt64
    ) -> Bool {
        guard let was = earlier.value(step, old, key, selection),
            let now = later.value(step, new, key, selection)
        else { return false }
        return was.elementsEqual(now)
    }

    private func changedProperties(
        _ event: QueryEvent, _ old: RowView, _ new: RowView
    ) -> MemberSet {
        var changed = MemberSet()
        for (position, step) in selection.steps.enumerated() where step.member >= 0 {
            if step.showsProperty {
                let rowClass = selection.rowClass
                let isHidden = rowClass.hides(Int(step.member), in: new)
                let wasHidden = rowClass.hides(Int(step.member), in: old)
                // A null is shown too, and a hidden property is left out.
                if isHidden != wasHidden { changed.insert(position) }
                if isHidden || wasHidden { continue }
            }
            // A step that begins with another property can't have changed, unless the rest of it was hidden.
            guard event.members.contains(Int(step.member)) || later.read.showsPart else { continue }
            // The row shows that a value is the same even if it is too large to be written.
            if selection.showsRowAlone(step),
                !selection.rowClass.differs(
                    Int(step.member), from: (old, earlier.read), to: (new, later.read))
            {
                continue
            }
            if !isSame(step, old, new, event.identity.key) { changed.insert(position) }
        }
        return changed
    }
}
