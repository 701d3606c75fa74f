import HoldfastObjectStore

extension RealmCollectionValue where Self: ObjectBase {
    /// Has `block` called when properties of the object have changed, and when it was deleted.
    ///
    /// It is called where the realm belongs: on a thread within ``Realm/refresh()``, the begin of a write and a commit. Several writes
    /// may be told as one. An unmanaged or deleted object ends the process, as a write under way and a frozen realm do.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties, also of objects behind links (`"owner.name"`) and any (`"*"`), whose changes are told. Without
    ///     any, all of the object and of the objects up to four links away.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        guard let place else {
            Misuse.end("Only objects which are managed by a Realm support change notifications")
        }
        let properties = OwnProperties(place, ObservedPaths(place.binding.model, keyPaths))
        // The faults of where it is asked come first.
        let observation = ObjectObservation(place, properties) { news in
            block(news.change(of: self, self.value(forKey:)))
        }
        _ = requireRow()
        return observation.begin()
    }

    /// Has `block` called when the properties of key paths have changed, as ``observe(keyPaths:_:)-([String]?,_)`` does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        observe(keyPaths: keyPaths.map { KeyPathNames.text(of: $0) }, block)
    }
}
