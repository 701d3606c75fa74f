import Rows

extension WriteTransaction {
    /// Takes an object key for an object that the transaction is going to create, so that links can name
    /// it before.
    ///
    /// - Precondition: The class has no primary key, or the store numbers its objects.
    package func reserveKey(_ rowClass: RowClass) throws(StoreError) -> UInt64 {
        try requirePresent(rowClass)
        return try takeKey(rowClass)
    }

    /// Creates an object under a key from ``reserveKey(_:)``.
    package func create(_ draft: ObjectDraft, reservedKey: UInt64) throws(StoreError) -> WriteResult
    {
        try countOperation()
        let rowClass = draft.rowClass
        try requirePresent(rowClass)
        var number: Int64?
        if rowClass.primaryKeyIndex != nil {
            let next = try nextNumber(rowClass)
            number = next
            _ = try objectKey(rowClass, isLink: false) { OrderedKey.append(next, to: $0) }
            try mapPrimaryKey(rowClass, to: reservedKey)
        }
        return try insert(draft, awaitedKey: reservedKey, number: number, path: [])
    }

    /// Changes what a draft states of an object that is known by its object key, whether or not its class
    /// has a primary key: one draft may change many objects.
    ///
    /// - Precondition: The draft does not state the primary key.
    /// - Throws: ``StoreError`` `.objectNotFound`, or as
    ///   ``write(_:objectKey:mode:precondition:)``.
    package func update(_ draft: ObjectDraft, key: UInt64) throws(StoreError) -> WriteResult {
        try countOperation()
        try requirePresent(draft.rowClass)
        guard let stored = try row(draft.rowClass, key) else { throw .objectNotFound }
        return try change(draft, key, stored, nil, keepsAbsent: true, path: [])
    }
}
