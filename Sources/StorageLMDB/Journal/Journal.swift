import Glibc
import HoldfastStorage

/// The log of the commits that the tree does not contain yet, or not completely.
///
/// A commit is one record at the end of a file, and one sync. Without the journal, LMDB needs a page of 4 KiB for each row that
/// changes, and two syncs. A checkpoint later writes the changes of thousands of commits to the tree in the order of their keys,
/// so that a page is written once for many of them (write-ahead logging: Mohan et al., "ARIES", 1992; the changes wait in sorted
/// runs as in O'Neil et al., "The Log-Structured Merge-Tree", 1996).
///
/// There are two files: one takes the new commits while a checkpoint writes the commits of the other to the tree, in one or more
/// transactions. When the tree has all commits of a file, the file gets a new mark, on the medium too, before anything else is
/// written to the tree. So after any crash the records of the files, in the order of their commits, lead from any transaction of
/// an unfinished checkpoint to the last commit: each has the new value of a key, and most of them repeat it.
///
/// A record has the number of a transaction of the tree that is on the medium by that time: a data file that ends before it is
/// too old. In a file that takes commits while the other is written to the tree, it is the first transaction of that checkpoint,
/// which is on the medium before the other file is released.
///
/// `@unchecked Sendable`: used under the environment's write lock.
final class Journal: @unchecked Sendable {
    static let fileNames = [
        "\(LMDBDirectory.dataName)-journal-0", "\(LMDBDirectory.dataName)-journal-1",
    ]
    /// The advice on unreadable files, apart from restoring a backup.
    static let adviceWithout =
        "move the \(LMDBDirectory.dataName)-journal files away and start once with --new-epoch to go on "
        + "without the commits that they have"
    /// The length that a file keeps when a store is idle, so that new commits need no new blocks.
    private static let keptByteCount = 1 << 20
    /// The most changes of a run that is merged. Merging longer runs would cost more than it saves.
    private static let mergedCountMax = 32 << 10

    private let files: [JournalFile]
    private var current = 0
    private var memory = JournalMemory()
    private var active: [ChangeRun] = []
    private var frozen: [ChangeRun] = []
    /// The transaction of the tree that new records contain.
    private var tree: UInt64
    /// The last commit with a record in the journal; zero if there is none.
    private(set) var lastCommit: UInt64 = 0
    private(set) var isSynced: Bool

    /// Opens the files in `directory`, and reads the commits that the tree lacks into memory.
    ///
    /// - `tree`: The tree's last transaction.
    /// - `isReadOnly`: Whether the files are not changed; then no commits may be written.
    /// - Throws: ``StorageError``; `.corrupted` if an acknowledged record cannot be read, or the tree's file is older than the
    ///   journal.
    init(in directory: Int32, tree: UInt64, isSynced: Bool, isReadOnly: Bool) throws(StorageError) {
        var files: [JournalFile] = []
        for name in Self.fileNames {
            files.append(try JournalFile(name, in: directory, isReadOnly: isReadOnly))
        }
        self.files = files
        self.tree = tree
        self.isSynced = isSynced
        try recover(keepsFiles: isReadOnly)
    }

    /// The number of bytes of records that wait in the current file.
    var activeByteCount: Int { files[current].recordByteCount }
    /// The number of bytes of records that wait in both files.
    var pendingByteCount: Int { files.reduce(0) { $0 + $1.recordByteCount } }
    /// The total length of the files in bytes.
    var storedByteCount: Int { files.reduce(0) { $0 + ($1.byteCount ?? 0) } }
    /// The changes that the tree lacks.
    var recent: RecentChanges? { RecentChanges(active: active, frozen: frozen) }

    // MARK: Commits

