import HoldfastObjectStore

extension RealmCore {
    /// Has observers note what has changed since they were told last.
    func noteChanges() {
        guard let (view, own) = observations.takeKnown() else { return }
        defer { letGo(of: view) }
        do throws(StoreError) {
            try observations.note(from: view, to: committed, own: own)
        } catch {
            storageFailed(error)
        }
    }

    /// Tells observers what has changed since they were told last. The program may write, observe and end observations meanwhile.
    func tellObservers() {
        noteChanges()
        for observation in observations.present where !observation.isEnded {
            observation.tell()
            // The program may have gone on to another version, of which the next one is told in one change or has its beginning.
            checkThread()
            noteChanges()
        }
    }
}
