import Dispatch
import HoldfastObjectStore
import HoldfastRows

extension RealmCollection {
    /// Calls `block` with the collection at first, and when elements were added, removed or changed.
    ///
    /// The call is made where the realm belongs; on a thread, within ``Realm/refresh()``, the begin of a write and a commit, the
    /// first one at the next of these. Several writes may be reported as one. Ends the process if the collection is unmanaged,
    /// during a write, and in a frozen realm. Cost of a call: linear in the changes; results keep eight bytes for each object.
    ///
    /// - Parameters:
    ///   - keyPaths: The observed properties of the elements, also of linked objects (`"owner.name"`) and any (`"*"`). If empty,
    ///     all properties of the elements and of the objects up to four links away. Additions and removals are always reported.
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the collection.
    ///   - block: Receives the changes.
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
    init(_ place: CollectionReference?, _ keyPaths: [String]?, _ kind: String) {
        guard let place else { Misuse.end(Misuse.unmanaged(kind)) }
        realm = place.realm
        _ = place.object.requireRow()
        followed =
            (place as? MixedReference).map { FollowedCopies($0) }
            ?? FollowedElements(place, keyPaths)
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
        return _ObservedCollection(place.realm, FollowedOrigins(object, place, paths))
    }
}

extension AnyRealmCollection {
    /// The collection as observers follow it.
    public func _observed(_ keyPaths: [String]?) -> _ObservedCollection { base._observed(keyPaths) }
}

/// The objects of a query.
final class FollowedResults: FollowedCollection {
    private let results: ResultsCore
    private let paths: ObservedPaths
    private var ordered: OrderedResult
    /// The class, as of the last view.
    private var rowClass: RowClass

    init(_ results: ResultsCore, _ paths: ObservedPaths) {
        self.results = results
        self.paths = paths
        rowClass = results.binding.rowClass
        ordered = Self.result(results, paths)
    }

    private static func result(_ results: ResultsCore, _ paths: ObservedPaths) -> OrderedResult {
        OrderedResult(
            classIndex: results.binding.rowClass.index, predicate: results.parts.predicate,
            suffixes: results.parts.suffixes, shown: paths.shown(in: results.realm.schema),
            schema: results.realm.schema.rows)
    }

    func load(in view: StoreView) throws(StoreError) -> Bool {
        if results.isInvalidated { return false }
        try ordered.load(in: view)
        results.adopt(ordered.keys)
        return true
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let difference = try difference(step)
        results.adopt(ordered.keys)
        return difference
    }

    private func difference(_ step: RealmStep) throws(StoreError) -> ListDifference {
        if let changes = step.changes { return try ordered.advance(changes) }
        let old = rowClass
        rowClass = results.binding.rowClass
        if step.before.rows !== step.after.rows {
            let next = Self.result(results, paths)
            next.take(ordered)
            ordered = next
        }
        return try ordered.advance(from: step.before, to: step.after, old)
    }
}

/// The objects that link to an object.
final class FollowedOrigins: FollowedCollection {
    private let object: ObjectReference
    private let columnName: String
    private let isOfEmbedded: Bool
    private let paths: ObservedPaths

    init(_ object: ObjectReference, _ origins: OriginReference, _ paths: ObservedPaths) {
        self.object = object
        columnName = origins.columnName
        isOfEmbedded = origins.isOfEmbedded
        self.paths = paths
    }

    func load(in view: StoreView) throws(StoreError) -> Bool {
        try StoredState(object, object.owners, in: view) != nil
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        if isOfEmbedded {
            return ListDifference(
                from: try rows(in: step.before), to: try rows(in: step.after), changed: [])
        }
        let changed =
            step.changes.map { paths.shown(in: object.realm.schema).changes(in: $0) } ?? [:]
        let (old, new) = (try origins(in: step.before), try origins(in: step.after))
        return ListDifference(fromRising: old, toRising: new, changed: Set(changed.keys))
    }

    /// The keys of the origins in a view.
    private func origins(in view: StoreView) throws(StoreError) -> [UInt64] {
        try member(in: view).map { view.originKeys(of: object, through: $0) } ?? []
    }

    /// The rows of embedded objects that are origins in a view. Embedded objects have no other identity.
    private func rows(in view: StoreView) throws(StoreError) -> [UnsafeRawBufferPointer?] {
        let origins = try member(in: view).map { view.embeddedOrigins(of: object, through: $0) }
        return origins?.map { $0.row(in: view)?.bytes } ?? []
    }

