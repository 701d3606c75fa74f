extension Realm {
    /// Whether the realm shows one version for good.
    public var isFrozen: Bool { core.isFrozen }

    /// Returns a frozen realm, which always shows this realm's version and may be read by any thread. A frozen realm returns
    /// itself.
    ///
    /// Inside a write this is the version before the write. As long as the frozen realm or one of its objects is referenced, the
    /// store's file grows with every commit.
    public func freeze() -> Realm { Realm(core.freeze()) }

    /// Returns the live realm of the same store for the calling code: that of its queue or actor if one is open, otherwise that
    /// of its thread. It shows this realm's version or a newer one. A live realm returns itself.
    public func thaw() -> Realm { Realm(core.thaw()) }

    /// Returns the referenced object in this realm; nil if it is gone.
    ///
    /// The realm first advances if its version is older than the reference's version.
    ///
    /// - Parameter reference: A reference of this store that has not been resolved before.
    /// - Returns: The object, collection or results.
    public func resolve<Confined>(_ reference: ThreadSafeReference<Confined>) -> Confined? {
        reference.resolve(in: core)
    }
}
