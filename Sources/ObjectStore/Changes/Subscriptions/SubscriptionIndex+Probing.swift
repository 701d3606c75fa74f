import HoldfastQuery
import HoldfastRows

// Whether a commit is worth waking the feed's thread.
extension SubscriptionIndex {
    /// Rows and bytes that ``mayConcern(_:)`` reads for places the most.
    private static let probedRowCountMax = 256
    private static let probedByteCountMax = 64 << 10

    /// Whether a commit may concern anybody, by the conditions alone: true where it is not certain that it does not, also
    /// where that would take long to find out.
    ///
    /// Cost: a look-up of the values of each object that changed. On the writer's thread while the feed's waits.
    func mayConcern(_ step: CommitStep) -> Bool {
        if classes[nil] != nil || step.after.rows.identity != schema.identity
            || watches.areTriggered(by: step.changes)
        {
            return true
        }
        var rowCount = 0
        var byteCount = 0
        func isFound(
            _ conditions: ConditionIndex, at place: ValuePlace, of row: RowView?, _ classIndex: Int,
            in view: ReadTransaction
        ) -> Bool {
            later.read(place, from: row, classIndex, in: view)
            rowCount += 1 + place.steps.count
            byteCount += later.keyBytes.count
            return rowCount > Self.probedRowCountMax || byteCount > Self.probedByteCountMax
                || conditions.mayFind(later, nil)
        }
        func isUntested(_ number: UInt32) -> Bool {
            guard let classIndex = schema.classIndexByNumber[number] else { return false }
            return untested.contains { $0.classes?.contains(classIndex) ?? true }
        }
        if !untested.isEmpty,
            step.changes.records.contains(where: { isUntested($0.classNumber) })
                || step.changes.lostLinks.contains(where: { isUntested($0.classNumber) })
        {
            return true
        }
        for record in step.changes.records {
            guard let classIndex = schema.classIndexByNumber[record.classNumber],
                let own = classes[classIndex]
            else { continue }
            if !own.unplaced.isEmpty || own.objects[record.key] != nil { return true }
            let members = schema.classes[classIndex].members
            lazy var before = step.before.row(classIndex: classIndex, key: record.key)
            let after =
                record.kind == .delete
                ? nil : step.after.row(classIndex: classIndex, key: record.key)
            for (place, conditions) in own.places {
                // What an object was before matters where one of its records, of which there may be several, says that
                // the value or the way to it has changed; what it is now, always.
                let maySeeBefore =
                    record.kind == .delete
                    || record.properties.contains(members[place.firstMember].number)
                if conditions.hasTexts
                    || isFound(conditions, at: place, of: after, classIndex, in: step.after)
                    || maySeeBefore
                        && isFound(conditions, at: place, of: before, classIndex, in: step.before)
                {
                    return true
                }
            }
        }
        return step.before.failure != nil || step.after.failure != nil
    }
}
