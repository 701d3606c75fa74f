import CHoldfastLMDB
import Glibc
import HoldfastStorage

/// The data directory of an ``LMDBEngine``.
///
///     holdfast.mdb        the data, one LMDB file
///     holdfast.mdb-journal-0, holdfast.mdb-journal-1
///                         the last commits, which the data file has in part, see ``Journal``; empty after a
///                         store is closed in order
///     holdfast.mdb-lock   LMDB's table of readers; recreated by every process, may be deleted
///     holdfast.format     `holdfast-lmdb 3`, the version of the data file; and the line of a
///                         mark, unless the store was closed in order
///     holdfast.lock       locked while a process has the store open; names that process
///
/// A new store is created in an order that survives a crash at any point: the data file is written under another name, synced and
/// renamed, and then the format file in the same way. So a data file with no entries and no format file is an unfinished
/// creation, which is continued. If one of the two is missing in any other case, the store is refused.
///
/// An open store, or one that was not closed in order, has a mark. It is `open full` if every commit was on the medium before it
/// was acknowledged, and `open relaxed` if a power cut may have lost acknowledged commits. The mark is written, durably, when the
/// journal's files exist, and removed before they are cut: as long as it exists, a store without these files lacks commits. Older
/// builds write no such line, so their stores have no mark.
final class LMDBDirectory: Sendable {
    /// The identity of a directory, independent of the path by which it was opened.
    struct Identity: Hashable, Sendable {
        /// The device that contains the directory.
        let device: UInt
        /// The directory's number on the device.
        let inode: UInt
    }

    static let dataName = "holdfast.mdb"
    static let formatName = "holdfast.format"
    static let lockName = "holdfast.lock"

    /// The beginning of the format file's first line, before the version number.
    static let formatPrefix = "holdfast-lmdb "
    /// The beginning of the format file's second line. The durability of the open store follows.
    static let markPrefix = "open "
    /// The version of this build. Version 1, from before the first release, had no journal.
    static let formatVersion = "3"
    /// The version in which a checkpoint was one transaction of the tree, and the journal counted these transactions. Opening
    /// such a store marks it as one of the present version.
    static let formerFormatVersion = "2"

    /// The permission bits of the files, before the process's umask.
    static let fileMode: UInt32 = 0o600

    /// The directory's path as it was given.
    let path: String
    let identity: Identity
    private let descriptor: FileDescriptor

    /// Whether a directory has a file of a store, complete or not.
    static func isStore(_ path: String) -> Bool {
        [dataName, formatName, "\(dataName).new"].contains { access("\(path)/\($0)", F_OK) == 0 }
    }

    /// Opens the directory, and creates it if it is missing.
    init(path: String) throws(StorageError) {
        let made = mkdir(path, 0o700) == 0
        if !made && errno != EEXIST {
            throw StorageError(systemError: errno, operation: "create directory", detail: path)
        }
        let opened = try FileDescriptor(
            path, flags: O_RDONLY | O_DIRECTORY, operation: "open directory")
        var status = stat()
        guard fstat(opened.number, &status) == 0 else {
            throw StorageError(systemError: errno, operation: "open directory", detail: path)
        }
        if made {
            let parent = try FileDescriptor(
                "..", in: opened.number, flags: O_RDONLY | O_DIRECTORY,
                operation: "create directory")
            try parent.synchronize(operation: "create directory")
        }
        self.path = path
        identity = Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
        descriptor = opened
    }

    /// The path of the data file, which LMDB opens by name.
    var dataPath: String { "\(path)/\(Self.dataName)" }

    /// Locks the store for this process until the result is released.
    ///
    /// On a medium that cannot be written, the directory is locked if there is no lock file: no process can have created one
    /// there.
    /// - Throws: ``StorageError`` `.locked` if another process has the lock.
    func lock(forReading: Bool) throws(StorageError) -> StoreLock {
        let file: FileDescriptor
        do throws(StorageError) {
            file = try FileDescriptor(
                Self.lockName, in: descriptor.number, flags: O_RDWR | O_CREAT,
                operation: "lock store")
        } catch {
            guard forReading, error.isOfUnwritableMedium else { throw error }
            let isThere = try byteCount(of: Self.lockName) != nil
            file = try FileDescriptor(
                isThere ? Self.lockName : ".", in: descriptor.number, flags: O_RDONLY,
                operation: "lock store")
        }
        return try StoreLock.take(file, store: path)
    }

