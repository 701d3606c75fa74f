import Foundation
import HoldfastObjectStore
import HoldfastRows
import HoldfastStorage

extension Realm {
    /// The error of a realm that could not be opened or written.
    public struct Error: LocalizedError, CustomStringConvertible, Equatable, Sendable {
        /// The kinds of faults.
        public enum Code: Int, Sendable {
            /// A fault of another kind.
            case fail = 1
            /// The folder can't be read or written.
            case fileAccess
            /// This process may not use the folder.
            case filePermissionDenied
            /// The folder's path is taken by something else.
            case fileExists
            /// The store of a read-only realm does not exist.
            case fileNotFound
            /// Another process has the store open.
            case incompatibleLockFile
            /// The store has a format that this version does not read.
            case fileFormatUpgradeRequired
            /// The classes of the program and the store differ.
            case schemaMismatch
            /// The medium is full.
            case outOfDiskSpace
            /// The configuration contradicts itself, or another configuration of an open realm.
            case invalidConfiguration
            /// Too many versions are held.
            case tooManyVersions
        }

        /// The kind.
        public let code: Code
        /// A sentence for the program's author.
        public let message: String
        /// The folder of the store, if there is one.
        public let fileURL: URL?

        /// The message.
        public var description: String { message }
        /// The message, which `localizedDescription` says.
        public var errorDescription: String? { message }

        init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
        }
    }
}

extension Realm.Error {
    /// The fault of a store, in words for the program's author. The switch has no `default`, so that a new error requires a
    /// decision.
    init(_ error: StoreError, _ fileURL: URL?) {
        let message: String
        var code = Code.fail
        switch error {
        case .storage(let storage):
            self.init(storage, fileURL)
            return
        case .lossyMigration(let faults), .invalidSchema(let faults),
            .unsupportedMigration(let faults), .duplicateKeys(let faults),
            .sharedValues(let faults), .classInUse(let faults):
            (code, message) = (.schemaMismatch, Self.lines(faults.map(\.detail)))
        case .brokenProjections(let faults):
            (code, message) = (.schemaMismatch, Self.lines(faults.map(\.detail)))
        case .invalidRenames(let faults):
            (code, message) = (.schemaMismatch, Self.lines(faults.map(\.detail)))
        case .migrationUnderWay(let percent):
            code = .schemaMismatch
            message =
                "A change of the schema is under way, \(percent) percent of it: try again when it is done."
        case .schemaRevision:
            code = .schemaMismatch
            message = "The schema was changed meanwhile: try again."
        case .readOnly:
            (code, message) = (.filePermissionDenied, "The store is open for reading only.")
        case .openedOtherwise(let isReadOnly):
            code = .fileAccess
            message =
                "The store is already open in this process for \(isReadOnly ? "reading only" : "writing"): open it in the same way."
        case .unknownClass(let name): message = "Object type '\(name)' not managed by the Realm"
        case .objectNotFound: message = "Object has been deleted or invalidated."
        case .duplicateKey(let name), .keyOfHiddenObject(let name):
            message =
                "Attempting to create an object of type '\(name)' with an existing primary key value."
        case .keyInOutbox(let name):
            message =
                "An object of type '\(name)' with this primary key value waits in the outbox of its class."
        case .missingKey(let name, let property):
            message = "Primary key property '\(name).\(property)' has no value."
        case .numbersExhausted(let name, let property, let limit):
            message =
                "Primary key property '\(name).\(property)' has had its greatest number, \(limit)."
        case .unstated(let properties):
            let names = properties.map { "'\($0.className).\($0.property)'" }
            message = "Required properties have no value: \(names.joined(separator: ", "))."
        case .nothingToKeep:
            message = "Properties were to keep their stored values, but the object does not exist."
        case .danglingLinks(let links):
            let names = Set(links.map { "'\($0.targetClass)'" }).sorted()
            message =
                "Links lead to objects that do not exist, of type \(names.joined(separator: ", "))."
        case .notUnique(let violations):
            message = "Values that have to be unique are not: \(violations.count)."
        case .deniedDeletion(let denied):
            message = "Objects can't be deleted, because links deny it: \(denied.count)."
        case .tooManyOperations(let limit): message = "A write may change at most \(limit) objects."
        case .transactionTooLarge(let limit): message = "A write may change at most \(limit) bytes."
        case .tooLarge(let detail): message = detail
        case .stopped(let failure): message = failure.message
        case .noIdempotencyRoom(_, let seconds):
            message = "No room is left for replies to repeated requests: try again in \(seconds) s."
        case .notAllowed, .preconditionFailed:
            message = "The object does not meet the precondition of the write."
        case .refused(let reason): message = reason.localizedDescription
        case .waitedForTurn(let milliseconds):
            message = "Another write has kept this one waiting for \(milliseconds) ms: try again."
        case .interactiveWriteIsOpen: message = "The Realm is already in a write transaction"
        case .interactiveWriteEnded: message = "The write transaction has ended."
        case .uncommitted: message = "A version can be kept once it is committed."
        case .closing: message = "The store is closed."
        }
        self.init(code, message, fileURL: fileURL)
    }

    private static func lines(_ details: [String]) -> String { details.joined(separator: "\n") }

    /// The fault of storage.
    init(_ error: StorageError, _ fileURL: URL?) {
        let code: Code
        switch error.code {
        case .diskFull: code = .outOfDiskSpace
        case .permission: code = .filePermissionDenied
        case .format: code = .fileFormatUpgradeRequired
        default: code = .fileAccess
        }
        self.init(
            code, "Storage failed to \(error.operation): \(error.native ?? error.code.reason).",
            fileURL: fileURL)
    }
}

extension StorageError.Code {
    /// The reason of a storage failure, if the failure itself has no text.
    fileprivate var reason: String {
        switch self {
        case .conflict: "another write came first"
        case .badKey: "a key is empty or too long"
        case .valueTooLong: "a value is too long"
        case .diskFull: "the medium is full"
        case .readersFull: "too many versions are read at once"
        case .locked: "another process has the store open"
        case .format: "it is not a store, or it has another format"
        case .corrupted: "the store is damaged"
        case .io: "reading or writing failed"
        case .permission: "the process may not use the folder"
        case .closed: "the store is closed"
        case .memory: "there is not enough memory"
        case .unavailable: "the storage can't be reached"
        }
    }
}

extension EvaluationFailure {
    /// The reason why a query was stopped.
    fileprivate var message: String {
        switch self {
        case .time: "The query took too long."
        case .memory: "The query needed too much memory."
        case .pattern: "A regular expression of the query took too long."
        case .reply: "The result of the query is too large."
        }
    }
}

extension EditFailure {
    /// The reason why a value can't be stored, in words for the program's author; nil for the fault of a store.
    var message: String? {
        switch self {
        case .store: nil
        case .missing: "The value to change does not exist."
        case .isOther: "The value is not the expected one."
        case .doesNotFit: "The value does not fit the property."
        case .isNull: "The property is not optional and can't be set to nil."
        case .isTooDeep: "Max nesting level reached"
        case .isNoPoint: "The point's longitude or latitude is out of range."
        case .isOtherKey: "Primary key can't be changed after an object is inserted."
        }
    }
}
