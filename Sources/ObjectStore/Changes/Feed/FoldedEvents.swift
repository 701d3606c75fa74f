import HoldfastBytes
import HoldfastRows

/// The events of several steps for a query, folded into one event for each object: exact between the state before the first step
/// and the state after the last.
package struct FoldedEvents: Sendable {
    private var events: [QueryEvent?] = []
    private var positions: [ObjectIdentity: Int] = [:]

    /// Whether nothing differs from before.
    package var isEmpty: Bool { positions.isEmpty }

    /// Whether no more steps should be folded in, because the events take memory.
    package var isFull: Bool { events.count >= Self.countMax }

    private static let countMax = 10_000

    /// Makes an empty collection.
    package init() {}

    /// Folds in an event of a step.
    ///
    /// - `after`: The state after the step.
    package mutating func add(_ event: QueryEvent, _ after: ReadTransaction) {
        var event = event
        let position = positions[event.identity]
        if let position, let known = events[position] {
            let isThere = event.kind == .enter || event.kind == .update
            switch (known.kind, isThere) {
            case (.enter, true): event.kind = .enter
            case (.enter, false):
                // Its position stays empty: an object that takes its key comes after the object that had the key before.
                events[position] = nil
                positions[event.identity] = nil
                return
            case (.update, true):
                event.members.formUnion(known.members)
                if let shown = known.shown {
                    event.shown?.formUnion(shown)
                } else {
                    event.shown = nil
                }
            case (.leave, true), (.delete, true):
                // The changes in between have not been reported.
                event.kind = .update
                event.members = Self.everything(of: event.identity, after)
            case (_, false): break
            }
        }
        if event.kind == .leave, event.primaryKey.isEmpty {
            event.primaryKey = Self.primaryKey(of: event.identity, after)
        }
        if let position {
            events[position] = event
        } else {
            positions[event.identity] = events.count
            events.append(event)
        }
    }

    /// Takes out the folded events.
    package mutating func take() -> [QueryEvent] {
        defer { self = FoldedEvents() }
        return events.compactMap(\.self)
    }

    private static func everything(
        of identity: ObjectIdentity, _ after: ReadTransaction
    ) -> MemberSet {
        let members = after.rows.classes[identity.classIndex].members
        return MemberSet(members.indices.filter { members[$0].storage.shape != .none })
    }

    /// The primary key of an object, as in the record of its deletion. The object may be gone when its event is written.
    private static func primaryKey(
        of identity: ObjectIdentity, _ after: ReadTransaction
    ) -> [UInt8] {
        let rowClass = after.rows.classes[identity.classIndex]
        guard let member = rowClass.primaryKeyIndex,
            let row = after.rowForKey(of: identity)
        else { return [] }
        let buffer = ByteBuffer(capacity: 16)
        rowClass.field(member, in: row).appendTagged(rowClass.members[member].storage, to: buffer)
        return buffer.array
    }
}
