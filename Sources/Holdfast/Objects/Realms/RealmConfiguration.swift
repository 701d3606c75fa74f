import Foundation
import Synchronization

extension Realm {
    /// The location of a realm, its classes and its limits.
    public struct Configuration: @unchecked Sendable {
        // Unchecked: the metatypes of classes never change.

        /// The folder of the store; nil for a realm in memory.
        public var fileURL: URL? {
            didSet { if fileURL != nil { inMemoryIdentifier = nil } }
        }
        /// The name of a realm in memory. Its objects are gone with its last reference.
        public var inMemoryIdentifier: String? {
            didSet { if inMemoryIdentifier != nil { fileURL = nil } }
        }
        /// Stores are not encrypted: a key is refused when the realm is opened. Encrypt the medium instead.
        public var encryptionKey: Data?
        /// Whether the realm is only read.
        public var readOnly: Bool
        /// The version of the classes.
        public var schemaVersion: UInt64
        /// Whether a store is emptied, with all its classes and objects, if its classes differ so that they need a migration.
        public var deleteRealmIfMigrationNeeded: Bool
        /// The most versions that realms and frozen objects may hold at a time.
        public var maximumNumberOfActiveVersions: UInt?
        /// The classes; nil for all of the program.
        public var objectTypes: [ObjectBase.Type]?

        private static let standard = Mutex<Configuration?>(nil)

        /// The configuration of `Realm()`.
        public static var defaultConfiguration: Configuration {
            get { standard.withLock { $0 } ?? Configuration() }
            set { standard.withLock { $0 = newValue } }
        }

        /// Makes a configuration. The default folder is `default.realm`, in a folder with the program's name in `$XDG_DATA_HOME`
        /// or else in `~/.local/share`.
        public init(
            fileURL: URL? = nil, inMemoryIdentifier: String? = nil, encryptionKey: Data? = nil,
            readOnly: Bool = false, schemaVersion: UInt64 = 0,
            deleteRealmIfMigrationNeeded: Bool = false,
            objectTypes: [ObjectBase.Type]? = nil, maximumNumberOfActiveVersions: UInt? = nil
        ) {
            self.fileURL = inMemoryIdentifier == nil ? fileURL ?? Self.defaultFolder : nil
            self.inMemoryIdentifier = inMemoryIdentifier
            self.encryptionKey = encryptionKey
            self.readOnly = readOnly
            self.schemaVersion = schemaVersion
            self.deleteRealmIfMigrationNeeded = deleteRealmIfMigrationNeeded
            self.objectTypes = objectTypes
            self.maximumNumberOfActiveVersions = maximumNumberOfActiveVersions
        }

        /// `default.realm` in a folder of the program's name in `$XDG_DATA_HOME`, or in `~/.local/share`.
        ///
        /// Source: the XDG Base Directory Specification.
        static var defaultFolder: URL {
            let environment = ProcessInfo.processInfo.environment
            func folder(_ variable: String) -> URL? {
                environment[variable].flatMap {
                    $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil
                }
            }
            let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
            let data =
                folder("XDG_DATA_HOME")
                ?? home.appendingPathComponent(".local/share", isDirectory: true)
            return data.appendingPathComponent(
                ProcessInfo.processInfo.processName, isDirectory: true
            ).appendingPathComponent("default.realm", isDirectory: true)
        }

        /// Throws if the configuration contradicts itself.
        func check() throws {
            func refuse(_ message: String) -> Realm.Error {
                Realm.Error(.invalidConfiguration, message, fileURL: fileURL)
            }
            if encryptionKey != nil {
                throw refuse(
                    "Stores are not encrypted: leave `encryptionKey` out and encrypt the medium instead."
                )
            }
            if readOnly, deleteRealmIfMigrationNeeded {
                throw refuse("Cannot set `deleteRealmIfMigrationNeeded` when `readOnly` is set.")
            }
            if readOnly, inMemoryIdentifier != nil {
                throw refuse("Cannot set `readOnly` for a realm in memory.")
            }
            guard let fileURL else { return }
            guard fileURL.isFileURL else { throw refuse("`fileURL` must be the URL of a folder.") }
        }
    }
}
