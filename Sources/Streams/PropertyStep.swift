import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The effect of some changes on the followers of a property.
struct PropertyStep {
    let stream: CheckedStream
    let property: ObservedProperty
    let changes: FoldedChanges
    /// The state before the changes; nil if it is not open any more.
    let before: ReadTransaction?
    let after: ReadTransaction
    let served: ServedStore

    /// Determines the outcome of the changes for the property.
    ///
    /// - `events`: The changes' events for the object; empty if they do not concern it.
    /// - Throws: ``RequestFault`` when storage fails.
    func outcome(of events: [QueryEvent]) throws(RequestFault) -> PropertyOutcome {
        let last = events.last { $0.kind == .enter } ?? events.first { $0.kind == .update }
        guard let last else { return events.isEmpty ? .nothing : .deleted }
        let key = last.identity.key
        guard let row = try served.mappingStoreErrors(after.find(property.rowClass, key: key))
        else { return .nothing }
        // Without the state before, it is not known which part of the property the followers have seen.
        if property.isSeenInPart, before == nil { return .unknown }
        var wasThere = last.kind == .enter ? false : try wasThere(key)
        if property.isSeenInPart, wasThere == true { wasThere = try wasShown(key) }
        if property.isHidden(in: row) {
            // The entering object may replace another one with the same key, which showed the property.
            var wasHeld = wasThere == true
            for event in events where last.kind == .enter && event.kind != .enter {
                if try wasShown(event.identity.key) { wasHeld = true }
            }
            return wasHeld ? .deleted : .nothing
        }
        if property.isMixedValue, property.mixed(in: row, after) == nil {
            let mayBeHeld =
                wasThere ?? true || before == nil
                || events.contains { $0.kind == .delete || $0.kind == .leave }
            return mayBeHeld ? .deleted : .nothing
        }
        // If the client's state is not known, it gets the whole value.
        if wasThere != true { return .entered }
        let difference = try served.mappingStoreErrors(
            property.difference(of: key, changes, from: before, to: after))
        var comparison = PropertyComparison(
            stream, property, of: key, (before, after), served.limits)
        switch difference {
        case nil: return .nothing
        case .list(let difference):
            guard comparison != nil, difference.count <= ObservedProperty.elementCountMax else {
                return .list(difference)
            }
            let told = difference.withoutModifications { old, new in
                comparison?.isSame(.element(new), as: .element(old)) ?? false
            }
            return told.isEmpty ? .nothing : .list(told)
        case .keyed(let difference): return keyed(difference, row, key, &comparison)
        case .value: return comparison?.isSame(.value, as: .value) ?? false ? .nothing : .value
        case .unknown: return property.isValue ? .value : .unknown
        }
    }

    /// Whether the property, or the value at a path into `mixed` values, was there before; nil if that is not known.
    private func wasThere(_ key: UInt64) throws(RequestFault) -> Bool? {
        guard property.isMixedValue else { return true }
        guard let before else { return nil }
        return try served.mappingStoreErrors(before.find(property.rowClass, key: key)).map {
            property.mixed(in: $0, before) != nil
        } ?? false
    }

    /// Whether an object was there before and showed the property.
    private func wasShown(_ key: UInt64) throws(RequestFault) -> Bool {
        try served.mappingStoreErrors(before?.find(property.rowClass, key: key))
            .map { !property.isHidden(in: $0) } ?? false
    }

    private func keyed(
        _ difference: KeyedDifference, _ row: RowView, _ key: UInt64,
        _ comparison: inout PropertyComparison?
    ) -> PropertyOutcome {
        func bytes(_ key: UnsafeRawBufferPointer?) -> [UInt8]? { key.map(Array.init) }
        let count = difference.removed.count + difference.inserted.count + difference.modified.count
        guard let before, count <= ObservedProperty.elementCountMax else { return .unknown }
        var writer = PropertyWriter(stream, property, before, served.limits)
        var keyed = KeyedChanges(hasValues: !property.isSet || property.holdsObjects)
        for name in difference.removed.map(bytes) {
            guard let text = writer.text(of: .key(name), in: row, key: key) else { return .unknown }
            keyed.append(.removed(text), of: name)
        }
        for name in difference.inserted.map(bytes) { keyed.append(.inserted, of: name) }
        for name in difference.modified.map(bytes)
        where comparison?.isSame(.entry(name), as: .entry(name)) != true {
            keyed.append(.modified, of: name)
        }
        return keyed.changes.isEmpty ? .nothing : .keyed(keyed)
    }
}