    /// Refuses a store that this build cannot read, or that is incomplete. Reports whether commits may be missing.
    ///
    /// Needs the lock. Changes nothing.
    /// - `acceptsLoss`: Whether a store may be opened that lacks the commits of its journal.
    /// - `checkedByteCountMax`: The most bytes of pages that are checked; see ``LMDBOptions/checkedByteCountMax``.
    /// - Returns: The state of the store; nil if there is no store.
    func inspect(acceptsLoss: Bool, checkedByteCountMax: Int) throws(StorageError) -> Finding? {
        guard let format = try storedFormat() else { return nil }
        guard format.version == Self.formatVersion || format.version == Self.formerFormatVersion
        else {
            throw StorageError(
                .format, operation: "open store",
                native: """
                    \(path)/\(Self.formatName) names version \(format.version); this build reads \
                    versions \(Self.formerFormatVersion) and \(Self.formatVersion)
                    """)
        }
        guard try byteCount(of: Self.dataName) != nil else {
            throw StorageError(
                .corrupted, operation: "open store",
                native: "\(dataPath) is missing beside \(Self.formatName)")
        }
        try inspectData(checkedByteCountMax: checkedByteCountMax)
        let lost = format.mark == nil ? [] : try lostJournalNames
        // One file may continue commits of the other, so it is of no use alone.
        if !lost.isEmpty, !acceptsLoss || lost.count < Journal.fileNames.count {
            throw StorageError(
                .corrupted, operation: "open store",
                native: """
                    the store was not closed properly, and \(lost.joined(separator: " and ")) with its \
                    last commits is missing: put it back, or \(Journal.adviceWithout)
                    """)
        }
        return Finding(
            isPast: format.version != Self.formatVersion,
            mayLackCommits: !lost.isEmpty || format.mark == .relaxed)
    }

    private func inspectData(checkedByteCountMax: Int) throws(StorageError) {
        let file = try openData(isReadOnly: true)
        guard let meta = try DataFileMeta.read(file, path: dataPath) else { return }
        try DataFilePages.checkLength(of: file, meta, path: dataPath)
        let pageCountMax = checkedByteCountMax / meta.pageByteCount
        if pageCountMax > 0 {
            try DataFilePages.check(file, meta, pageCountMax: pageCountMax, path: dataPath)
        }
    }

    /// The state of an existing store.
    struct Finding {
        /// Whether its version is ``formerFormatVersion``.
        var isPast: Bool
        /// Whether acknowledged commits may be missing.
        var mayLackCommits: Bool
    }

    /// The journal files that are missing, or shorter than an empty one.
    private var lostJournalNames: [String] {
        get throws(StorageError) {
            var names: [String] = []
            for name in Journal.fileNames
            where try byteCount(of: name) ?? 0 < JournalFile.headerByteCount {
                names.append(name)
            }
            return names
        }
    }

    /// Creates an empty store if there is none, and marks a store of a former version as one of this version.
    func prepare(_ found: Finding?) throws(StorageError) {
        if let found {
            // Done before the journal is changed: another build must not read it by the former rules.
            if found.isPast { try writeFormat() }
            return
        }
        if try byteCount(of: Self.dataName) == nil {
            try createData()
        } else {
            try requireUnused()
        }
        try writeFormat()
    }

    /// Reserves the blocks of LMDB's table of readers. LMDB writes the table as memory, so a medium without room for a block
    /// would end the process.
    func reserveReaders(_ count: Int) throws(StorageError) {
        let file = try FileDescriptor(
            "\(Self.dataName)-lock", in: descriptor.number, flags: O_RDWR | O_CREAT,
            operation: "open store")
        let headerByteCount = 4096
        let entryByteCount = 64
        let byteCount = headerByteCount + count * entryByteCount
        // If the file system cannot tell, the table is used as it is.
        if shim_reserve_keeping_size(file.number, 0, off_t(byteCount)) != 0,
            errno == ENOSPC || errno == EDQUOT
        {
            throw StorageError(systemError: errno, operation: "open store", detail: "lock file")
        }
    }

    /// Opens the journal beside the data file, which ends with transaction `tree`.
    ///
    /// - `options`: The store's options.
    /// - `isReadOnly`: Whether the store is only read; then no files are created.
    func openJournal(
        _ options: LMDBOptions, tree: UInt64, isReadOnly: Bool
    ) throws(StorageError) -> Journal {
        let journal = try Journal(
            in: descriptor.number, tree: tree, isSynced: options.durability == .full,
            isReadOnly: isReadOnly)
        if isReadOnly { return journal }
        // The names of its files must survive a power cut.
        try descriptor.synchronize(operation: "open journal")
        return journal
    }

    /// Opens the data file, to find out its size and the state of its medium.
    func openData(isReadOnly: Bool) throws(StorageError) -> FileDescriptor {
        try FileDescriptor(
            Self.dataName, in: descriptor.number, flags: isReadOnly ? O_RDONLY : O_RDWR,
            operation: "open store")
    }

    private func byteCount(of name: String) throws(StorageError) -> Int? {
        var status = stat()
        if fstatat(descriptor.number, name, &status, 0) == 0 { return Int(status.st_size) }
        if errno == ENOENT { return nil }
        throw StorageError(systemError: errno, operation: "open store", detail: name)
    }

