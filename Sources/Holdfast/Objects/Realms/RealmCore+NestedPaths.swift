import HoldfastObjectStore
import HoldfastRows

/// The program's references into an object's inside: see ``NestedPath``.
extension RealmCore {
    /// Makes a path into an object; the path follows edits of the object.
    func way(
        _ steps: [NestedPath.Step], of rootClass: RowClass, _ key: UInt64, isCollection: Bool
    ) -> NestedPath {
        let way = NestedPath(steps, of: rootClass, isCollection: isCollection)
        if !isFrozen { paths.note(way, of: ObjectIdentity(classIndex: rootClass.index, key: key)) }
        return way
    }

    /// Updates the program's references into an object after an edit.
    func follow(_ edit: NestedPath.Edit, in container: [NestedPath.Step], of root: ObjectIdentity) {
        paths.follow(edit, in: container, of: root)
    }

    /// Updates the program's references into collections after other writes. Cost: linear in the changes, if there are such
    /// references.
    ///
    /// - `own`: The version that the realm's own write made. References have already followed that write.
    func followOthers(
        from before: StoreView, to after: StoreView, own: UInt64?
    ) throws(StoreError) {
        if before.rows !== after.rows { return }
        let held = paths.inCollections
        if held.isEmpty { return }
        let start: UInt64
        if let own { start = own } else { start = try before.state().version }
        if try after.state().version == start { return }
        let changes = try? FoldedChanges(
            after: start, in: after, classes: Set(held.keys.map(\.classIndex)), notesLists: true,
            formerByteCountMax: 0)
        let movement = NestedPathTracker(
            before: before, after: after, changes: changes, isBlind: own != nil)
        for (root, paths) in held { movement.follow(paths, of: root) }
    }

    /// The most records of the change log that are read for one object. Beyond that its lists are compared.
    private static let recordCountMax = 4096

    /// The movement of an object's nested objects from another view of the store to the realm's current view; nil if the schemas
    /// differ: nested objects are then identified by position.
    func movement(from before: StoreView, of root: ObjectIdentity) -> NestedPathTracker? {
        let after = view
        if before.rows !== after.rows { return nil }
        var changes: FoldedChanges?
        if !isInWrite, let start = try? before.state().version, let end = try? after.state().version
        {
            changes = try? FoldedChanges(
                after: start, in: after, recordCountMax: Self.recordCountMax,
                classes: [root.classIndex], notesLists: true, formerByteCountMax: 0)
            if changes?.through != end { changes = nil }
        }
        return NestedPathTracker(before: before, after: after, changes: changes)
    }

    /// The path to a nested object before the write in progress; nil if the write has created it.
    func stepsBeforeWrite(_ way: NestedPath, of root: ObjectIdentity) -> [NestedPath.Step]? {
        let moved = NestedPath(way.steps, of: way.rootClass, isCollection: way.isCollection)
        NestedPathTracker(before: view, after: committed, changes: nil).follow([moved], of: root)
        return moved.isGone ? nil : moved.steps
    }

    var isFrozen: Bool { frozen != nil }

    /// The frozen realm of the version that the realm shows. During a write, that is the version before the write.
    ///
    /// All frozen objects of a version share one realm. Cost: the first time, a look-up and some allocations.
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
        } catch { Misuse.end("The realm can't be opened: \(error)") }
    }

    /// Throws if more versions are held than the configuration allows.
    func requireFewVersions() throws(Realm.Error) {
        guard let most = configuration.maximumNumberOfActiveVersions else { return }
        let held = opened.store.retainedVersions
        if held.count <= most { return }
        // Some of them may be versions that observers know.
        noteChanges()
        if held.count <= most { return }
        throw Realm.Error(
            .tooManyVersions,
            "Number of active versions (\(held.count)) in the Realm exceeded the limit of \(most): \(held.count(of: .frozen)) are held by frozen objects, \(held.count(of: .realm)) by realms.",
            fileURL: configuration.fileURL)
    }

    /// Advances if the version is older than a commit.
    func catchUp(to commit: UInt64) {
        reopen()
        if !isInWrite, commitNumber < commit { advance() }
    }
}
