import Glibc

/// Starts a detached thread that runs `body`.
///
/// Threads, not tasks: they block on storage.
package func startThread(_ body: @escaping @Sendable () -> Void) {
    // Without its threads a store can't work, and this happens only while it is being opened.
    precondition(startThreadIfPossible(body), "no thread can be started")
}

/// The same for work that the caller can do itself.
///
/// - Returns: Whether there is a thread; `body` is not run otherwise.
package func startThreadIfPossible(_ body: @escaping @Sendable () -> Void) -> Bool {
    final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    // Objects nest as deep as JSON may, and each level takes about 8 KiB of a build without optimisation.
    // What is not used is address space alone.
    pthread_attr_setstacksize(&attributes, 16 << 20)
    defer { pthread_attr_destroy(&attributes) }
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    let status = pthread_create(
        &thread, &attributes,
        { argument in
            guard let argument else { return nil }
            let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
            work.body()
            return nil
        }, work.toOpaque())
    if status != 0 { work.release() }
    return status == 0
}