extension CheckedStream {
    /// The object with the followed property; nil if the object is not there or hides the property.
    func owner(
        _ property: ObservedProperty, in read: ReadTransaction, _ served: ServedStore
    ) throws(RequestFault) -> (key: UInt64, row: RowView)? {
        let object: (key: UInt64, row: RowView)?
        switch observed.target {
        case .keyed(_, let primaryKey):
            object = try served.mappingStoreErrors(
                read.find(property.rowClass, primaryKey: primaryKey))
        case .object(_, let key):
            object = try served.mappingStoreErrors(read.find(property.rowClass, key: key)).map {
                (key, $0)
            }
        case .objects, .store: object = nil
        }
        return object.flatMap { property.isHidden(in: $0.row) ? nil : $0 }
    }
}

/// Compares a property as it is shown in two states. It may be the same although something in it has changed: with a projection,
/// with objects beyond the linked ones, or for a user that sees only a part. Cost: the writing of both.
struct PropertyComparison {
    private let key: UInt64
    private let old: RowView
    private let new: RowView
    private var earlier: PropertyWriter
    private var later: PropertyWriter

    /// Compares `before` with `after`; nil if every change is reported.
    init?(
        _ stream: CheckedStream, _ property: ObservedProperty, of key: UInt64,
        _ states: (before: ReadTransaction?, after: ReadTransaction), _ limits: ServiceLimits
    ) {
        let classIndex = property.rowClass.index
        guard stream.projection != nil || property.reachesOthers || property.isSeenInPart,
            let before = states.before, let old = before.row(classIndex: classIndex, key: key),
            let new = states.after.row(classIndex: classIndex, key: key)
        else { return nil }
        self.key = key
        self.old = old
        self.new = new
        earlier = PropertyWriter(stream, property, before, limits)
        later = PropertyWriter(stream, property, states.after, limits)
    }

    /// Whether a part shows now the same as a part, perhaps at another position, showed before.
    mutating func isSame(_ part: PropertyWriter.Part, as former: PropertyWriter.Part) -> Bool {
        guard let was = earlier.text(of: former, in: old, key: key),
            let text = later.text(of: part, in: new, key: key)
        else { return false }
        return was == text
    }
}

/// The change of a property since the last event for its followers: the part of its state to be written.
enum PropertyOutcome {
    /// The followers know everything.
    case nothing
    case deleted
    /// The property is there and new to the followers.
    case entered
    case list(ListDifference)
    case keyed(KeyedChanges)
    /// Another value, as a whole.
    case value
    /// The change cannot be reported as a difference.
    case unknown

    var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// Whether it should be sent before more is added, because too large a difference cannot be reported.
    var isFull: Bool {
        switch self {
        case .list(let difference): difference.count > ObservedProperty.elementCountMax / 2
        case .keyed(let keyed): keyed.changes.count > ObservedProperty.elementCountMax / 2
        case .nothing, .deleted, .entered, .value, .unknown: false
        }
    }

    /// Adds a later outcome.
    mutating func append(_ next: PropertyOutcome) {
        switch (self, next) {
        case (_, .nothing): break
        case (.nothing, _), (_, .deleted), (_, .entered): self = next
        case (.deleted, _), (.entered, _): self = .entered
        case (.unknown, _), (_, .unknown): self = .unknown
        case (.list(let difference), .list(let next)):
            let both = difference.followed(by: next)
            self = both.isEmpty ? .nothing : .list(both)
        case (.keyed(var keyed), .keyed(let next)):
            keyed.append(next)
            self = keyed.changes.isEmpty ? .nothing : .keyed(keyed)
        default: self = .value
        }
    }
}
