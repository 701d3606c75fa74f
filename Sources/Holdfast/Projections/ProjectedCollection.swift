import Dispatch

/// One property of each object of a list or set, stored or computed, in the order of the objects.
///
/// It is as live as its list or set, and belongs to the same thread, queue or actor. It is read-only.
public struct ProjectedCollection<Element> {
    private let base: any RealmCollection
    private let element: (Int) -> Element
    /// The properties that the elements depend on.
    private let paths: () -> [String]
    private let address: () -> _Address

    init<Root: ObjectBase>(
        _ collection: any RealmCollection<Root>, _ keyPath: KeyPath<Root, Element>
    ) {
        base = collection
        element = { collection[$0][keyPath: keyPath] }
        address = {
            let address = collection._makeAddress()
            return _Address { realm in
                (address.find(realm) as? any RealmCollection<Root>).map {
                    ProjectedCollection($0, keyPath)
                }
            }
        }
        paths = {
            KeyPathNames.paths(of: keyPath, from: Root.self) { _ = Root._of($0)[keyPath: keyPath] }
        }
    }

    /// The realm that the objects belong to; nil for an unmanaged collection.
    public var realm: Realm? { base.realm }
    /// Whether the object with the collection is gone, or its realm was invalidated.
    public var isInvalidated: Bool { base.isInvalidated }
    /// Whether it is frozen, so that it always shows one version.
    public var isFrozen: Bool { base.isFrozen }
}

extension ProjectedCollection {
    /// Calls `block` with the collection at first, and when elements were added, removed or changed. Only changes of the
    /// projected property count.
    ///
    /// Calls are made as for observers of the list or set, with the same positions. Ends the process for an unmanaged collection.
    ///
    /// - Parameters:
    ///   - queue: A serial queue, on which `block` is called with the queue's own view of the collection.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        on queue: DispatchQueue? = nil,
        _ block: @escaping (RealmCollectionChange<ProjectedCollection>) -> Void
    ) -> NotificationToken {
        if let queue { return observed(on: queue) { $0.observe(block) } }
        let observed = base._observed(paths())
        return CollectionObservation(in: observed.realm, observed.followed) {
            block(RealmCollectionChange(self, $0))
        }.begin()
    }

    /// Calls `block` on an actor, with the actor's own view of the collection. The observation begins in the actor's realm.
    ///
    /// The token does not keep the actor. Once the actor is gone, nothing is reported.
    ///
    /// - Parameters:
    ///   - actor: The actor. Its realm stays open as long as the observation lasts.
    ///   - isolation: The actor of this object's realm, on which the calling code runs.
    ///   - block: Receives the changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe<A: Actor>(
        on actor: A, isolation: isolated (any Actor)? = #isolation,
        _ block: @escaping @Sendable (isolated A, RealmCollectionChange<Self>) -> Void
    ) async -> NotificationToken {
        await observed(on: actor, isolation: isolation, block) { $0.observe($1) }
    }

    /// The notifications of `observe` for the collection, as a sequence.
    public func changes() -> RealmChanges<RealmCollectionChange<ProjectedCollection>> {
        RealmChanges { self.observe($0) }
    }
}

extension ProjectedCollection: ThreadConfined {
    /// The address of the collection, made from that of the list or set.
    public func _makeAddress() -> _Address { address() }
}

@available(*, unavailable)
extension ProjectedCollection: Sendable {}

extension ProjectedCollection: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { 0 }
    /// The position after the last element.
    public var endIndex: Int { count }
    /// The number of elements. Cost: that of the collection.
    public var count: Int { base.count }
    /// The value of the object at a position. Cost: that of the collection and of the property.
    public subscript(position: Int) -> Element { element(position) }
}

extension ProjectedCollection where Element: Equatable {
    /// The position of the first object with a value; nil if no object has it.
    public func index(of value: Element) -> Int? { firstIndex(of: value) }
}

extension ProjectedCollection: CustomStringConvertible {
    /// The elements, in order; at most the first 100.
    public var description: String { CollectionText.describe("\(Self.self)", self) { "\($0)" } }
}

/// A projected collection of any elements.
protocol ProjectedElements {}

extension ProjectedCollection: ProjectedElements {}