    /// The inverse link in a view; nil if the object no longer exists.
    private func member(in view: StoreView) throws(StoreError) -> RowClass.Member? {
        guard let state = try StoredState(object, object.owners, in: view) else { return nil }
        return state.member(columnName).map { state.rowClass.members[$0] }
    }
}

/// The elements of a list within an `AnyRealmValue`. They are copied and compared, because the property reports only that it has
/// changed as a whole.
final class FollowedCopies: FollowedCollection {
    private let place: MixedReference
    /// The stored bytes of the elements.
    private var elements: [[UInt8]] = []

    init(_ place: MixedReference) { self.place = place }

    func load(in view: StoreView) -> Bool {
        elements = place.copies
        return !place.isInvalidated
    }

    func advance(_ step: RealmStep) -> ListDifference {
        let old = elements
        elements = place.copies
        let linked = ElementChanges(.mixed, nil, step, place.realm)
        return Self.withPointers(old) { old in
            Self.withPointers(elements) { new in
                ListDifference(
                    from: old, to: new,
                    changed: new.indices.filter { index in
                        new[index].flatMap { linked?.contain($0) } ?? false
                    })
            }
        }
    }

    private static func withPointers<Result>(
        _ elements: [[UInt8]], _ body: ([UnsafeRawBufferPointer?]) -> Result
    ) -> Result {
        elements.flatMap(\.self).withUnsafeBytes { bytes in
            var start = 0
            return body(
                elements.map { element in
                    defer { start += element.count }
                    return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + element.count)])
                })
        }
    }
}

extension MixedReference {
    /// The present stored bytes of the elements, or of a dictionary's values; empty if the collection is gone.
    fileprivate var copies: [[UInt8]] {
        isInvalidated ? [] : (0..<count).map { Array(element($0).bytes) }
    }

    /// The present entries of a dictionary, as stored bytes.
    var entries: [String: [UInt8]?] {
        Dictionary(
            zip(copies.indices.map(key), copies.map { .some($0) }),
            uniquingKeysWith: { first, _ in first })
    }
}

/// The elements of a collection that meet a condition, in an order. All of them are kept and compared.
final class FollowedSelection: FollowedCollection {
    /// The identity of an element: the linked object or the value, and its number among equal ones.
    private struct Identity: Hashable {
        let bytes: [UInt8]
        let occurrence: Int
    }

    private let results: ResultsCore
    /// The observed paths of the elements; nil for values.
    private let paths: ObservedPaths?
    private var elements: [Identity] = []

    init(_ results: ResultsCore, _ paths: ObservedPaths?) {
        self.results = results
        self.paths = paths
    }

    func load(in view: StoreView) -> Bool {
        if results.isInvalidated || results.base.isInvalidated { return false }
        elements = present
        return true
    }

    func advance(_ step: RealmStep) throws(StoreError) -> ListDifference {
        let old = elements
        elements = present
        var changed: Set<[UInt8]> = []
        if let paths, results.hasObjectKeys, let changes = step.changes {
            for key in paths.shown(in: results.realm.schema).changes(in: changes).keys {
                changed.insert(Self.bytes(of: key))
            }
        }
        var numbers: [Identity: UInt64] = [:]
        func number(_ identity: Identity) -> UInt64 {
            if let known = numbers[identity] { return known }
            let next = UInt64(numbers.count)
            numbers[identity] = next
            return next
        }
        let (before, after) = (old.map(number), elements.map(number))
        let moving = Set(numbers.lazy.filter { changed.contains($0.key.bytes) }.map(\.value))
        return ListDifference(from: before, to: after, changed: moving, moving: moving)
    }

    private var present: [Identity] {
        var counts: [[UInt8]: Int] = [:]
        return results.keys.map { key in
            let bytes = bytes(of: key)
            let occurrence = counts[bytes, default: 0]
            counts[bytes] = occurrence + 1
            return Identity(bytes: bytes, occurrence: occurrence)
        }
    }

    private func bytes(of key: UInt64) -> [UInt8] {
        if case .origins(let place) = results.base, let origins = place.embedded {
            let row = origins[Int(key)].row(in: results.realm.view)
            return row.map { [1] + $0.bytes } ?? [0]
        }
        guard case .elements(let place) = results.base else { return Self.bytes(of: key) }
        let element = place.collection.element(Int(key))
        // No value has the same bytes as null.
        guard let (part, offset) = element, !part.isNull(offset) else { return [0] }
        return [1] + part.bytes(offset)
    }

    private static func bytes(of key: UInt64) -> [UInt8] { withUnsafeBytes(of: key) { Array($0) } }
}
