extension Realm {
    /// Whether the realm shows one version for good.
    public var isFrozen: Bool { core.isFrozen }

    /// Returns a realm that shows the version of this one for good, and that any thread may read; a frozen one returns itself.
    ///
    /// Inside a write that is the version before it. As long as it or something of it is referenced, the store's file grows by what is written
    /// meanwhile.
    public func freeze() -> Realm { Realm(core.freeze()) }

    /// Returns the live realm of the same store for the calling code: that of its queue or actor where one is open, else of its thread. It shows the version of
    /// this one or a newer one. A live one returns itself.
    public func thaw() -> Realm { Realm(core.thaw()) }

    /// Returns what a reference leads to, as this realm has it; nil where it is gone.
    ///
    /// The realm advances first where its version is older than that of the reference.
    ///
    /// - Parameter reference: One of this store, that was not resolved before.
    /// - Returns: The object, collection or results.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: core)
    }
}
