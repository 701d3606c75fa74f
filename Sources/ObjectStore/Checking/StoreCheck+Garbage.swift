import Rows
import Storage

extension StoreCheck {
    /// What the record of schema changes names; nothing when it is damaged, which
    /// ``checkMigrationRecord()`` finds.
    static func garbage(_ transaction: ReadTransaction) throws(StoreError) -> [Garbage] {
        do throws(StorageError) {
            let record = try MigrationRecord.read(transaction.snapshot) ?? MigrationRecord()
            return record.staged + record.garbage
        } catch {
            throw .storage(error)
        }
    }

    /// Checks that what is left of schema changes can be read.
    mutating func checkMigrationRecord() throws(StoreError) {
        do throws(StorageError) {
            if try MigrationRecord.read(transaction.snapshot) == nil {
                report.add("migration-record-damaged", "what is left of changes of the schema")
            }
        } catch {
            throw .storage(error)
        }
    }

    /// Whether an index entry or inverse link is going to be removed, or is not yet to be seen.
    func isGarbage(_ key: UnsafeRawBufferPointer) -> Bool {
        garbage.contains { $0.range.contains(key) && $0.contains(key) }
    }

    /// Whether rows of a class are left over, which may refer to values of its objects.
    func hasGarbageRows(_ rowClass: RowClass) -> Bool {
        garbage.contains { entry in
            if case .rows(_, rowClass.number) = entry { true } else { false }
        }
    }
}
