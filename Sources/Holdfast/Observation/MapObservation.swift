import HoldfastBytes
import HoldfastObjectStore
import HoldfastRows

/// An observer of a map.
final class MapObservation: Observation, @unchecked Sendable {
    /// What it is told.
    enum News {
        case initial
        case update(MapChanges)
    }

    private let place: CollectionPlace
    private let paths: ObservedPaths?
    private let block: (News) -> Void
    private var object: FollowedPlace
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
        }
    }

    private func follow(_ step: RealmStep) throws(StoreError) {
        let states = try object.advance(step)
        guard let old = states.old, let oldMember = old.member(place.columnName) else { return }
        let before = old.rowClass.collection(oldMember, in: old.row, step.before)
        guard let new = states.new,
            let member = new.member(place.columnName)
        else {
            Self.forEach(before) { key, _ in pending.remove(key) }
            return
        }
        let linked = ElementChanges(
            new.rowClass.members[member].storage.element, paths, step, realm)
        if linked == nil, !old.differs(place.columnName, from: new) { return }
        let after = new.rowClass.collection(member, in: new.row, step.after)
        compare(before, after, linked)
    }

    /// Notes the keys that differ. Cost: linear in both.
    private func compare(
        _ before: StoredCollection, _ after: StoredCollection, _ linked: ElementChanges?
    ) {
        var left: [String: [UInt8]?] = [:]
        Self.forEach(before) { key, value in left[key] = .some(value.map { Array($0) }) }
        Self.forEach(after) { key, value in
            guard let known = left.removeValue(forKey: key) else { return pending.insert(key) }
            let leadsToChange = value.flatMap { linked?.contain($0) } ?? false
            if leadsToChange || known != value.map({ Array($0) }) { pending.modify(key) }
        }
        for key in left.keys { pending.remove(key) }
    }

    private static func forEach(
        _ map: StoredCollection, _ body: (String, UnsafeRawBufferPointer?) -> Void
    ) {
        map.forEachPart { leaf, _ in
            for offset in 0..<leaf.count {
                guard let keys = leaf.keys else { continue }
                let isNull = leaf.values.isNull(offset)
                body(
                    String(decoding: keys.bytes(offset), as: UTF8.self),
                    isNull ? nil : leaf.values.bytes(offset))
            }
            return true
        }
    }

    override func tell() {
        guard isTold else {
            // Before it was told of the map, it is not told of its end.
            if place.isInvalidated { return end() }
            object = FollowedPlace(place.place)
            isTold = true
            return block(.initial)
        }
        if pending.isEmpty { return }
        let changes = pending
        pending = MapChanges()
        block(.update(changes))
    }
}
