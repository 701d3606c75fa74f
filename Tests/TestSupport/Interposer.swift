import Glibc
import Synchronization

/// A disk that waits, fails or is full when a test says so, for a program started by
/// ``ChildProcess``. `Tests/Interpose/interpose.c` tells what it can do.
///
///     let disk = try Interposer()
///     let child = ChildProcess(path, arguments, environment: disk.environment)
///     disk.set(.syncBlock)
package final class Interposer: Sendable {
    /// An instruction to the disk; each is a file whose presence says so.
    package enum Behaviour: String, Sendable {
        /// Syncs wait.
        case syncBlock = "sync-block"
        /// Syncs fail with EIO.
        case syncFail = "sync-fail"
        /// Synced writes, which LMDB makes of its meta page, fail with EIO.
        case metaFail = "meta-fail"
        /// Writes beyond the file's end fail with ENOSPC.
        case writeFull = "write-full"
        /// Writes beyond the file's end are cut short.
        case writeShort = "write-short"
        /// Writes past the page cache fail with EINVAL.
        case directRefused = "direct-refused"
        /// Writes past the page cache fail with ENOSPC.
        case directFull = "direct-full"
        /// Every write fails with ENOSPC, those to blocks that the file has included.
        case allFull = "all-full"
        /// The same, but a write past the page cache has been made all the same.
        case allFullLate = "all-full-late"
    }

    /// The C compiler is missing, or refused the source.
    package struct BuildFailure: Error {}

    private let control = TemporaryDirectory()
    private let library: String

    private static let built = Mutex<(directory: TemporaryDirectory, path: String)?>(nil)

    /// Builds the library, the first time, and makes a disk that behaves.
    package init() throws {
        library = try Self.build()
    }

    /// The environment that a program needs to run on this disk.
    package var environment: [String: String] {
        ["LD_PRELOAD": library, "HOLDFAST_INTERPOSE": control.path]
    }

    /// Starts a behaviour.
    package func set(_ behaviour: Behaviour) {
        TemporaryDirectory.write([], to: "\(control.path)/\(behaviour.rawValue)")
    }

    /// Ends a behaviour.
    package func clear(_ behaviour: Behaviour) {
        unlink("\(control.path)/\(behaviour.rawValue)")
    }

    /// Lets `count` more syncs succeed before ``Behaviour/syncFail`` sets in.
    package func skipSyncs(_ count: Int) {
        TemporaryDirectory.write(Array("\(count)\n".utf8), to: "\(control.path)/sync-skip")
    }

    /// Returns when a sync waits for the end of ``Behaviour/syncBlock``.
    package func waitUntilSyncWaits() {
        while access("\(control.path)/sync-waiting", F_OK) != 0 { usleep(1000) }
    }

    /// The number of syncs that have succeeded.
    package var syncCount: Int {
        TemporaryDirectory.contents("\(control.path)/syncs")?.count ?? 0
    }

    /// Returns the library's path, built if need be by `$CC`, `cc` or `clang`.
    package static func build() throws -> String {
        try built.withLock { built in
            if let built { return built.path }
            let directory = TemporaryDirectory()
            let path = "\(directory.path)/interpose.so"
            let tests = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
            let arguments = [
                "-shared", "-fPIC", "-O1", "-o", path, "\(tests)/Interpose/interpose.c",
            ]
            let given = getenv("CC").map { [String(cString: $0)] } ?? []
            for compiler in given + ["cc", "clang"] where isInstalled(compiler) {
                if ChildProcess(compiler, arguments).wait() == 0 {
                    built = (directory, path)
                    return path
                }
            }
            throw BuildFailure()
        }
    }

    private static func isInstalled(_ program: String) -> Bool {
        if program.contains("/") { return access(program, X_OK) == 0 }
        let path = getenv("PATH").map { String(cString: $0) } ?? ""
        return path.split(separator: ":").contains { access("\($0)/\(program)", X_OK) == 0 }
    }
}
