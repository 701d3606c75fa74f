import Foundation

extension Realm {
    /// Why a realm could not be opened or written.
    public struct Error: LocalizedError, CustomStringConvertible, Equatable, Sendable {
        /// The kinds of faults.
        public enum Code: Int, Sendable {
            /// Something else.
            case fail = 1
            /// The folder can't be read or written.
            case fileAccess
            /// This process may not use the folder.
            case filePermissionDenied
            /// There is something else in the folder's place.
            case fileExists
            /// A realm that is only read is not there.
            case fileNotFound
            /// Another process has the store open.
            case incompatibleLockFile
            /// The store has a format that this version does not read.
            case fileFormatUpgradeRequired
            /// The classes of the program and the store differ.
            case schemaMismatch
            /// The medium is full.
            case outOfDiskSpace
            /// The configuration contradicts itself or what is open.
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
