import Glibc
import HoldfastStorage
import HoldfastStorageLMDB

/// A process of its own around one LMDB store, for tests that need a second process, a process to
/// kill, or one with interposed system calls.
///
///     StorageProbe obey DIRECTORY        does what it is told on standard input, see `Obedience`
///     StorageProbe commit DIRECTORY      commits without end, see `CommitLoop`; made to be killed
///     StorageProbe measure DIRECTORY N   prints what calls cost on a store of N rows
///
/// Answers are lines on standard output, written at once. `HOLDFAST_MAP` bounds the map, in bytes;
/// `HOLDFAST_CHECKPOINT_MS` says when a checkpoint is made, and `HOLDFAST_CHECKPOINT_CHANGES` how many changes
/// each of its transactions has.
@main
enum StorageProbe {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else {
            say("usage: StorageProbe obey|commit|measure DIRECTORY [ROWS]")
            exit(64)
        }
        do throws(StorageError) {
            let engine = try LMDBEngine(options(directory: arguments[2]))
            switch arguments[1] {
            case "obey":
                say("ready")
                try Obedience(engine: engine, directory: arguments[2]).run()
            case "commit":
                say("ready")
                try CommitLoop(engine: engine).run()
            case "measure":
                let rowCount = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 1_000_000
                try Measurement(engine: engine, rowCount: rowCount).run()
            default:
                say("unknown command \(arguments[1])")
                exit(64)
            }
        } catch {
            say("error \(error.code.rawValue) \(error.native ?? "")")
            exit(1)
        }
    }

    static func options(directory: String) -> LMDBOptions {
        var options = LMDBOptions(
            directory: directory, mapByteCount: LMDBOptions.embeddedMapByteCount)
        if let count = number("HOLDFAST_MAP") { options.mapByteCount = count }
        if let count = number("HOLDFAST_CHECKPOINT_MS") { options.checkpointMilliseconds = count }
        if let count = number("HOLDFAST_CHECKPOINT_CHANGES") {
            options.checkpointChangeCount = count
        }
        return options
    }

    private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// Writes one line at once, as one `write`: a reader of the pipe sees it whole or not at all.
    static func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}
