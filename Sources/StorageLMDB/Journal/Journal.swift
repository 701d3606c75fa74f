import Glibc
import HoldfastStorage

/// The log of the commits that the tree doesn't hold yet, or not all of.
///
/// A commit is one record at the end of a file, and one sync. LMDB alone needs a page of 4 KiB for
/// each row that changes, and two syncs. A checkpoint later writes the changes of thousands of
/// commits to the tree in the order of their keys, so that a page is written once for many of them
/// (write-ahead logging: Mohan et al., "ARIES", 1992; the changes wait in sorted runs as in O'Neil et
/// al., "The Log-Structured Merge-Tree", 1996).
///
/// There are two files: one takes the new commits while a checkpoint writes those of the other to
/// the tree, by one transaction or several. A file whose commits the tree has gets a new mark, on
/// the medium too, before anything else is written to the tree. So whatever a crash leaves, the records
/// of the files, in the order of their commits, lead from any transaction of an unfinished checkpoint to
/// the last commit: each says what a key has become, and most of them say it again.
///
/// A record carries a transaction of the tree that is there by then: a data file that has not got so far is
/// an older one. In a file that takes commits while the other is written to the tree it is the first
/// transaction of that checkpoint, which is there before the other file is let go.
///
/// `@unchecked Sendable`: used under the environment's write lock.
final class Journal: @unchecked Sendable {
    static let fileNames = [
        "\(LMDBDirectory.dataName)-journal-0", "\(LMDBDirectory.dataName)-journal-1",
    ]
    /// The advice on files that can't be read, beside restoring a backup.
    static let adviceWithout =
        "move the \(LMDBDirectory.dataName)-journal files away and start once with --new-epoch to go on "
        + "without the commits that they have"
    /// The length that a file keeps when a store is idle: so that new commits need no new blocks.
    private static let keptByteCount = 1 << 20
    /// Runs with more changes than this are not merged: merging would cost more than it saves.
    private static let mergedCountMax = 32 << 10

    private let files: [JournalFile]
    private var current = 0
    private var memory = JournalMemory()
    private var active: [ChangeRun] = []
    private var frozen: [ChangeRun] = []
    /// The transaction of the tree that records carry now.
    private var tree: UInt64
    /// The last commit of which the journal has a record; zero for none.
    private(set) var lastCommit: UInt64 = 0
    /// Whether commits are synced.
    private(set) var isSynced: Bool

    /// Opens the files in `directory`, and reads what the tree lacks back into memory.
    ///
    /// - `tree`: The tree's last transaction.
    /// - `isReadOnly`: Whether nothing is changed; nothing may be written then.
    /// - Throws: ``StorageError``; `.corrupted` when a record that was acknowledged can't be read, or
    ///   the tree's file is older than the journal.
    init(
        in directory: Int32, tree: UInt64, isSynced: Bool, isReadOnly: Bool
    ) throws(StorageError) {
        var files: [JournalFile] = []
        for name in Self.fileNames {
            files.append(try JournalFile(name, in: directory, isReadOnly: isReadOnly))
        }
        self.files = files
        self.tree = tree
        self.isSynced = isSynced
        try recover(keepsFiles: isReadOnly)
    }

    /// How many bytes of records wait in the current file.
    var activeByteCount: Int { files[current].recordByteCount }
    /// How many bytes of records wait in both.
    var pendingByteCount: Int { files.reduce(0) { $0 + $1.recordByteCount } }
    /// How many bytes the files take.
    var storedByteCount: Int { files.reduce(0) { $0 + ($1.byteCount ?? 0) } }
    /// The changes that the tree lacks.
    var recent: RecentChanges? { RecentChanges(active: active, frozen: frozen) }

    // MARK: Commits

