import Rows

extension WriteTransaction {
    /// Takes an object key for an object that the transaction is going to create, so that links can name
    /// it before.
    ///
    /// - Precondition: The class has no primary key, or the store numbers its objects.
    package func reserveKey(_ rowClass: RowClass) throws(StoreError) -> UInt64 {
        try requirePresent(rowClass)
        keyOrder.isTracking = true
        return try takeKey(rowClass)
    }

    /// Takes an object key for an object that a later transaction is going to make, perhaps, so that it
    /// stands where its turn was; it is stored even if nothing else changes.
    ///
    /// - `primaryKey`: Its ``OrderedKey``; nil for one that is new whatever there is.
    /// - Returns: Nil when the object is there already.
    package func reserveKey(
        _ rowClass: RowClass, primaryKey: [UInt8]?
    ) throws(StoreError) -> UInt64? {
        try requirePresent(rowClass)
        if let primaryKey {
            let found = try objectKey(rowClass, isLink: false) { $0.append(primaryKey) }
            if found != nil { return nil }
        }
        reservesKeys = true
        let key = try takeKey(rowClass)
        keyOrder.note(key, ofClass: rowClass.index)
        return key
    }

    /// Has an object get a key that was reserved for it, if the transaction makes it. The first key that
    /// is stated for a primary key counts.
    package func useReservedKey(_ key: UInt64, _ rowClass: RowClass, primaryKey: [UInt8]) {
        let stored = mapKeyBuffer.making {
            StoreKey.appendPrimaryKeyPrefix(rowClass, to: $0)
            $0.append(primaryKey)
        }
        let position = Array(stored)
        if reservedKeys[position] == nil { reservedKeys[position] = key }
    }

    /// Whether a reserved key is one of the class's that no object has.
    package func isFree(_ key: UInt64, _ rowClass: RowClass) throws(StoreError) -> Bool {
        guard try key < classState(rowClass).nextKey else { return false }
        return try row(rowClass, key) == nil
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
            _ = try objectKey(rowClass, isLink: false) {
                OrderedKey.append(InlineValue(next), to: $0)
            }
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
