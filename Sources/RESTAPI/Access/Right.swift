/// What a token allows; each right includes those before it.
package enum Right: String, Sendable, CaseIterable, Comparable {
    /// Reading objects, the schema, changes and metrics.
    case read
    /// Changing objects too.
    case write
    /// Changing the schema too.
    case admin

    package static func < (left: Right, right: Right) -> Bool { left.rank < right.rank }

    /// Its place among them, from 0.
    var rank: Int {
        switch self {
        case .read: 0
        case .write: 1
        case .admin: 2
        }
    }

    /// The right that an operation needs; nil when it is open to everybody.
    ///
    /// An operation that is not listed needs the most, so that a new one is not open by oversight; a
    /// test sees to it that none is forgotten.
    package static func needed(for operationID: String) -> Right? {
        operations[operationID] ?? .admin
    }

    /// The right that each operation needs, by its id.
    static let operations: [String: Right?] = [
        "getLiveness": nil, "getReadiness": nil, "getLinks": nil, "getVersionLinks": nil,
        "getService": .read, "getSchema": .read, "getClass": .read, "getMetrics": .read,
        "getOpenAPI": .read,
        "listObjects": .read, "queryObjects": .read, "getObject": .read, "getObjectByKey": .read,
        "aggregateObjects": .read, "sectionObjects": .read,
        "getProperty": .read, "exportObjects": .read, "exportStore": .read,
        "getOutbox": .read, "acknowledgeOutbox": .write,
        "streamChanges": .read, "streamClassChanges": .read, "streamObjectChanges": .read,
        "createObjects": .write, "putObject": .write, "patchObject": .write, "deleteObject": .write,
        "putObjectByKey": .write, "patchObjectByKey": .write, "deleteObjectByKey": .write,
        "importObjects": .write, "patchObjects": .write, "deleteObjects": .write,
        "createTransaction": .write,
        "getElement": .read, "getInnerElement": .read, "getElementByKey": .read,
        "addToElement": .write, "addInnerElement": .write, "putInnerElement": .write,
        "deleteInnerElement": .write,
        "addElement": .write, "putElement": .write, "putElementByKey": .write,
        "deleteElement": .write, "deleteElementByKey": .write,
        "listProjections": .read, "getProjection": .read, "listProjectedObjects": .read,
        "getProjectedObject": .read, "getProjectedObjectByKey": .read,
        "streamProjectionChanges": .read, "streamProjectedObjectChanges": .read,
        "patchProjectedObject": .write, "patchProjectedObjectByKey": .write,
        "patchProperty": .write,
        "putProjection": .admin, "deleteProjection": .admin,
        "putSchema": .admin, "putClass": .admin, "deleteClass": .admin,
        // It may make a schema.
        "importStore": .admin,
        // A backup holds what no other operation shows, such as kept replies.
        "listBackups": .admin, "createBackup": .admin, "getBackup": .admin,
        "deleteBackup": .admin,
    ]
}
