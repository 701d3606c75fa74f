import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// How a request names an object: by the name of its class or of a projection, and the text of its key. The
/// texts have to be valid until the request is answered.
package struct ObjectAddress: @unchecked Sendable {
    // Unchecked: the bytes are constant as long as the owner is used for the request.

    /// The text of a key.
    package enum Key {
        /// As it stands in a path.
        case text(UnsafeRawBufferPointer)
        case json(UnsafeRawBufferPointer)
        /// The request states no value.
        case missing
    }

    /// The name of the class, or of the projection.
    package let container: UnsafeRawBufferPointer
    package let key: Key
    private let owner: AnyObject

    /// Names an object by texts that `owner` holds.
    package init(_ container: UnsafeRawBufferPointer, _ key: Key, of owner: AnyObject) {
        self.container = container
        self.key = key
        self.owner = owner
    }

    /// Finds the class and reads the key.
    ///
    /// - Throws: ``RequestFault`` `.notFound` for an unknown class, `.malformed` for a key that is missing or of the wrong type.
    package func target(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectTarget {
        try key.target(of: names.objectClass(named: container), scratch)
    }
}

extension ObjectAddress.Key {
    /// Reads the key of an object of a class.
    ///
    /// - Throws: ``RequestFault`` `.malformed` for a key that is missing or of the wrong type.
    package func target(
        of rowClass: RowClass, _ scratch: RequestScratch
    ) throws(RequestFault) -> ObjectTarget {
        switch self {
        case .text(let text):
            return ObjectTarget(
                rowClass: rowClass, key: try KeyText.value(path: text, of: rowClass))
        case .json(let text):
            return ObjectTarget(
                rowClass: rowClass,
                key: try KeyText.value(json: text, of: rowClass, parser: scratch.parser))
        case .missing:
            throw .parameter(
                "key",
                "This path needs the object's key as JSON, such as ?key=7 or ?key=%22a%2Fb%22.")
        }
    }

    /// Finds the object of a class.
    ///
    /// - Throws: ``RequestFault`` `.notFound` when it is not there, `.malformed` for a key that is missing or of the
    ///   wrong type, or when reading fails.
    package func find(
        of rowClass: RowClass, _ read: ReadTransaction, _ scratch: RequestScratch,
        _ served: ServedStore
    ) throws(RequestFault) -> (key: UInt64, row: RowView) {
        scratch.key.removeAll()
        var objectKey: UInt64?
        if case .text(let text) = self {
            if rowClass.primaryKeyIndex == nil {
                objectKey = UInt64(jsonDigits: text)
                if objectKey == nil { throw KeyText.wrongType(rowClass) }
            } else {
                try KeyText.append(path: text, of: rowClass, to: scratch.key)
            }
        } else {
            let target = try target(of: rowClass, scratch)
            objectKey = target.objectKey
            if objectKey == nil { OrderedKey.append(target.key, to: scratch.key) }
        }
        let found: (key: UInt64, row: RowView)?
        if let objectKey {
            found = try served.mappingStoreErrors(read.find(rowClass, key: objectKey)).map {
                (objectKey, $0)
            }
        } else {
            found = try served.mappingStoreErrors(
                read.find(rowClass, primaryKey: scratch.key.bytes, cache: scratch.primaryKeys)
            ).map { ($0.key, $0.row) }
        }
        guard let found else { throw RequestFault(.objectNotFound) }
        return found
    }
}

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
