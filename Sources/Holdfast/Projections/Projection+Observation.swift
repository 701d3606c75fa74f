extension ProjectionObservable {
    /// Has `block` called when projected properties have changed, and when the object was deleted.
    ///
    /// It is called where and when observers of the object are. Properties are told by their names in the projection, with what it
    /// showed before and shows now; what it does not project is not told. A projection of an unmanaged object ends the process.
    ///
    /// - Parameters:
    ///   - keyPaths: The properties whose changes are told, by their names in the projection or by the paths of the object that
    ///     it projects; all without any.
    ///   - block: Is told of changes.
    /// - Returns: A token, which has to be kept as long as the block is to be called.
    public func observe(
        keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        guard let place = rootObject.place else {
            Misuse.end("Only objects which are managed by a Realm support change notifications")
        }
        let properties = ProjectionClass.of(self).properties(meantBy: keyPaths)
        // The faults of where it is asked come first.
        let object = rootObject
        let observed = ProjectedProperties(object, place, properties)
        let observation = ObjectObservation(place, observed) { news in
            block(
                news.change(of: self) { name in
                    properties.first { $0.name == name }?.value(of: object)
                })
        }
        _ = rootObject.requireRow()
        return observation.begin()
    }

    /// Has `block` called when the projected properties of key paths have changed, as ``observe(keyPaths:_:)-([String]?,_)``
    /// does.
    public func observe(
        keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
    ) -> NotificationToken {
        let properties = ProjectionClass.of(self).properties
        let names = keyPaths.flatMap { keyPath in
            // Two properties that depend on the same are told both.
            let paths = KeyPathNames.paths(from: Root.self) { _ = Self._of($0)[keyPath: keyPath] }
            let meant = properties.filter { $0.paths == paths }
            if meant.isEmpty { Misuse.end("The key path of '\(Self.self)' is of no property.") }
            return meant.map(\.name)
        }
        return observe(keyPaths: names, block)
    }

    /// The paths of the object that observers of several projections are told, of some of their properties or of all.
    static func observedPaths(_ keyPaths: [String]?) -> [String] {
        ProjectionClass.of(Self(projecting: Root())).properties(meantBy: keyPaths).flatMap(\.paths)
    }
}
