import Dispatch
import HoldfastObjectStore
import HoldfastRows

extension RealmKeyedCollection {
    /// Calls `block` with the map at first, and when keys were added, removed or got other values.
    ///
    /// Calls are made as for collections, see ``RealmCollection/observe(keyPaths:on:_:)``. Cost of a call: linear in the map.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties of objects that are values; all if empty.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the map.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmMapChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        let place = _queried.managed.base.collection
        _ = place.object.requireRow()
        let followed = FollowedEntries(place, keyPaths)
        return CollectionObservation<MapChanges>(in: place.realm, followed) {
            block($0?.change(of: self) ?? .initial(self))
        }.begin()
    }
}

extension ResultsBase {
    /// The collection that results are taken from.
    fileprivate var collection: CollectionReference {
        switch self {
        case .links(let place), .elements(let place): place
        case .all, .origins: Misuse.end("There is no collection to observe.")
        }
    }
}

/// The entries of a map.
final class FollowedEntries: FollowedCollection {
    /// The stored bytes of values by keys; nil for null.
    typealias Entries = [String: [UInt8]?]

    private let place: CollectionReference
    private let paths: ObservedPaths?
    private var object: TrackedObject
    /// The entries of a dictionary within an `AnyRealmValue`; a change of the property does not say which entries changed.
    private var copies: Entries = [:]

    init(_ place: CollectionReference, _ keyPaths: [String]?) {
        self.place = place
        object = TrackedObject(place.place)
        paths = place.targetModel.map { ObservedPaths($0, keyPaths) }
    }

    func load(in view: StoreView) -> Bool {
        if place.isInvalidated { return false }
        object = TrackedObject(place.place)
        copies = (place as? MixedReference)?.entries ?? [:]
        return true
    }

    func advance(_ step: RealmStep) throws(StoreError) -> MapChanges {
        if let mixed = place as? MixedReference {
            let before = copies
            copies = mixed.entries
            return Self.changes(before, copies, ElementChanges(.mixed, nil, step, place.realm))
        }
        let states = try object.advance(step)
        guard let old = states.old, let oldMember = old.member(place.columnName) else {
            return MapChanges()
        }
        let before = old.rowClass.collection(oldMember, in: old.row, step.before)
        guard let new = states.new, let member = new.member(place.columnName) else {
            return Self.changes(Self.entries(before), [:], nil)
        }
        let linked = ElementChanges(
            new.rowClass.members[member].storage.element, paths, step, place.realm)
        if linked == nil, !old.differs(place.columnName, from: new) { return MapChanges() }
        let after = new.rowClass.collection(member, in: new.row, step.after)
        return Self.changes(Self.entries(before), Self.entries(after), linked)
    }

    /// The keys that differ. Cost: linear in both.
    private static func changes(
        _ before: Entries, _ after: Entries, _ linked: ElementChanges?
    ) -> MapChanges {
        var changes = MapChanges()
        for (key, value) in after {
            guard let known = before[key] else {
                changes.insert(key)
                continue
            }
            let leadsToChange = value?.withUnsafeBytes { linked?.contain($0) } ?? false
            if leadsToChange || known != value { changes.modify(key) }
        }
        for key in before.keys where after[key] == nil { changes.remove(key) }
        return changes
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
}
