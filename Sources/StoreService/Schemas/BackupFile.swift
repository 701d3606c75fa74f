import Glibc
import HoldfastObjectStore
import HoldfastThreads

/// Backups as files. Thread-safe, as long as no two callers write the same file.
package enum BackupFile {
    /// Why a backup could not be written.
    package enum Failure: Error {
        /// The store can't be read.
        case store(StoreError)
        /// The file can't be written: the failed call's `errno`.
        case system(Int32)
        /// It was given up because the caller wanted so.
        case stopped

        package var isMediumFull: Bool {
            if case .system(let code) = self {
                return code == ENOSPC || code == EDQUOT || code == EFBIG
            }
            return false
        }
    }

    /// Writes a backup of a store beside `path` and, when it is whole and on the medium, gives it that
    /// name: there is never half of one. Writes to the store go on meanwhile.
    ///
    /// - `describe`: The file's path, from the backup's description.
    /// - `progress`: Called after each block with the number of bytes; false gives up.
    /// - Returns: The path, the backup's description and its length.
    /// - Throws: ``Failure``; nothing is left of the file then.
    package static func write(
        _ store: Store, to describe: (BackupDescription) -> String,
        _ progress: (Int) -> Bool = { _ in true }
    ) throws(Failure) -> (path: String, description: BackupDescription, byteCount: Int) {
        let cursor: BackupCursor
        do { cursor = try BackupCursor(store) } catch { throw .store(error) }
        defer { cursor.close() }
        let path = describe(cursor.description)
        let temporary = path + partialSuffix
        unlink(temporary)
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(errno) }
        defer { close(file) }
        do throws(Failure) {
            let byteCount = try write(cursor, to: file, progress)
            guard rename(temporary, path) == 0 else { throw .system(errno) }
            do throws(Failure) {
                try synchronizeFolder(of: path)
            } catch {
                unlink(path)
                throw error
            }
            return (path, cursor.description, byteCount)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// The ending of the name of a file that is not whole yet.
    package static let partialSuffix = ".partial"

    private static func write(
        _ cursor: BackupCursor, to file: Int32, _ progress: (Int) -> Bool
    ) throws(Failure) -> Int {
        var byteCount = 0
        while true {
            let piece: UnsafeRawBufferPointer
            do { piece = try cursor.next() } catch { throw .store(error) }
            if piece.isEmpty { break }
            let failure = writeAll(piece, to: file)
            guard failure == 0 else { throw .system(failure) }
            byteCount += piece.count
            guard progress(byteCount) else { throw .stopped }
        }
        guard fsync(file) == 0 else { throw .system(errno) }
        return byteCount
    }

    /// Waits until the names of the folder that holds `path` are on the medium.
    package static func synchronizeFolder(of path: String) throws(Failure) {
        let end = path.lastIndex(of: "/")
        let name = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw .system(errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw .system(errno) }
    }

    /// A reader of the backup in a file, which is closed with the reader.
    package static func reader(_ path: String) throws(BackupFault) -> BackupReader {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw .reading(errno: errno) }
        let opening = Lease { close(file) }
        return try BackupReader { buffer throws(BackupFault) in
            let count = withExtendedLifetime(opening) {
                uninterrupted { read(file, buffer.baseAddress, buffer.count) }
            }
            guard count >= 0 else { throw .reading(errno: errno) }
            return count
        }
    }
}
