import CHoldfastLMDB
import HoldfastStorage
import Synchronization

extension LMDBEnvironment {
    /// Opens the store in `directory` as the options say. One whose medium has no room is opened for reading.
    static func open(
        _ directory: LMDBDirectory, _ options: LMDBOptions
    ) throws(StorageError) -> LMDBEnvironment {
        guard options.access == .writing else {
            return try LMDBEnvironment(
                directory, options,
                reading: StorageError(
                    .permission, operation: "open store", native: "it was opened for reading"))
        }
        do throws(StorageError) {
            let environment = try LMDBEnvironment(directory, options, reading: nil)
            if environment.journal.recent != nil {
                environment.checkpointer.expectCheckpoint(of: environment, now: true)
            }
            return environment
        } catch {
            guard error.code == .diskFull else { throw error }
            return try LMDBEnvironment(directory, options, reading: error)
        }
    }

    /// Notes that lost commits can no longer be confused with new ones.
    func noteNewEpoch() {
        guard mayLackCommits.exchange(false, ordering: .acquiringAndReleasing) else { return }
        // Where it fails, the next start takes one more epoch.
        try? directory.writeMark(durability)
    }

    /// Writes to the tree what waits, so that the data file alone is the store, and notes that it is so.
    ///
    /// Changes that can't be written now stay in the journal for the next start. No caller is left to report it to.
    func leaveInOrder() {
        guard readingReason == nil else { return }
        while (try? checkpoint()) == true {}
        guard journal.pendingByteCount == 0, !mayLackCommits.load(ordering: .acquiring),
            (try? directory.writeMark(nil)) != nil
        else { return }
        journal.truncate()
    }
}
