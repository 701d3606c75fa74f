import HoldfastObjectStore

extension RealmCore {
    /// Makes observations note the changes since their last report.
    func noteChanges() {
        guard let (view, own) = observations.takeKnown() else { return }
        defer { letGo(of: view) }
        do throws(StoreError) {
            try observations.note(from: view, to: committed, own: own)
        } catch {
            storageFailed(error)
        }
    }

    /// Reports the changes to observers. The program may write, observe and end observations in the calls.
    func tellObservers() {
        noteChanges()
        for observation in observations.present where !observation.isEnded {
            observation.tell()
            // The program may have advanced to another version. A new observation begins there; others report it with their next
            // change.
            checkThread()
            noteChanges()
        }
    }
}
