import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastStorage

extension RequestFault {
    /// Describes a failed operation on objects for a client. The only place where such an error
    /// becomes a status; no `default`, so that a new error needs a choice.
    package init(_ error: StoreError) {
        switch error {
        case .unknownClass(let name):
            self.init(.notFound, "unknown-class", "There is no class '\(name)'.")
        case .objectNotFound:
            self.init(.notFound, "object-not-found", "There is no object with this key.")
        case .duplicateKey(let className):
            self.init(
                .conflict, "duplicate-key",
                "An object of class '\(className)' with this primary key exists already; use PUT to "
                    + "replace it, or mode=merge, replace or ignore.")
        case .keyOfHiddenObject(let className):
            self.init(
                .conflict, "duplicate-key",
                "An object of class '\(className)' with this primary key exists already, and you may not see "
                    + "it; state another key.")
        case .keyInOutbox(let className):
            self.init(
                .conflict, "duplicate-key",
                "An object of class '\(className)' with this primary key waits in the class's outbox; the "
                    + "key is free again when the object is acknowledged.")
        case .danglingLinks(let links): self.init(dangling: links) { _ in JSONPointer() }
        case .notUnique(let violations): self.init(notUnique: violations) { _ in JSONPointer() }
        case .deniedDeletion(let deletions): self.init(denied: deletions)
        case .notAllowed(let act): self.init(act)
        case .preconditionFailed(let current):
            self.init(
                .preconditionFailed, "precondition-failed",
                current == nil
                    ? "The object that the precondition needs does not exist."
                    : "The object does not meet the precondition; 'current' has its present state.",
                current: current)
        case .missingKey(let className, let property):
            let detail =
                "'\(property)' is the primary key of class '\(className)' and has to be stated."
            self = .single(
                .invalid, "missing-key", detail,
                pointer: JSONPointer().appending(property).description)
        case .unstated(let properties): self.init(unstated: properties)
        case .numbersExhausted(let className, let property, let limit):
            let detail =
                "'\(property)' of class '\(className)' has used its greatest number, \(limit), so no "
                + "next number can be made; state a free number, or give the key a wider type."
            self = .single(
                .conflict, "numbers-exhausted", detail,
                pointer: JSONPointer().appending(property).description)
        case .invalidSchema, .unsupportedMigration, .lossyMigration, .duplicateKeys, .classInUse,
            .invalidRenames, .brokenProjections, .sharedValues, .schemaRevision:
            self = SchemaProblem.make(error) { _ in nil }
        case .migrationUnderWay(let percent):
            self.init(
                .conflict, "migration-under-way",
                "Another change of the schema is under way, \(percent) percent of it; wait for it, and "
                    + "make this one again.", retryAfterSeconds: 5)
        case .tooManyOperations(let limit):
            self.init(
                .invalid, "too-many-operations",
                "A transaction may write and delete at most \(limit) objects; split the request, or "
                    + "import.")
        case .transactionTooLarge(let limit):
            self.init(
                .invalid, "transaction-too-large",
                "A transaction may change at most \(limit) bytes, which wait in memory; split the request: "
                    + "fewer objects, or a filter that finds fewer.")
        case .tooLarge(let detail): self.init(.invalid, "too-large", detail)
        case .noIdempotencyRoom(let room, let seconds):
            let full =
                switch room {
                case .principal: "Your stored replies use all of your share of the space"
                case .users: "The stored replies of all users together use all of their space"
                case .store: "The stored replies use all of the space"
                }
            self.init(
                .unavailable, "too-many-idempotency-keys",
                full
                    + ", and no reply is removed before its time; nothing was changed. Try again later, or write without 'Idempotency-Key'.",
                retryAfterSeconds: max(1, seconds))
        case .nothingToKeep:
            self.init(
                .invalid, "nothing-to-keep",
                "\"$omitted\" names properties that keep stored values, but the object, or an embedded "
                    + "object that they belong to, does not exist; state them.")
        case .refused(let fault as RequestFault): self = fault
        // The bounds of a query are its server's, which says more of it.
        case .refused, .stopped, .interactiveWriteEnded, .interactiveWriteIsOpen, .uncommitted,
            .openedOtherwise:
            self.init(
                .unavailable, "busy", "The write was rolled back; try again.", retryAfterSeconds: 1)
        case .waitedForTurn(let milliseconds):
            self.init(
                .unavailable, "busy",
                "Another write has kept this one waiting for \(milliseconds) ms, and nothing was changed; "
                    + "try again.", retryAfterSeconds: 1)
        case .readOnly:
            self.init(
                .unavailable, "storage-unavailable",
                "The store is open for reading only; write where it is open for writing.",
                retryAfterSeconds: 5)
        case .storage(let error): self.init(error)
        case .closing: self = .stopping
        }
    }

