import HoldfastBytes
import HoldfastObjectStore
import HoldfastRows

/// An observer of a map.
final class MapObservation: Observation, @unchecked Sendable {
    /// The news of a map's observer.
    enum News {
        case initial
        case update(MapChanges)
    }

    /// The stored bytes of values by keys; nil for null.
    typealias Entries = [String: [UInt8]?]

    private let place: CollectionPlace
    private let paths: ObservedPaths?
    private let block: (News) -> Void
    private var object: FollowedPlace
    /// The entries of a dictionary within an `AnyRealmValue`, of which its property tells nothing alone.
    private var copies: Entries = [:]
    private var isTold = false
    private var pending = MapChanges()

    init(
        _ place: CollectionPlace, _ keyPaths: [String]?, _ block: @escaping (News) -> Void
    ) {
        self.place = place
        self.block = block
        object = FollowedPlace(place.place)
        paths = place.targetModel.map { ObservedPaths($0, keyPaths) }
        super.init(in: place.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        if isTold { try follow(step) }
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        // Of what is to be told nothing is left out.
        if isTold, !pending.isEmpty {
            try follow(step)
        } else {
            _ = try object.advance(step)
            copies = (place as? MixedPlace)?.entries ?? [:]
        }
    }

    private func follow(_ step: RealmStep) throws(StoreError) {
        if let mixed = place as? MixedPlace {
            let before = copies
            copies = mixed.entries
            return compare(before, copies, ElementChanges(.mixed, nil, step, realm))
        }
        let states = try object.advance(step)
        guard let old = states.old, let oldMember = old.member(place.columnName) else { return }
        let before = old.rowClass.collection(oldMember, in: old.row, step.before)
        guard let new = states.new, let member = new.member(place.columnName) else {
            return compare(Self.entries(before), [:], nil)
        }
        let linked = ElementChanges(
            new.rowClass.members[member].storage.element, paths, step, realm)
        if linked == nil, !old.differs(place.columnName, from: new) { return }
        let after = new.rowClass.collection(member, in: new.row, step.after)
        compare(Self.entries(before), Self.entries(after), linked)
    }

    /// Notes the keys that differ. Cost: linear in both.
    private func compare(_ before: Entries, _ after: Entries, _ linked: ElementChanges?) {
        for (key, value) in after {
            guard let known = before[key] else {
                pending.insert(key)
                continue
            }
            let leadsToChange =
                value?.withUnsafeBytes { linked?.contain($0) } ?? false
            if leadsToChange || known != value { pending.modify(key) }
        }
        for key in before.keys where after[key] == nil { pending.remove(key) }
    }

    private static func entries(_ map: StoredCollection) -> Entries {
        var entries: Entries = [:]
        map.forEachPart { leaf, _ in
            for offset in 0..<leaf.count {
                guard let keys = leaf.keys else { continue }
                let isNull = leaf.values.isNull(offset)
                entries[String(decoding: keys.bytes(offset), as: UTF8.self)] =
                    .some(isNull ? nil : Array(leaf.values.bytes(offset)))
            }
            return true
        }
        return entries
    }

    override func tell() {
        guard isTold else {
            // Before it was told of the map, it is not told of its end.
            if place.isInvalidated { return end() }
            object = FollowedPlace(place.place)
            copies = (place as? MixedPlace)?.entries ?? [:]
            isTold = true
            return block(.initial)
        }
        if pending.isEmpty { return }
        let changes = pending
        pending = MapChanges()
        block(.update(changes))
    }
}