    /// Writes a commit of at least one change, and returns when it is on the medium.
    ///
    /// - `byteCount`: The ``JournalRecord/byteCount(of:)`` of the batch.
    /// - Throws: Then the record does not count. Only if the error is one of a sync may the medium have the record.
    func append(_ batch: StorageBatch, byteCount: Int, commit: UInt64) throws(SystemError) {
        let file = files[current]
        let header = JournalRecord.Header(
            mark: file.mark, tree: tree, commit: commit, changeCount: batch.changes.count,
            isSynced: isSynced, byteCount: byteCount)
        guard let start = memory.reserve(header.byteCount) else { throw SystemError(code: ENOMEM) }
        JournalRecord.write(batch, header, to: start)
        let record = UnsafeRawBufferPointer(start: start, count: header.byteCount)
        do throws(SystemError) {
            // A record that cannot be read back is not written.
            guard let run = ChangeRun(reading: record, header, in: memory) else {
                throw SystemError(code: EINVAL)
            }
            try file.write(record, isSynced: isSynced)
            file.keep(header.byteCount)
            lastCommit = commit
            Self.add(run, to: &active)
        } catch {
            file.withdraw()
            memory.giveBack(start, header.byteCount)
            throw error
        }
    }

    /// Makes the written commits durable, and each later commit before it is acknowledged.
    func makeDurable() throws(SystemError) {
        for file in files { try file.synchronize() }
        isSynced = true
    }

    /// Puts a run before the others of its file, and merges runs of similar length. So the number of runs, and the number of
    /// times that a change is merged, are about the number of bits in the number of changes.
    private static func add(_ run: ChangeRun, to runs: inout [ChangeRun]) {
        var newest = run
        while let next = runs.first, next.count <= 2 * newest.count,
            next.count + newest.count <= mergedCountMax
        {
            newest = ChangeRun(merging: newest, over: next)
            runs.removeFirst()
        }
        runs.insert(newest, at: 0)
    }

    // MARK: Checkpoints

    /// Directs the next commits to the other file, and returns the changes to write to the tree, the newest run first. If an
    /// unfinished checkpoint has left changes, it returns only these.
    ///
    /// The other file must not be on the medium before this one is, because commits follow each other.
    ///
    /// - `tree`: The tree's last transaction. The checkpoint's transactions come after it.
    func freeze(tree: UInt64) throws(SystemError) -> [ChangeRun] {
        if frozen.isEmpty && !active.isEmpty {
            try files[current].synchronize()
            frozen = active
            active = []
            memory = JournalMemory()
            current = 1 - current
            self.tree = tree + 1
        }
        return frozen
    }

    /// Drops the frozen changes, which the tree has, and returns when this is on the medium.
    ///
    /// - `tree`: The tree's last transaction, which has all of the changes.
    /// - Throws: Then the changes stay frozen.
    func dropFrozen(tree: UInt64) throws(SystemError) {
        try files[1 - current].renew()
        frozen = []
        self.tree = tree
    }

    /// Notes a transaction of the tree that does not belong to a checkpoint. No changes may be pending.
    func follow(tree: UInt64) { self.tree = tree }

    /// Shortens files that have grown long, if no changes are pending.
    func shrink() throws(SystemError) {
        guard active.isEmpty && frozen.isEmpty else { return }
        for file in files where file.byteCount ?? 0 > Self.keptByteCount { try file.cut(after: 0) }
    }

    /// Removes the remaining records of commits that the tree has, also on the medium. No changes may be pending.
    func clear() throws(SystemError) {
        for file in files { try file.cut(after: 0) }
    }

    /// Makes the files empty, if no changes are pending. A failure leaves them as they are, which does no harm.
    func truncate() {
        guard active.isEmpty && frozen.isEmpty else { return }
        for file in files { try? file.truncate() }
    }

    // MARK: Recovery

    /// The records of one file that the tree lacks.
    private struct Part {
        let file: Int
        let first: JournalRecord.Header
        let last: JournalRecord.Header
        let memory: JournalMemory
        let runs: [ChangeRun]
        let byteCount: Int
    }

