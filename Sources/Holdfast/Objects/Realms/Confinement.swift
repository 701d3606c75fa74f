import CHoldfastRuntime
import Dispatch
import Synchronization

/// The thread, queue or actor that a realm belongs to. Only it may use the realm's objects.
enum Confinement: Sendable {
    /// A thread, by a number that is never used again.
    case thread(UInt64)
    /// The main thread and the main queue. Other threads serve the queue once the main thread has ended.
    case main
    /// A serial queue and its number.
    case queue(DispatchQueue, number: Int)
    case actor(HeldActor)

    /// The identity of a confinement, as long as there are realms in it.
    enum Identity: Hashable, Sendable {
        case thread(UInt64)
        case queue(Int)
        case actor(ObjectIdentifier)
    }

    /// The key for the number of each queue that a realm belongs to: several objects can stand for the same queue.
    private static let key = DispatchSpecificKey<Int>()
    private static let queueCount = Mutex(0)
    private static let mainNumber = number(of: .main)

    private static func number(of queue: DispatchQueue) -> Int {
        queueCount.withLock { count in
            if let number = queue.getSpecific(key: key) { return number }
            count += 1
            queue.setSpecific(key: key, value: count)
            return count
        }
    }

    /// The confinement of a realm that names no queue: the main queue on the main thread, otherwise the calling thread.
    static var present: Confinement { isOnMain ? .main : .thread(holdfast_thread_number()) }

    /// The confinement of a serial queue.
    init(_ queue: DispatchQueue) {
        // A global system queue runs many blocks at a time. Other concurrent queues cannot be recognized.
        if queue.label.hasPrefix("com.apple.root.") {
            Misuse.end(
                "Invalid queue '\(queue.label)' (\(type(of: queue))): Realms can only be confined to serial queues or the main queue."
            )
        }
        let main = Self.mainNumber
        let number = Self.number(of: queue)
        self = number == main ? .main : .queue(queue, number: number)
    }

    /// The confinement of an actor; the main actor's is the main queue's.
    init(_ actor: any Actor) {
        self = actor === MainActor.shared ? .main : .actor(HeldActor(actor))
    }

    var identity: Identity {
        switch self {
        case .thread(let number): .thread(number)
        case .main: .queue(Self.mainNumber)
        case .queue(_, let number): .queue(number)
        case .actor(let held): .actor(held.identity)
        }
    }

    /// Whether the calling code runs on the thread, queue or actor.
    var isCurrent: Bool {
        switch self {
        case .thread(let number): number == holdfast_thread_number()
        case .main: Self.isOnMain
        case .queue(_, let number): DispatchQueue.getSpecific(key: Self.key) == number
        case .actor(let held): held.actor.map { Self.isOn($0.unownedExecutor) } ?? false
        }
    }

    private static var isOnMain: Bool {
        // First, because it gives the main queue its number.
        let main = mainNumber
        return Thread.isMainThread || DispatchQueue.getSpecific(key: key) == main
    }

    private static func isOn(_ executor: UnownedSerialExecutor) -> Bool {
        // The two words of the executor, as the runtime takes them.
        withUnsafeBytes(of: executor) { words in
            holdfast_is_on_executor(
                words.load(as: UnsafeRawPointer?.self),
                words.load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self))
        }
    }

    /// Whether code can be scheduled to run there. A plain thread has no loop that would run it.
    var canSchedule: Bool { if case .thread = self { false } else { true } }

    /// Runs `body` there, later. An actor that is gone runs nothing more.
    ///
    /// - Precondition: ``canSchedule``.
    func schedule(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .thread: preconditionFailure("a thread can't run scheduled work")
        case .main: DispatchQueue.main.async(execute: body)
        case .queue(let queue, _): queue.async(execute: body)
        case .actor(let held):
            guard let actor = held.actor else { return }
            Task { await Self.run(body, on: actor) }
        }
    }

    /// Whether it is an actor that is gone; another actor may have its address.
    var isGone: Bool { if case .actor(let held) = self { held.actor == nil } else { false } }

    /// The actor that has to be kept so that ``schedule(_:)`` runs its work.
    var keeper: (any Actor)? { if case .actor(let held) = self { held.actor } else { nil } }

    private static func run(_ body: () -> Void, on actor: isolated any Actor) { body() }
}

/// An actor that a realm belongs to. It is not kept: as a rule it is the actor that keeps the realm.
final class HeldActor: Sendable {
    let identity: ObjectIdentifier
    /// The actor; nil once it is gone.
    weak let actor: (any Actor)?

    init(_ actor: any Actor) {
        identity = ObjectIdentifier(actor)
        self.actor = actor
    }
}