    /// The server is about to end.
    package static let stopping = RequestFault(
        .unavailable, "stopping", "The server is stopping; try again.", retryAfterSeconds: 2)

    /// A request for which no memory is left.
    static let outOfMemory = RequestFault(
        .unavailable, "busy", "There is not enough memory; try again.", retryAfterSeconds: 5)

    /// Describes failed storage for a client: its next step, and nothing of the inside.
    package init(_ error: StorageError) {
        switch error.code {
        case .conflict:
            self.init(.unavailable, "busy", "Too many conflicts; try again.", retryAfterSeconds: 1)
        case .badKey, .valueTooLong:
            self.init(
                .invalid, "too-large",
                "An object is larger than the store can keep; make it smaller.")
        case .diskFull:
            self.init(
                .storageFull, "storage-full",
                "There is no space left in the store. Nothing was changed; reads go on.")
        case .readersFull:
            self.init(
                .unavailable, "busy", "Too many reads are open; try again.", retryAfterSeconds: 1)
        case .memory: self = .outOfMemory
        case .unavailable:
            self.init(
                .unavailable, "storage-unavailable", "The storage can't be reached; try again.",
                retryAfterSeconds: 5)
        case .locked:
            self.init(
                .unavailable, "storage-unavailable", "The storage is in use by another process.",
                retryAfterSeconds: 5)
        case .closed: self = .stopping
        case .io:
            self.init(
                .failed, "storage-failed",
                "Reading or writing the storage failed. After a failed write no more writes are taken "
                    + "until the server is restarted; the log has the reason.")
        case .corrupted, .format, .permission:
            self.init(
                .failed, "storage-failed",
                "The storage can't be read; the server's log has the reason.")
        }
    }

    /// Required properties that an object lacks, with pointers for a body that is the object.
    private init(unstated properties: [UnstatedProperty]) {
        let faults = FaultList(properties) { missing in
            var pointer = JSONPointer()
            pointer.append(missing.path)
            pointer.append(missing.property)
            return Entry(
                code: "missing-property",
                detail:
                    "'\(missing.property)' of class '\(missing.className)' is required; state it"
                    + (missing.takesUser
                        ? ", or write as a user whose id its type has: with a session or a user's token."
                        : "."),
                pointer: pointer.description)
        }
        self = .several(.invalid, "missing-property", faults, "A required property is missing.")
    }

    /// Links without targets; `pointerOf` gives the pointer to the object of an operation in the body.
    package init(dangling links: [DanglingLink], at pointerOf: (_ source: Int) -> JSONPointer) {
        let faults = FaultList(links) { link in
            var pointer = pointerOf(link.source)
            pointer.append(link.path)
            return Entry(
                code: "dangling-link",
                detail:
                    "There is no object of class '\(link.targetClass)' with this key; create it in "
                    + "the same request or before.", pointer: pointer.description)
        }
        self.init(
            .invalid, "dangling-link",
            links.count == 1
                ? "A link leads to an object that does not exist."
                : "\(links.count) links lead to objects that do not exist."
                    + FaultList.excess(of: links.count), errors: faults.entries)
    }
}