    private func recover(keepsFiles: Bool) throws(StorageError) {
        var parts: [Part] = []
        for index in files.indices {
            if let part = try part(ofFile: index) { parts.append(part) }
        }
        parts.sort { $0.first.commit < $1.first.commit }
        try requireWhole(parts)
        do throws(SystemError) {
            for index in files.indices where !keepsFiles {
                try files[index].cut(after: parts.first { $0.file == index }?.byteCount ?? 0)
            }
        } catch { throw StorageError(systemError: error.code, operation: "open journal") }
        guard let oldest = parts.first, let newest = parts.last else { return }
        if parts.count == 2 { frozen = oldest.runs }
        active = newest.runs
        lastCommit = newest.last.commit
        tree = newest.last.tree
        current = newest.file
        memory = newest.memory
    }

    /// Refuses parts that do not follow the tree and each other.
    private func requireWhole(_ parts: [Part]) throws(StorageError) {
        guard let oldest = parts.first, let newest = parts.last else { return }
        // In the former format a checkpoint was one transaction: the frozen file continued the tree's last one, and the other
        // file the next.
        let isFollowing =
            files.contains { $0.isPast }
            ? oldest.first.tree == tree && newest.first.tree == tree + UInt64(parts.count - 1)
            : oldest.last.tree <= tree
        guard isFollowing else {
            throw StorageError(
                .corrupted, operation: "open journal",
                native:
                    "the journal continues transaction \(oldest.last.tree) of the data file, which "
                    + "ends with \(tree): put back the files that belong together")
        }
        guard parts.count < 2 || newest.first.commit == oldest.last.commit + 1 else {
            throw StorageError(
                .corrupted, operation: "open journal",
                native:
                    "the journal is damaged: commit \(oldest.last.commit + 1) can't be read, and "
                    + "\(newest.first.commit) after it can; \(Self.adviceWithout)")
        }
    }

    /// Returns the changes of a file that the tree lacks; nil if there are no such changes.
    private func part(ofFile index: Int) throws(StorageError) -> Part? {
        let memory = JournalMemory()
        let bytes = try files[index].contents(in: memory)
        let mark = files[index].mark
        let since = files[index].isPast ? tree : 0
        var runs: [ChangeRun] = []
        var first: JournalRecord.Header?
        var last: JournalRecord.Header?
        var offset = 0
        while offset < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            guard
                let header = JournalRecord.header(of: rest, mark: mark, since: last?.tree ?? since),
                last.map({ header.commit == $0.commit + 1 }) ?? true,
                let run = ChangeRun(reading: rest, header, in: memory)
            else { break }
            Self.add(run, to: &runs)
            if first == nil { first = header }
            last = header
            offset += header.byteCount
        }
        try requireNothing(
            mark: mark, since: first?.tree ?? since, after: last?.commit, bytes, from: offset)
        guard let first, let last else { return nil }
        return Part(
            file: index, first: first, last: last, memory: memory, runs: runs, byteCount: offset)
    }

    /// Refuses a file in which a record is unreadable and a later one is readable.
    ///
    /// An incomplete record is the last one, because each is written after the sync of the one before. The medium can have a
    /// later record without an earlier one only if commits are not synced.
    private func requireNothing(
        mark: UInt64, since tree: UInt64, after commit: UInt64?, _ bytes: UnsafeRawBufferPointer,
        from offset: Int
    ) throws(StorageError) {
        var next = offset + 8
        while next + JournalRecord.headerByteCount <= bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[next...])
            if let header = JournalRecord.header(of: rest, mark: mark, since: tree),
                header.isSynced, header.commit > commit ?? 0
            {
                throw StorageError(
                    .corrupted, operation: "open journal",
                    native:
                        "the journal is damaged at byte \(offset): a commit there can't be read, "
                        + "and commit \(header.commit) after it can; \(Self.adviceWithout)")
            }
            next += 8
        }
    }
}
