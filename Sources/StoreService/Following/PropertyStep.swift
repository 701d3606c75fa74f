import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// What some changes mean to those who follow a property.
///
/// Differences of lists must be applied once, so all of them are one event, behind which a client may resume.
struct PropertyStep {
    /// What there is to tell.
    enum News {
        case nothing
        /// An event; and of a snapshot that has been told in part how many elements the client has behind it.
        case event(SharedBytes, knownCount: Int?)
        /// It can't be told, or is much: a snapshot has to.
        case unknown
    }

    /// Bytes of an event of elements behind which a snapshot is sent instead.
    private static let byteCountMax = 1 << 20

    private let stream: CheckedStream
    private let property: ObservedProperty
    private let changes: FoldedChanges
    private let before: ReadTransaction?
    private let after: ReadTransaction
    private let knownCount: Int?
    private let served: ServedStore

    /// Takes what happened between two states.
    ///
    /// - `before`: Nil where it is not open any more.
    /// - `knownCount`: How many of the first elements a client knows; nil for all.
    init(
        _ stream: CheckedStream, _ property: ObservedProperty, _ changes: FoldedChanges,
        from before: ReadTransaction?, to after: ReadTransaction, knownCount: Int? = nil,
        _ served: ServedStore
    ) {
        self.stream = stream
        self.property = property
        self.changes = changes
        self.before = before
        self.after = after
        self.knownCount = knownCount
        self.served = served
    }

    /// Finds out what there is to tell.
    ///
    /// - `events`: What the changes mean to the object; none when they do not concern it.
    /// - `version`: The version of the later state.
    /// - Throws: ``RequestFault`` when storage fails or a value is too large.
    func news(
        _ events: [QueryEvent], version: UInt64, framing: any EventFraming
    ) throws(RequestFault) -> News {
        let news = try unchecked(events, version, framing)
        // What can't be read need not be the same.
        try served.stored(after.checkFailure())
        if let before { try served.stored(before.checkFailure()) }
        return news
    }

    /// What there is to tell, unless something could not be read.
    private func unchecked(
        _ events: [QueryEvent], _ version: UInt64, _ framing: any EventFraming
    ) throws(RequestFault) -> News {
        let last = events.last { $0.kind == .enter } ?? events.first { $0.kind == .update }
        guard let last else {
            return events.isEmpty ? .nothing : try event("delete", version, framing) { _ in true }
        }
        let key = last.identity.key
        guard let row = try served.stored(after.find(property.rowClass, key: key)) else {
            return .nothing
        }
        let wasThere = last.kind == .enter ? false : try wasThere(key)
        if property.isMixedValue, property.mixed(in: row, after) == nil {
            let mayBeHeld =
                wasThere ?? true || before == nil || events.contains { $0.kind == .delete }
            return mayBeHeld ? try event("delete", version, framing) { _ in true } : .nothing
        }
        // Where it is not known what a client has, it takes the whole.
        if wasThere != true {
            return try event("enter", version, framing) {
                $0.writeWhole(row, key: key, Self.byteCountMax)
            }
        }
        let difference = try served.stored(
            property.difference(of: key, changes, from: before, to: after))
        switch difference {
        case nil: return .nothing
        case .list(let difference): return try list(difference, row, key, version, framing)
        case .keyed(let difference):
            return try event("update", version, framing) {
                $0.write(difference, row, before: before, byteCountMax: Self.byteCountMax)
            }
        case .unknown where !property.isValue: return .unknown
        case .unknown, .value:
            return try event("update", version, framing) { $0.writeWhole(row, key: key, .max) }
        }
    }

    private func list(
        _ difference: ListDifference, _ row: RowView, _ key: UInt64, _ version: UInt64,
        _ framing: any EventFraming
    ) throws(RequestFault) -> News {
        let part = knownCount.map { difference.ofFirst($0) } ?? (difference, 0)
        if part.0.isEmpty { return .nothing }
        guard part.0.count <= ObservedProperty.elementCountMax else { return .unknown }
        return try event("update", version, framing, knownCount: knownCount.map { _ in part.1 }) {
            $0.write(part.0, row, byteCountMax: Self.byteCountMax)
        }
    }

    /// Whether the property, or what a way into `mixed` values leads to, was there before; nil where that is not known.
    private func wasThere(_ key: UInt64) throws(RequestFault) -> Bool? {
        guard property.isMixedValue else { return true }
        guard let before else { return nil }
        return try served.stored(before.find(property.rowClass, key: key)).map {
            property.mixed(in: $0, before) != nil
        } ?? false
    }

    /// - `write`: Writes what stands behind `op`; false where that is too much.
    private func event(
        _ op: StaticString, _ version: UInt64, _ framing: any EventFraming,
        knownCount count: Int? = nil, _ write: (inout PropertyWriter) -> Bool
    ) throws(RequestFault) -> News {
        // Of a snapshot that is not told yet only a list's elements can be set right.
        if knownCount != nil, count == nil { return .unknown }
        var writer = PropertyWriter(stream, property, after, served.limits)
        let cursor = StoreVersion(epoch: after.epoch, number: version).description
        framing.begin("change", id: count == nil ? cursor : nil, in: writer.buffer)
        writer.buffer.append("{\"version\":\"\(cursor)\",\"op\":\"\(op)\"")
        guard write(&writer) else { return .unknown }
        writer.buffer.append(UInt8(ascii: "}"))
        framing.end(id: nil, in: writer.buffer)
        if writer.isTruncated { throw .replyTooLarge(served.limits.queryMemoryByteCountMax) }
        return .event(SharedBytes(writer.buffer), knownCount: count)
    }
}

extension CheckedStream {
    /// The object whose property is followed; nil when it is not there.
    func owner(
        _ property: ObservedProperty, in read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> (key: UInt64, row: RowView)? {
        switch observed.target {
        case .keyed(_, let primaryKey):
            let found: Result<(key: UInt64, row: RowView)?, StoreError> =
                primaryKey.bytes.withUnsafeBytes { bytes in
                    Result { () throws(StoreError) in
                        try read.find(property.rowClass, primaryKey: bytes)
                    }
                }
            return try served.stored(found.get())
        case .object(_, let key):
            return try served.stored(read.find(property.rowClass, key: key)).map { (key, $0) }
        case .objects, .store: return nil
        }
    }
}
