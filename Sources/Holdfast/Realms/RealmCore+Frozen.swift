import HoldfastObjectStore

extension RealmCore {
    var isFrozen: Bool { frozen != nil }

    /// The frozen realm of the version that the realm shows: that before the write, where one is under way.
    ///
    /// One of a version is all of that version. Cost: the first time that of a look-up and some allocations.
    func freeze() -> RealmCore {
        if isFrozen { return self }
        checkThread()
        reopen()
        if let present = OpenRealms.frozenCore(version, models) { return present }
        do throws(StoreError) {
            return OpenRealms.sharing(frozen: RealmCore(frozen: try committed.pin(), of: self))
        } catch {
            Misuse.end(
                "The version can't be kept: \(Realm.Error(error, configuration.fileURL).message)")
        }
    }

    /// The live realm of the same store for the calling code, at this version or a newer one.
    func thaw() -> RealmCore {
        if !isFrozen { return self }
        do {
            let live = try OpenRealms.usableCore(of: configuration)
            live.checkThread()
            live.catchUp(to: commitNumber)
            return live
        } catch {
            Misuse.end("The realm can't be opened: \(error)")
        }
    }

    /// Throws where more versions are held than the configuration allows.
    func requireFewVersions() throws(Realm.Error) {
        guard let most = configuration.maximumNumberOfActiveVersions else { return }
        let held = opened.store.heldVersions
        if held.count <= most { return }
        // One may be that which observers know.
        noteChanges()
        if held.count <= most { return }
        throw Realm.Error(
            .tooManyVersions,
            "Number of active versions (\(held.count)) in the Realm exceeded the limit of \(most): \(held.count(of: .frozen)) are held by frozen objects, \(held.count(of: .realm)) by realms.",
            fileURL: configuration.fileURL)
    }

    /// Advances where the version is older than a commit.
    func catchUp(to commit: UInt64) {
        reopen()
        if !isInWrite, commitNumber < commit { advance() }
    }
}
