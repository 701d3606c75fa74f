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
    private var isTold = false
    private var pending = MapChanges()

    init(
        _ place: CollectionPlace, _ keyPaths: [String]?, _ block: @escaping (News) -> Void
    ) {
        self.place = place
        self.block = block
        paths = place.targetModel.map { ObservedPaths($0, keyPaths) }
        super.init(in: place.realm)
    }

    override func note(_ step: RealmStep) throws(StoreError) {
        if isTold { try follow(step) }
    }

    override func skip(_ step: RealmStep) throws(StoreError) {
        // Of what is to be told nothing is left out.
        if isTold, !pending.isEmpty { try follow(step) }
    }

    private func follow(_ step: RealmStep) throws(StoreError) {
        guard let object = place.object.place,
            let old = try StoredState(object, in: step.before),
            let oldMember = old.member(place.columnName)
        else { return }
        let before = old.rowClass.collection(oldMember, in: old.row, step.before)
        guard let new = try StoredState(object, in: step.after),
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
            isTold = true
            return block(.initial)
        }
        if pending.isEmpty { return }
        let changes = pending
        pending = MapChanges()
        block(.update(changes))
    }
}

/// The keys of a map that went, came or have another value since some version.
struct MapChanges {
    private var deletions: Set<String> = []
    private var insertions: Set<String> = []
    private var modifications: Set<String> = []

    var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    mutating func remove(_ key: String) {
        modifications.remove(key)
        if insertions.remove(key) == nil { deletions.insert(key) }
    }

    mutating func insert(_ key: String) {
        if deletions.remove(key) == nil {
            insertions.insert(key)
        } else {
            modifications.insert(key)
        }
    }

    mutating func modify(_ key: String) {
        if !insertions.contains(key) { modifications.insert(key) }
    }

    /// The change of a map.
    func change<Key, Value>(of map: Map<Key, Value>) -> RealmMapChange<Map<Key, Value>> {
        func keys(_ keys: Set<String>) -> [Key] {
            keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { Key(_key: $0) }
        }
        return .update(
            map, deletions: keys(deletions), insertions: keys(insertions),
            modifications: keys(modifications))
    }
}

extension Map {
    /// Has `block` called with the map, and when keys have come, gone or got other values.
    ///
    /// As observers of collections are called, see ``RealmCollection/observe(keyPaths:_:)-([String]?,_)``. Cost of a call: linear in
    /// the map.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of objects that are values, whose changes are told; all without any.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (RealmMapChange<Map>) -> Void
    ) -> NotificationToken {
        guard let place else { _ObservedCollection.endUnmanaged("Map") }
        _ = place.object.requireRow()
        return MapObservation(place, keyPaths) { news in
            switch news {
            case .initial: block(.initial(self))
            case .update(let changes): block(changes.change(of: self))
            }
        }.begin()
    }
}
