import HoldfastStorage
import HoldfastStorageLMDB
import HoldfastTestSupport

/// Commits the steps of ``CommitScript`` without end, from where the store stands, and says
/// `done STEP` after each: the acknowledgement that a kill must not undo.
struct CommitLoop {
    let engine: LMDBEngine

    func run() throws(StorageError) {
        let snapshot = try engine.snapshot()
        var base = snapshot.commit
        var step = try CommitScript.lastStep(in: snapshot)
        snapshot.close()
        while true {
            step += 1
            base = try CommitScript.changes(ofStep: step).commit(to: engine, base: base)
            StorageProbe.say("done \(step)")
        }
    }
}
