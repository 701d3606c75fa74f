/// Runs `body` on `count` threads at once, and returns when all have ended.
///
/// Threads and not tasks: calls of the storage port block.
///
/// - Parameters:
///   - count: The number of threads.
///   - body: Gets the thread's number, from 0.
/// - Throws: The first error that one of them threw.
package func runThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
) throws {
    let threads = try (0..<count).map { index in
        try StartedThread { () -> (any Error)? in
            do {
                try body(index)
                return nil
            } catch {
                return error
            }
        }
    }
    if let error = threads.map({ $0.result() }).compactMap({ $0 }).first { throw error }
}
