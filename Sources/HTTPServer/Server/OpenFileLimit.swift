import Glibc

/// The process's limit of open files: each connection needs one.
package enum OpenFileLimit {
    /// Raises the soft limit to the hard one and returns the limit in force.
    package static func raise() -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = limit.rlim_max
            if setrlimit(resource, &raised) == 0 { limit = raised }
        }
        return Int(clamping: limit.rlim_cur)
    }

    /// Makes room for `count` descriptors at once. The kernel's table doubles as it fills, and then each thread that opens a
    /// descriptor waits about 10 ms, until no other thread can still use the old table.
    static func makeRoom(for count: Int) {
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        defer { close(file) }
        let last = fcntl(file, F_DUPFD_CLOEXEC, Int32(clamping: count - 1))
        if last >= 0 { close(last) }
    }
}
