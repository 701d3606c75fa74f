import Dispatch
import HoldfastObjectStore

extension RealmCollection {
    /// Has `block` called with the collection, and when elements have come, gone or changed.
    ///
    /// It is called where the realm belongs: on a thread within ``Realm/refresh()``, the begin of a write and a commit, the first time
    /// at the next of them. Several writes may be told as one. An unmanaged collection ends the process, as a write under way and a
    /// frozen realm do. Cost of a call: that of what has changed; results keep eight bytes for each object.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties of the elements, also of objects behind links (`"owner.name"`) and any (`"*"`), whose changes are
    ///     told. Without any, all of the elements and of the objects up to four links away. What comes and goes is always told.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the collection.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<Self>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(keyPaths: keyPaths, block) } }
        let observed = _observed(keyPaths)
        return CollectionObservation(in: observed.realm, observed.followed) {
            block(RealmCollectionChange(self, $0))
        }.begin()
    }
}

/// A collection as its observers follow it.
public struct _ObservedCollection {
    let realm: RealmCore
    let followed: any FollowedCollection<ListDifference>

    /// The elements of a managed list or set.
    init(_ place: CollectionPlace?, _ keyPaths: [String]?, _ kind: String) {
        guard let place else { Misuse.end(Misuse.unmanaged(kind)) }
        realm = place.realm
        _ = place.object.requireRow()
        followed =
            (place as? MixedPlace).map { FollowedCopies($0) } ?? FollowedElements(place, keyPaths)
    }

    init(_ realm: RealmCore, _ followed: any FollowedCollection<ListDifference>) {
        self.realm = realm
        self.followed = followed
    }
}

extension Results {
    /// The results as observers follow them.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection {
        if case .values = core.root {
            return _ObservedCollection(core.realm, FollowedSelection(core, nil))
        }
        let projection = Element.self as? any ProjectionObservable.Type
        let paths = ObservedPaths(
            core.binding.model, projection?.observedPaths(keyPaths) ?? keyPaths)
        if case .all = core.base {
            return _ObservedCollection(core.realm, FollowedResults(core, paths))
        }
        return _ObservedCollection(core.realm, FollowedSelection(core, paths))
    }
}

extension List {
    /// The list as observers follow it.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection {
        _ObservedCollection(place, keyPaths, "List")
    }
}

extension MutableSet {
    /// The set as observers follow it.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection {
        _ObservedCollection(place, keyPaths, "MutableSet")
    }
}

extension LinkingObjects {
    /// The linking objects as observers follow them.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection {
        guard let place, let object = place.object.place else {
            Misuse.end(Misuse.unmanaged("LinkingObjects"))
        }
        _ = place.object.requireRow()
        let paths = ObservedPaths(place.binding.model, keyPaths)
        return _ObservedCollection(
            place.realm, FollowedOrigins(object, place, paths))
    }
}

extension AnyRealmCollection {
    /// The collection as observers follow it.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection {
        base._observed(keyPaths)
    }
}