    /// Reads the version in the format file, and its mark; nil if there is no such file.
    private func storedFormat() throws(StorageError) -> (
        version: String, mark: LMDBOptions.Durability?
    )? {
        guard try byteCount(of: Self.formatName) != nil else { return nil }
        let file = try FileDescriptor(
            Self.formatName, in: descriptor.number, flags: O_RDONLY, operation: "open store")
        let bytes = try file.contents(byteCountMax: 200, operation: "open store")
        let text = String(decoding: bytes, as: UTF8.self)
        // An incomplete line is a mark that a crash cut off: the store was not used yet.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        guard text.hasPrefix(Self.formatPrefix), let line = lines.first else {
            throw StorageError(
                .format, operation: "open store",
                native: "\(path)/\(Self.formatName) is not a format file of this program")
        }
        let version = String(line.dropFirst(Self.formatPrefix.utf8.count))
        let marks = lines.dropFirst().map { line in
            LMDBOptions.Durability.allCases.first { line == Self.markPrefix + $0.rawValue }
        }
        guard version != Self.formatVersion || marks.count <= 1 && !marks.contains(nil) else {
            throw StorageError(
                .format, operation: "open store",
                native: "\(path)/\(Self.formatName) has a line that this build does not know")
        }
        return (version, marks.first ?? nil)
    }

    private func createData() throws(StorageError) {
        // Opening an environment writes its two meta pages. LMDB needs no lock file for that, because no other process uses the
        // name.
        try replace(Self.dataName) { _ throws(StorageError) in
            try Self.withEnvironment(
                path: "\(dataPath).new", flags: MDB_NOSUBDIR | MDB_NOLOCK
            ) { _ in }
        }
    }

    /// Replaces the data file.
    ///
    /// - `write`: Writes the file's contents to a descriptor.
    func replaceData(_ write: (Int32) throws(StorageError) -> Void) throws(StorageError) {
        try replace(Self.dataName) { file throws(StorageError) in try write(file.number) }
    }

    /// Writes a file under another name and renames it, so that a crash leaves either the old file or the new one.
    private func replace(
        _ name: String, _ write: (borrowing FileDescriptor) throws(StorageError) -> Void
    ) throws(StorageError) {
        let temporary = "\(name).new"
        unlinkat(descriptor.number, temporary, 0)
        do throws(StorageError) {
            let file = try FileDescriptor(
                temporary, in: descriptor.number, flags: O_RDWR | O_CREAT | O_EXCL,
                operation: "create store")
            try write(file)
            try file.synchronize(operation: "create store")
            guard renameat(descriptor.number, temporary, descriptor.number, name) == 0 else {
                throw StorageError(systemError: errno, operation: "create store", detail: name)
            }
        } catch {
            unlinkat(descriptor.number, temporary, 0)
            throw error
        }
        try descriptor.synchronize(operation: "create store")
    }

    /// Refuses a data file that has no format file beside it, unless it never had a commit.
    func requireUnused() throws(StorageError) {
        guard try byteCount(of: Self.dataName) != nil else { return }
        var information = MDB_envinfo()
        var code: Int32 = MDB_SUCCESS
        try Self.withEnvironment(
            path: dataPath, flags: MDB_NOSUBDIR | MDB_NOLOCK | MDB_RDONLY
        ) { code = mdb_env_info($0, &information) }
        try StorageError.require(lmdb: code, "open store")
        guard information.me_last_txnid == 0 else {
            throw StorageError(
                .format, operation: "open store",
                native: "\(dataPath) has no \(Self.formatName) beside it: not a store of Holdfast")
        }
    }

    private static func withEnvironment(
        path: String, flags: Int32, _ body: (OpaquePointer) -> Void
    ) throws(StorageError) {
        var created: OpaquePointer?
        let code = mdb_env_create(&created)
        guard code == MDB_SUCCESS, let environment = created else {
            throw StorageError(lmdb: code, operation: "create store")
        }
        defer { mdb_env_close(environment) }
        try StorageError.require(
            lmdb: mdb_env_open(environment, path, UInt32(flags), fileMode), "open store")
        body(environment)
    }

    private func writeFormat() throws(StorageError) {
        try replace(Self.formatName) { file throws(StorageError) in
            try file.replaceContents([UInt8](Self.formatLine.utf8), operation: "create store")
        }
    }

    /// Sets the mark in the format file, and returns when it is durable. It needs no room, so a full disk does not keep a store
    /// from being opened or closed in order.
    ///
    /// - `mark`: The durability of commits; nil for a store that is closed in order.
    func writeMark(_ mark: LMDBOptions.Durability?) throws(StorageError) {
        // An equal mark needs no change, and survives a crash.
        guard try storedFormat()?.mark != mark else { return }
        let file = try FileDescriptor(
            Self.formatName, in: descriptor.number, flags: O_RDWR, operation: "mark store")
        let line = Self.formatLine.utf8.count
        guard ftruncate(file.number, off_t(line)) == 0 else {
            throw StorageError(systemError: errno, operation: "mark store", detail: Self.formatName)
        }
        if let mark {
            do throws(SystemError) {
                try file.write([UInt8]("\(Self.markPrefix)\(mark.rawValue)\n".utf8), at: line)
            } catch {
                throw StorageError(
                    systemError: error.code, operation: "mark store", detail: Self.formatName)
            }
        }
        try file.synchronize(operation: "mark store")
    }

    private static var formatLine: String { formatPrefix + formatVersion + "\n" }
}
