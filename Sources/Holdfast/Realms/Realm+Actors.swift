import Dispatch
import Foundation
import Synchronization

extension Realm {
    /// Opens the realm of an actor, or returns the one that is open there.
    ///
    /// Its objects are used on the actor alone, and it follows the commits of others by itself.
    ///
    ///     actor Kennel {
    ///         var realm: Realm?
    ///         func open() async throws { realm = try await Realm(actor: self) }
    ///     }
    ///
    /// - Parameters:
    ///   - configuration: Where the store is, and what it has.
    ///   - actor: The actor that the realm belongs to.
    /// - Throws: ``Realm/Error``.
    public init(
        configuration: Configuration = .defaultConfiguration, actor: isolated any Actor
    ) async throws {
        core = try OpenRealms.core(of: configuration, in: Confinement(actor))
    }

    /// Opens the realm of the actor that the calling code runs on, as ``init(configuration:actor:)`` does.
    ///
    /// - Throws: ``Realm/Error``.
    public static func open(
        configuration: Configuration = .defaultConfiguration,
        isolation actor: isolated any Actor = #isolation
    ) async throws -> Realm {
        try await Realm(configuration: configuration, actor: actor)
    }

    /// Opens a realm without blocking the caller: the store is opened, and brought to the classes of the program, on a thread of the system's.
    ///
    /// - Parameters:
    ///   - configuration: Where the store is, and what it has.
    ///   - callbackQueue: The serial queue that the realm belongs to.
    ///   - callback: Is given the realm on that queue, or why it could not be opened.
    /// - Returns: What cancels it.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        DispatchQueue.global().async {
            // Kept open until the queue's own realm is: what goes wrong here goes wrong there again.
            let first = task.isCancelled ? nil : try? OpenRealms.core(of: configuration)
            callbackQueue.async {
                defer { withExtendedLifetime(first) {} }
                if task.isCancelled { return }
                callback(Result { try Realm(configuration: configuration, queue: callbackQueue) })
            }
        }
        return task
    }

    /// The opening of a realm that is under way. Any thread may use it.
    public final class AsyncOpenTask: Sendable {
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// Ends it: the callback is not called unless it is being called already.
        public func cancel() { cancelled.store(true, ordering: .releasing) }
    }
}
