import HoldfastObjectModel
import HoldfastQuery
import HoldfastRows
import HoldfastStorage

/// Why an operation on objects failed. Nothing was changed.
package enum StoreError: Error, Sendable {
    /// The schema has no class of this name.
    case unknownClass(String)
    /// No object has this identity.
    case objectNotFound
    /// An object with the primary key is there already.
    case duplicateKey(className: String)
    /// An object with the primary key is there already, and the caller may not see it.
    case keyOfHiddenObject(className: String)
    /// An object of an asymmetric class with the primary key waits in the class's outbox.
    case keyInOutbox(className: String)
    /// A link names an object that does not exist when the transaction ends.
    case danglingLinks([DanglingLink])
    /// Values that have to be unique when the transaction ends are not.
    case notUnique([UniqueViolation])
    /// Objects were deleted that others hold by links that deny it.
    case deniedDeletion([DeniedDeletion])
    /// A change of the schema makes values unique that objects share.
    case sharedValues([SchemaFault])
    /// A restricted writer did something without the right to it.
    case notAllowed(RefusedAct)
    /// A precondition does not hold. With the present object, for the reply; nil without one.
    case preconditionFailed(current: StoredObject?)
    /// The class has a primary key that the new object does not state and that can't be generated.
    case missingKey(className: String, property: String)
    /// A new or replaced object, or an embedded one in it, does not state properties that are required.
    case unstated([UnstatedProperty])
    /// The store numbers the objects of the class, and the type of the key has no greater number.
    case numbersExhausted(className: String, property: String, limit: Int64)
    /// The schema itself is wrong.
    case invalidSchema([SchemaFault])
    /// Projections that do not hold in the schema that is wanted.
    case brokenProjections([ProjectionFault])
    /// Renamings that do not lead from the present schema to the one that is wanted.
    case invalidRenames([SchemaRenames.Fault])
    /// The schema change would lose data, and data loss was not allowed.
    case lossyMigration([SchemaFault])
    /// The schema change would give objects of a class the same primary key.
    case duplicateKeys([SchemaFault])
    /// Properties of other classes name a class that was to be dropped.
    case classInUse([SchemaFault])
    /// Another schema change is under way; it has done so much of all objects.
    case migrationUnderWay(percent: Int)
    /// The schema change is not one that this version performs.
    case unsupportedMigration([SchemaFault])
    /// Another schema came first: the write was made for an older one and has to be made again.
    case schemaRevision(current: UInt64)
    /// The transaction has more operations than allowed.
    case tooManyOperations(limit: Int)
    /// The transaction changes more bytes than allowed.
    case transactionTooLarge(byteCountMax: Int)
    /// A value, row or key is too large to be stored.
    case tooLarge(detail: String)
    /// No room is left for the reply to a write with an idempotency key. In `seconds` the oldest reply expires that
    /// makes room for it.
    case noIdempotencyRoom(IdempotencyRoom, seconds: Int)
    /// A write was to keep properties of an object, or of an embedded one, that is not there.
    case nothingToKeep
    /// A query took too long, or needed too much memory.
    case stopped(EvaluationFailure)
    case storage(StorageError)
    /// The write's body refuses it, for a reason that its caller knows.
    case refused(any Error)
    /// An open interactive write has kept the write waiting for longer than it may.
    case waitedForTurn(milliseconds: Int)
    /// The thread has the open write already: it would wait for itself.
    case interactiveWriteIsOpen
    /// The open write has ended.
    case interactiveWriteEnded
    /// The store was opened for reading.
    case readOnly
    /// The store is open in this process, for reading alone or not, and was to be opened the other way.
    case openedOtherwise(isReadOnly: Bool)
    /// A version can be kept when it is committed.
    case uncommitted
    /// The store is shutting down.
    case closing
}

/// A link to nothing, as the client stated it.
package struct DanglingLink: Sendable {
    /// The position of the transaction's operation or import line that holds it.
    package var source: Int
    /// Its position in the object, as property names and positions from the outside in.
    package var path: [PathStep]
    /// The class that lacks the target.
    package var targetClass: String

    /// One step from an object into it.
    package enum PathStep: Sendable, Equatable {
        case property(String)
        /// Into an element of a collection.
        case element(Int)
        /// Into an entry of a map.
        case key(String)
    }
    /// Whether the link stands before another: by source, then by position, elements by number.
    func isBefore(_ other: DanglingLink) -> Bool {
        if source != other.source { return source < other.source }
        for (left, right) in zip(path, other.path) where left != right {
            switch (left, right) {
            case (.element(let a), .element(let b)): return a < b
            case (.property(let a), .property(let b)), (.key(let a), .key(let b)): return a < b
            case (.property, _): return true
            case (_, .property): return false
            case (.element, .key): return true
            case (.key, .element): return false
            }
        }
        return path.count < other.path.count
    }
}

/// A required property that a write did not state.
package struct UnstatedProperty: Sendable {
    /// The class that requires it.
    package var className: String
    /// Its name.
    package var property: String
    /// Whether a write of a user need not state it, because it gets the user's id.
    package var takesUser = false
    /// The way from the object that the client wrote to the one that lacks it.
    package var path: [DanglingLink.PathStep]
}

/// A deleted object that another one holds by a link that denies it.
package struct DeniedDeletion: Sendable {
    /// The position of the transaction's operation that deleted it.
    package var source: Int
    /// The deleted object, for a person to read; nil where it is not to be named.
    package var target: String?
    /// The class of the object that holds the link.
    package var holderClass: String
    /// That object, for a person to read; nil where it is not to be named.
    package var holder: String?
    /// The class and the property that state the rule, such as `Order.customer`; not to be named where the holder is not.
    package var property: String
}

/// A value, or the values of a group, that another object has already.
package struct UniqueViolation: Sendable {
    /// Which of the transaction's operations or import lines wrote it.
    package var source: Int
    /// The position of the object in the client's body, as property names and positions from the outside in.
    package var path: [DanglingLink.PathStep]
    /// The class of both objects; nil where it is not to be named.
    package var className: String?
    /// The properties of the group, or the unique one; empty if they must not be named.
    package var properties: [String]
    /// The other object, for a person to read; nil where it is not to be named.
    package var holder: String?
}

/// An act on an object that the writer has no right to.
package struct RefusedAct: Hashable, Sendable {
    /// The kinds of acts.
    package enum Action: String, Sendable { case create, update, delete }

    /// The operation or line that stated it.
    package var source: Int
    /// The acting user, only for the log; nil for an anonymous visitor.
    package var user: String?
    package var className: String
    package var action: Action
    /// The property that may not be stated or changed; nil where nothing of the object may.
    package var property: String?
    /// The rules that do not allow it, of the roles that hold, by where they stand in the access document: for the
    /// log alone. Where a role has no rule for the action, its rules for the class.
    package var rules: [String]
}
