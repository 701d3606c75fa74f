extension Realm {
    /// Whether the realm shows one version for good.
    public var isFrozen: Bool { core.isFrozen }

    /// Returns a realm that shows the version of this one for good, and that any thread may read; a frozen one returns itself.
    ///
    /// Inside a write this is the version before the write. As long as the frozen realm or one of its objects is referenced, the
    /// store's file grows with every commit.
    public func freeze() -> Realm { Realm(core.freeze()) }

    /// Returns the live realm of the same store for the calling code: that of its queue or actor where one is open, else of its thread. It shows the version of
    /// this one or a newer one. A live one returns itself.
    public func thaw() -> Realm { Realm(core.thaw()) }

    /// Returns the referenced object as this realm has it; nil if it is gone.
    ///
    /// The realm advances first where its version is older than that of the reference.
    ///
    /// - Parameter reference: One of this store, that was not resolved before.
    /// - Returns: The object, collection or results.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: core)
    }
}
