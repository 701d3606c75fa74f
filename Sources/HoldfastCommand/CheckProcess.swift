import Glibc

/// A child process for `check`: LMDB trusts its pages, so that reading a damaged one may end the process that
/// reads it, and another has to say so.
enum CheckProcess {
    /// The signals that a program gets for what it does itself.
    private static let faultSignals: [Int32: String] = [
        SIGSEGV: "SIGSEGV", SIGBUS: "SIGBUS", SIGABRT: "SIGABRT", SIGILL: "SIGILL",
        SIGTRAP: "SIGTRAP", SIGFPE: "SIGFPE",
    ]

    /// Runs this command line with `--in-process`, and returns what it ended with.
    ///
    /// - Throws: What ended it, where that was a signal.
    static func run() throws(CommandFailure) -> ExitCode {
        // From before the process starts, so that none of them is missed.
        var signals = sigset_t()
        var former = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGCHLD, SIGTERM, SIGINT, SIGHUP] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, &former)
        let process = try start(former)
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            var received: Int32 = 0
            guard sigwait(&signals, &received) == 0, received != SIGCHLD else { continue }
            // Who ends this process means both.
            kill(process, received)
        }
        let signal = status & 0x7F
        guard signal != 0 else { return ExitCode(rawValue: status >> 8 & 0xFF) ?? .failure }
        guard let name = faultSignals[signal] else {
            throw CommandFailure("check: was ended by signal \(signal)")
        }
        throw .damage(
            "check: the store is damaged: reading it ended with signal \(signal) (\(name))")
    }

    /// - `mask`: The signals that the process blocks.
    private static func start(_ mask: sigset_t) throws(CommandFailure) -> pid_t {
        var mask = mask
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = (CommandLine.arguments + ["--in-process"]).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let code = posix_spawn(&process, "/proc/self/exe", nil, &attributes, &words, environ)
        guard code == 0 else {
            throw CommandFailure(
                "no process can be started to read the store (\(FileSystem.describe(code))); "
                    + "--in-process does without")
        }
        return process
    }
}
