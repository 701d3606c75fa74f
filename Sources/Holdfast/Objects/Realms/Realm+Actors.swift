import Dispatch
import Foundation
import Synchronization

extension Realm {
    /// Opens the realm of an actor, or returns the one that is open there.
    ///
    /// Its objects may be used only on the actor. It follows other commits by itself.
    ///
    ///     actor Kennel {
    ///         var realm: Realm?
    ///         func open() async throws { realm = try await Realm(actor: self) }
    ///     }
    ///
    /// - Parameters:
    /// - configuration: The location and the classes of the store.
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

    /// Opens a realm without blocking the caller. A system thread opens the store and adds the program's classes to it.
    ///
    /// - Parameters:
    ///   - configuration: The location and the classes of the store.
    ///   - callbackQueue: The serial queue that the realm belongs to.
    ///   - callback: Receives the realm on that queue, or the error.
    /// - Returns: A task that can cancel the opening.
    @discardableResult
    public static func asyncOpen(
        configuration: Configuration = .defaultConfiguration,
        callbackQueue: DispatchQueue = .main,
        callback: @escaping @Sendable (Result<Realm, any Swift.Error>) -> Void
    ) -> AsyncOpenTask {
        let task = AsyncOpenTask()
        DispatchQueue.global().async {
            // Keeps the store open until the queue's realm is open. An error here occurs again there.
            let first = task.isCancelled ? nil : try? OpenRealms.core(of: configuration)
            callbackQueue.async {
                defer { withExtendedLifetime(first) {} }
                if task.isCancelled { return }
                callback(Result { try Realm(configuration: configuration, queue: callbackQueue) })
            }
        }
        return task
    }

    /// The opening of a realm in progress. Any thread may use it.
    public final class AsyncOpenTask: Sendable {
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// Cancels the opening: the callback is not called unless its call has begun.
        public func cancel() { cancelled.store(true, ordering: .releasing) }
    }
}
