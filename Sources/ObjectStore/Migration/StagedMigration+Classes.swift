import ObjectModel
import Rows
import Storage

// What depends on how many objects classes have.
extension StagedMigration {
    /// Counts what goes with whole classes.
    func countDroppedClasses(_ group: CommitGroup) throws(StoreError) {
        if proposal.allowsDataLoss { return }
        for (position, step) in change.steps.enumerated() where step.operation == .dropClass {
            guard let source = step.source, present.rows.classes[source].definition.kind.standsAlone
            else { continue }
            progress.lossCounts[position] = Int(
                try group.classState(present.rows.classes[source]).count)
        }
    }

    /// Refuses what classes can only become while they have no objects.
    func requireEmptyClasses(_ group: CommitGroup) throws(StoreError) {
        var faults: [SchemaFault] = []
        for (index, fault) in change.emptinessTests.sorted(by: { $0.key < $1.key })
        where try group.classState(present.rows.classes[index]).count > 0 {
            faults.append(fault)
        }
        if !faults.isEmpty { throw .unsupportedMigration(faults) }
    }
}
