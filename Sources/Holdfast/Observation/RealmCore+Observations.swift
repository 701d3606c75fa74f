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

    /// Tells observers what has changed since they were told last.
    func tellObservers() {
        noteChanges()
        observations.tell()
    }
}
