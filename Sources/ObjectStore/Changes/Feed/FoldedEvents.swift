import HoldfastBytes
import HoldfastRows

/// The meaning of several steps to a query, one event an object: exact between the state before the first of them and the
/// one after the last.
package struct FoldedEvents: Sendable {
    private var events: [QueryEvent?] = []
    private var positions: [ObjectIdentity: Int] = [:]

    /// Whether nothing is different from before.
    package var isEmpty: Bool { positions.isEmpty }

    /// Whether no more steps should be folded in, for what is held takes memory.
    package var isFull: Bool { events.count >= Self.countMax }

    private static let countMax = 10_000

    /// Makes what no step means.
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
                // Its place stays empty: what takes its key stands behind what had it before.
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
                // Its changes in between have not been told.
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

    /// Takes out what is folded.
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

    /// The primary key of an object, as the record of its deletion has it: it may be gone when its event is written.
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
