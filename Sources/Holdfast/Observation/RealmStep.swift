import HoldfastObjectStore
import HoldfastRows

/// A step of a realm from one version to a later one.
final class RealmStep {
    let before: StoreView
    let after: StoreView
    let version: UInt64
    /// The changes; nil if they are unknown, because the schema changed or the change log has been cut.
    let changes: ChangeStep?

    /// Cost: linear in the changes.
    init(from before: StoreView, to after: StoreView) throws(StoreError) {
        self.before = before
        self.after = after
        version = try after.state().version
        guard before.rows === after.rows else {
            changes = nil
            return
        }
        var folded: FoldedChanges
        let start = try before.state().version
        do throws(FoldedChanges.Gap) {
            folded = try FoldedChanges(
                after: start, in: after, notesLists: true, formerByteCountMax: 0)
        } catch {
            if case .storage(let error) = error { throw .storage(error) }
            changes = nil
            return
        }
        folded.keepDifferences(from: before, to: after)
        changes = ChangeStep(before: before, after: after, changes: folded)
    }
}
