import HoldfastRows

extension WriteTransaction {
    /// Takes an object key for an object that the transaction is going to create, so that links can name it before.
    ///
    /// - Precondition: The class has no primary key, or the store numbers its objects.
    package func reserveKey(_ rowClass: RowClass) throws(StoreError) -> UInt64 {
        try requirePresent(rowClass)
        return try keys.takeEarly(rowClass, &counters)
    }

    /// Takes an object key for an object that a later transaction is going to make, perhaps, so that it
    /// stands where its turn was; it is stored even if nothing else changes.
    ///
    /// - `primaryKey`: Its ``OrderedKey``; nil for an object that is always new.
    /// - Returns: Nil if the object exists already.
    package func reserveKey(
        _ rowClass: RowClass, primaryKey: [UInt8]?
    ) throws(StoreError) -> UInt64? {
        try requirePresent(rowClass)
        if let primaryKey {
            let stored = group.primaryKey(rowClass) { $0.append(primaryKey) }
            if try group.objectKey(stored) != nil { return nil }
        }
        return try keys.reserve(rowClass, &counters)
    }

    /// Has an object get a key that was reserved for it, if the transaction makes it. The first key that
    /// is stated for a primary key counts.
    package func useReservedKey(_ key: UInt64, _ rowClass: RowClass, primaryKey: [UInt8]) {
        keys.use(key, for: group.primaryKey(rowClass) { $0.append(primaryKey) })
    }

    package func hasMade(_ key: UInt64, _ rowClass: RowClass) -> Bool {
        counters.hasMade(key, rowClass)
    }

    /// Whether a reserved key is one of the class's that no object has.
    package func isFree(_ key: UInt64, _ rowClass: RowClass) throws(StoreError) -> Bool {
        try keys.isFree(key, rowClass)
    }

    /// Creates an object under a key from ``reserveKey(_:)``.
    ///
    /// - `source`: The operation or line that states it, by which errors name it.
    package func create(
        _ draft: ObjectDraft, reservedKey: UInt64, source: Int = 0
    ) throws(StoreError) -> WriteResult {
        try countOperation()
        let rowClass = draft.rowClass
        try requirePresent(rowClass)
        var number: Int64?
        if rowClass.primaryKeyIndex != nil {
            let next = try keys.nextNumber(rowClass)
            number = next
            let primaryKey = group.primaryKey(rowClass) {
                OrderedKey.append(InlineValue(next), to: $0)
            }
            try keys.map(primaryKey, rowClass, to: reservedKey, &counters)
        }
        return try insert(draft, reservedKey, number: number, WriteOrigin(source: source))
    }

    /// Applies a draft to an object that is known by its object key, whether or not its class has a primary key. One draft may
    /// change many objects.
    ///
    /// - Precondition: The draft does not state the primary key.
    /// - `source`: The operation or line that states it, by which errors name it.
    /// - Throws: ``StoreError`` `.objectNotFound`, or as ``write(_:objectKey:mode:precondition:source:)``.
    package func update(
        _ draft: ObjectDraft, key: UInt64, source: Int = 0
    ) throws(StoreError) -> WriteResult {
        try countOperation()
        try requirePresent(draft.rowClass)
        guard let stored = try storedRow(draft.rowClass, key) else { throw .objectNotFound }
        return try change(draft, key, stored, nil, keepsAbsent: true, WriteOrigin(source: source))
    }
}

/// The outcome of a write for one object.
package struct WriteResult {
    /// The class's position.
    package var classIndex: Int
    package var key: UInt64
    /// The object's row after the write, valid while the transaction's body runs.
    package var row: RowView
    package var isCreated: Bool
    package var isChanged: Bool

    /// The outcome for an object that exists.
    init(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView, isCreated: Bool = false,
        isChanged: Bool
    ) {
        classIndex = rowClass.index
        self.key = key
        self.row = row
        self.isCreated = isCreated
        self.isChanged = isChanged
    }
}
