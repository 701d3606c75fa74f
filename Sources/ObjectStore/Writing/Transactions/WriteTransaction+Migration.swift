import HoldfastRows

extension WriteTransaction {
    /// Takes an object that is about to change out of the change of the schema under way.
    ///
    /// - `row`: Its row; what it refers to is still there.
    func leaveMigration(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        try group.migration?.leave(group, rowClass, key, row)
    }

    /// Enters an object that was created or changed into the change of the schema under way.
    ///
    /// - `row`: Its row, of which everything is written.
    func enterMigration(_ rowClass: RowClass, _ key: UInt64, _ row: RowView) throws(StoreError) {
        try group.migration?.enter(self, rowClass, key, row) { migrationFaults.append($0) }
    }
}
