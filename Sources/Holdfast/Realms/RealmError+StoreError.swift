import Foundation
import HoldfastObjectStore
import HoldfastStorage

extension Realm.Error {
    /// The fault of a store, in words for the program's author.
    init(_ error: StoreError, _ fileURL: URL?) {
        switch error {
        case .storage(let storage): self.init(storage, fileURL)
        case .duplicateKey(let name):
            self.init(
                .fail,
                "Attempting to create an object of type '\(name)' with an existing primary key value.",
                fileURL: fileURL)
        case .deniedDeletion(let denied):
            self.init(
                .fail,
                "Objects that others hold by links that deny it can't be deleted: \(denied.count).",
                fileURL: fileURL)
        case .notUnique(let violations):
            self.init(
                .fail, "Values that have to be unique are not: \(violations.count).",
                fileURL: fileURL)
        case .lossyMigration(let faults), .invalidSchema(let faults),
            .unsupportedMigration(let faults), .duplicateKeys(let faults):
            self.init(
                .schemaMismatch, faults.map(\.detail).joined(separator: "\n"), fileURL: fileURL)
        case .migrationUnderWay:
            self.init(
                .schemaMismatch, "A change of the schema is under way: try again when it is done.",
                fileURL: fileURL)
        case .tooLarge(let detail): self.init(.fail, detail, fileURL: fileURL)
        case .closing: self.init(.fail, "The store is closed.", fileURL: fileURL)
        default: self.init(.fail, "The store refused it: \(error).", fileURL: fileURL)
        }
    }

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
            code, "Storage failed to \(error.operation): \(error.native ?? error.code.rawValue).",
            fileURL: fileURL)
    }
}
