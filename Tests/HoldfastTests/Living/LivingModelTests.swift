import Dispatch
import Foundation
import Holdfast
import HoldfastTestSupport
import Synchronization
import Testing

/// Threads, queues and actors that move years from dog to dog, at random: the sum is the same in every version.
@Suite("Threads, queues and actors at once")
struct LivingModelTests {
    private static let dogCount = 12
    private static let sum = 1200

    /// What the workers hand each other.
    private final class Exchange: Sendable {
        private struct Things: @unchecked Sendable {
            // Unchecked: frozen results are read by any thread.
            var frozen: [(results: Results<Dog>, ages: [Int])] = []
            var references: [ThreadSafeReference<Dog>] = []
        }

        private let things = Mutex(Things())
        let failures = Mutex<[String]>([])

        func put(_ results: Results<Dog>, _ ages: [Int]) {
            nonisolated(unsafe) let pair = (results, ages)
            things.withLock { things in
                things.frozen.append(pair)
                if things.frozen.count > 6 { things.frozen.removeFirst() }
            }
        }

        var frozen: [(results: Results<Dog>, ages: [Int])] { things.withLock { $0 }.frozen }

        func put(_ reference: ThreadSafeReference<Dog>) {
            things.withLock { $0.references.append(reference) }
        }

        func takeReference() -> ThreadSafeReference<Dog>? {
            things.withLock { $0.references.popLast() }
        }

        func require(_ holds: Bool, _ what: String) {
            if !holds { failures.withLock { $0.append(what) } }
        }
    }

    /// One step of a worker, where its realm belongs.
    private static func step(
        _ realm: Realm, _ exchange: Exchange, _ random: inout SeededGenerator
    ) throws {
        let dogs = realm.objects(Dog.self).sorted(byKeyPath: "id")
        func ages(_ dogs: Results<Dog>) -> [Int] { dogs.map { $0.age ?? 0 } }
        exchange.require(ages(dogs).reduce(0, +) == sum, "the realm's version")
        switch Int.random(in: 0..<10, using: &random) {
        case 0...3:
            let (from, to) = (
                Int.random(in: 0..<dogCount, using: &random),
                Int.random(in: 0..<dogCount, using: &random)
            )
            let years = Int.random(in: 1...9, using: &random)
            let fails = Int.random(in: 0..<4, using: &random) == 0
            do {
                try realm.write {
                    dogs[from].age? -= years
                    if fails { throw Abandoned() }
                    dogs[to].age? += years
                    exchange.require(ages(dogs).reduce(0, +) == sum, "a write's own view")
                }
            } catch is Abandoned {}
        case 4: exchange.put(dogs.freeze(), ages(dogs))
        case 5, 6:
            for (results, old) in exchange.frozen {
                exchange.require(results.isFrozen && ages(results) == old, "a frozen version")
            }
        case 7:
            exchange.put(
                ThreadSafeReference(to: dogs[Int.random(in: 0..<dogCount, using: &random)]))
        case 8:
            guard let reference = exchange.takeReference() else { return }
            let dog = realm.resolve(reference)
            exchange.require(dog?.realm == realm && dog?.name == "Rex", "a reference")
        default:
            guard let (results, old) = exchange.frozen.randomElement(using: &random) else {
                return
            }
            let thawed = results.thaw()
            exchange.require(
                thawed?.isFrozen == false && thawed.map(ages)?.reduce(0, +) == sum, "thawed")
            exchange.require(results.first?.thaw()?.id == 0 && ages(results) == old, "its first")
        }
        if Int.random(in: 0..<4, using: &random) == 0 { realm.refresh() }
        if Int.random(in: 0..<200, using: &random) == 0 { realm.invalidate() }
    }

    private struct Abandoned: Error {}

    /// An actor with a realm.
    private actor Worker {
        private var random: SeededGenerator
        private var realm: Realm?

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        func open(_ configuration: Realm.Configuration) async throws {
            realm = try await Realm(configuration: configuration, actor: self)
        }

        func step(_ exchange: Exchange) async throws {
            guard let realm else { return }
            if Int.random(in: 0..<4, using: &random) == 0 {
                let years = Int.random(in: 1...9, using: &random)
                try await realm.asyncWrite {
                    let dogs = realm.objects(Dog.self)
                    dogs.first?.age? += years
                    dogs.last?.age? -= years
                }
            } else {
                try LivingModelTests.step(realm, exchange, &random)
            }
        }
    }

    @Test("see whole versions, their own and what they hand each other", arguments: [false, true])
    func model(isOnDisk: Bool) async throws {
        let seed = SeededGenerator.testSeed("threads, queues and actors")
        let stepCount = SeededGenerator.scaled(5000) / 8 / (isOnDisk ? 4 : 1)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "living-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Shared.configuration()
        if isOnDisk { configuration.fileURL = folder }
        // Keeps a store in memory.
        let keeper = try Realm(configuration: configuration).freeze()
        try keeper.thaw().write {
            let realm = keeper.thaw()
            for id in 0..<Self.dogCount {
                realm.add(Dog(value: [id, "Rex", Self.sum / Self.dogCount]))
            }
        }
        let exchange = Exchange()
        let opened = configuration
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<2 {
                let actor = Worker(seed: seed &+ UInt64(worker))
                group.addTask {
                    try await actor.open(opened)
                    for _ in 0..<stepCount { try await actor.step(exchange) }
                }
            }
            for worker in 2..<5 {
                group.addTask { try await Self.runQueue(worker, seed, opened, exchange, stepCount) }
            }
            group.addTask {
                try await Self.beside {
                    try runThreads(3) { thread in
                        var random = SeededGenerator(seed: seed &+ UInt64(5 + thread))
                        let realm = try Realm(configuration: opened)
                        for _ in 0..<stepCount { try Self.step(realm, exchange, &random) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(exchange.failures.withLock { Set($0) } == [], "seed \(seed)")
        let last = try Realm(configuration: configuration)
        #expect(last.objects(Dog.self).sum(of: \.age) == Self.sum)
        #expect(keeper.objects(Dog.self).isEmpty)
    }

    /// Runs a worker in blocks of a queue.
    private static func runQueue(
        _ worker: Int, _ seed: UInt64, _ configuration: Realm.Configuration,
        _ exchange: Exchange, _ stepCount: Int
    ) async throws {
        let queue = DispatchQueue(label: "worker \(worker)")
        nonisolated(unsafe) var random = SeededGenerator(seed: seed &+ UInt64(worker))
        for _ in 0..<stepCount {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                queue.async {
                    do {
                        let realm = try Realm(configuration: configuration, queue: queue)
                        if Int.random(in: 0..<8, using: &random) == 0 {
                            realm.writeAsync {
                                let dogs = realm.objects(Dog.self)
                                dogs.first?.age? -= 1
                                dogs.last?.age? += 1
                            } onComplete: { error in
                                exchange.require(error == nil, "an asynchronous write")
                                continuation.resume()
                            }
                        } else {
                            try step(realm, exchange, &random)
                            continuation.resume()
                        }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    /// Runs what blocks on a thread of its own.
    private static func beside(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
        }
    }
}
