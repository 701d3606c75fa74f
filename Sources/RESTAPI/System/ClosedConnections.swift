/// Notices when many connections were closed: each leaves some 30 KiB with the allocator, which keeps them.
struct ClosedConnections {
    /// The number of closed connections from which on their memory is returned to the system.
    static let countMin = 1000

    /// The most that were open since memory was given back.
    private var openCountMax = 0

    /// Takes notice of the number of open connections.
    ///
    /// - Returns: Whether their memory is to be given back.
    mutating func note(openCount: Int) -> Bool {
        openCountMax = max(openCountMax, openCount)
        guard openCountMax - openCount >= Self.countMin else { return false }
        openCountMax = openCount
        return true
    }
}