    /// Writes a commit of at least one change, and returns when it is on the medium.
    ///
    /// - `byteCount`: The ``JournalRecord/byteCount(of:)`` of the batch.
    /// - Throws: The record does not count then; only where the error is one of a sync may the medium have it.
    func append(_ batch: StorageBatch, byteCount: Int, commit: UInt64) throws(SystemError) {
        let file = files[current]
        let header = JournalRecord.Header(
            mark: file.mark, tree: tree, commit: commit, changeCount: batch.changes.count,
            isSynced: isSynced, byteCount: byteCount)
        guard let start = memory.reserve(header.byteCount) else {
            throw SystemError(code: ENOMEM)
        }
        JournalRecord.write(batch, header, to: start)
        let record = UnsafeRawBufferPointer(start: start, count: header.byteCount)
        do throws(SystemError) {
            // What can't be read back is not written.
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

    /// Makes what was written durable, and every later commit before it is acknowledged.
    func makeDurable() throws(SystemError) {
        for file in files { try file.synchronize() }
        isSynced = true
    }

    /// Puts a run before the others of its file, and merges runs of about one length: there are then about as
    /// many as the number of changes has bits, and each change is merged as often.
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

    /// Lets the next commits go to the other file, and returns what the tree is to be given, the newest
    /// run first: what an unfinished checkpoint left, if there is something.
    ///
    /// The other file must not be on the medium before this one is: commits follow each other.
    ///
    /// - `tree`: The tree's last transaction, which the checkpoint will follow by one at least.
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

    /// Forgets what the tree was given, and returns when that is on the medium.
    ///
    /// - `tree`: The tree's last transaction, which has all of it.
    /// - Throws: Then what was frozen stays so.
    func dropFrozen(tree: UInt64) throws(SystemError) {
        try files[1 - current].renew()
        frozen = []
        self.tree = tree
    }

    /// Follows a transaction of the tree that wasn't a checkpoint's. There must be nothing pending.
    func follow(tree: UInt64) {
        self.tree = tree
    }

    /// Gives back the room of files that have grown long, if there is nothing pending.
    func shrink() throws(SystemError) {
        guard active.isEmpty && frozen.isEmpty else { return }
        for file in files where file.byteCount ?? 0 > Self.keptByteCount {
            try file.cut(after: 0)
        }
    }

    /// Gives up what the files have kept of commits that the tree holds, also on the medium. There must be
    /// nothing pending.
    func clear() throws(SystemError) {
        for file in files { try file.cut(after: 0) }
    }

    /// Makes the files empty, if there is nothing pending; a failure leaves them as they are, which
    /// does no harm.
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
        } catch {
            throw StorageError(systemError: error.code, operation: "open journal")
        }
        guard let oldest = parts.first, let newest = parts.last else { return }
        if parts.count == 2 { frozen = oldest.runs }
        active = newest.runs
        lastCommit = newest.last.commit
        tree = newest.last.tree
        current = newest.file
        memory = newest.memory
    }

    /// Refuses parts that don't follow the tree and each other.
    private func requireWhole(_ parts: [Part]) throws(StorageError) {
        guard let oldest = parts.first, let newest = parts.last else { return }
        // Before, a checkpoint was one transaction: the frozen file continued the tree's last one, and the
        // other the next.
        let isFollowing =
            files.contains { $0.isFormer }
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

    /// Finds the changes of a file that the tree lacks; nil for none.
    private func part(ofFile index: Int) throws(StorageError) -> Part? {
        let memory = JournalMemory()
        let bytes = try files[index].contents(in: memory)
        let mark = files[index].mark
        let since = files[index].isFormer ? tree : 0
        var runs: [ChangeRun] = []
        var first: JournalRecord.Header?
        var last: JournalRecord.Header?
        var offset = 0
        while offset < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
            guard
                let header = JournalRecord.header(
                    of: rest, mark: mark, since: last?.tree ?? since),
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

    /// Refuses a file in which a record can't be read and a later one can.
    ///
    /// A commit that was cut off is the last one: each is written after the sync of the one before.
    /// Only where commits aren't synced can the medium have a later one without an earlier one.
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
