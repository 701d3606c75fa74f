import HoldfastQuery
import HoldfastRows

// Whether a commit is worth waking the feed's thread.
extension SubscriptionIndex {
    /// The maximum number of rows and bytes that ``mayConcern(_:)`` reads for places.
    private static let probedRowCountMax = 256
    private static let probedByteCountMax = 64 << 10

    /// Whether a commit may concern a channel, judging only by the conditions. False only if it certainly does not and that is
    /// quickly found.
    ///
    /// Cost: a look-up of the values of each changed object. On the writer's thread while the feed's waits.
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
                // The former value counts if one of the object's records, of which there may be several, says that the value or
                // the path to it has changed. The present value always counts.
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
