import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Which object a request is about, in one schema.
package struct ObjectTarget {
    package var rowClass: RowClass
    /// The primary key, or the object key as an int if the class has no primary key.
    package var key: Value

    /// The object key; nil for a class with a primary key.
    package var objectKey: UInt64? {
        guard rowClass.primaryKeyIndex == nil, case .int(let key) = key else { return nil }
        return UInt64(clamping: key)
    }
}

extension WriteTransaction {
    /// The object key of an object that is named by its primary key, or by its object key as an int where
    /// the class has no primary key; nil if the object does not exist.
    package func find(_ rowClass: RowClass, id: Value) throws(StoreError) -> UInt64? {
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = id else { return nil }
            let key = UInt64(clamping: number)
            return try row(rowClass, key) == nil ? nil : key
        }
        guard let primaryKey = OrderedKey(id) else { return nil }
        return try find(rowClass, primaryKey: primaryKey)?.key
    }

    /// The object of a target.
    ///
    /// - Throws: ``StoreError`` `.preconditionFailed` or `.objectNotFound` when it is not there.
    package func require(
        _ target: ObjectTarget, _ precondition: Precondition
    ) throws(StoreError) -> (key: UInt64, row: RowView) {
        guard let key = try find(target.rowClass, id: target.key),
            let row = try row(target.rowClass, key)
        else {
            try check(precondition, target.rowClass, key: nil, nil)
            throw .objectNotFound
        }
        return (key, row)
    }
}
