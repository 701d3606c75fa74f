import Dispatch
import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

@Suite("Threads, queues and actors at once")
struct LivingModelTests {
    /// Who lives on a store.
    enum Population: CaseIterable {
        /// A thread alone, whose steps the seed repeats exactly.
        case thread
        case eight
        case eightOnDisk
    }

    /// What all who live on a store share.
    private struct World: Sendable {
        let configuration: Realm.Configuration
        let seed: UInt64
        /// How many queries each observes.
        let queryCount: Int
        let stepCount: Int
        let exchange = Exchange()

        func inhabitant(_ number: Int, in realm: Realm) -> Inhabitant {
            Inhabitant(
                realm, number..<number + queryCount, exchange, seed: seed &+ UInt64(number))
        }
    }

    private actor Home {
        private var inhabitant: Inhabitant?

        func open(_ world: World, _ number: Int) async throws {
            let realm = try await Realm(configuration: world.configuration, actor: self)
            inhabitant = world.inhabitant(number, in: realm)
        }

        func step() async throws {
            guard let inhabitant else { return }
            if inhabitant.number(4) == 0 {
                try await inhabitant.realm.asyncWrite { inhabitant.change() }
            } else {
                try inhabitant.step()
            }
        }
    }

    @Test(
        "see whole versions, their own and what they hand each other, and are told what leads from one to the next",
        arguments: Population.allCases)
    func model(_ population: Population) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "living-\(UUID())")
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = Realm.Configuration(
            inMemoryIdentifier: "living \(population)", objectTypes: [ObservedItem.self])
        if population == .eightOnDisk { configuration.fileURL = folder }
        // Keeps a store in memory.
        let keeper = try Realm(configuration: configuration).freeze()
        try keeper.thaw().write {
            for id in 0..<Inhabitant.idCount {
                keeper.thaw().create(
                    ObservedItem.self,
                    value: ["id": id, "rank": id % 9, "years": Inhabitant.sum / Inhabitant.idCount])
            }
        }
        let operationCount = SeededGenerator.scaled(population == .eight ? 5000 : 500)
        let world = World(
            configuration: configuration, seed: SeededGenerator.testSeed("living: \(population)"),
            queryCount: population == .thread ? 8 : 3,
            stepCount: population == .thread ? operationCount : operationCount / 8)
        try await withThrowingTaskGroup(of: Void.self) { group in
            if population != .thread {
                for number in 0..<2 { group.addTask { try await Self.runActor(world, number) } }
                for number in 2..<5 { group.addTask { try await Self.runQueue(world, number) } }
            }
            group.addTask {
                try await Self.runThreads(population == .thread ? 1 : 3, world, from: 5)
            }
            try await group.waitForAll()
        }
        #expect(world.exchange.failures == [], "\(population), seed \(world.seed)")
        #expect(world.exchange.callCount > operationCount / 4)
        let last = try Realm(configuration: configuration)
        #expect(last.objects(ObservedItem.self).sum(of: \.years) == Inhabitant.sum)
        #expect(keeper.objects(ObservedItem.self).isEmpty)
    }

    private static func runActor(_ world: World, _ number: Int) async throws {
        let home = Home()
        try await home.open(world, number)
        for _ in 0..<world.stepCount { try await home.step() }
    }

    private static func runQueue(_ world: World, _ number: Int) async throws {
        let queue = DispatchQueue(label: "queue \(number)")
        nonisolated(unsafe) var known: Inhabitant?
        for _ in 0..<world.stepCount {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                queue.async {
                    do {
                        let inhabitant =
                            try known
                            ?? world.inhabitant(
                                number,
                                in: Realm(configuration: world.configuration, queue: queue))
                        known = inhabitant
                        if inhabitant.number(8) == 0 {
                            inhabitant.realm.writeAsync {
                                inhabitant.change()
                            } onComplete: { error in
                                world.exchange.require(
                                    error == nil,
                                    "an asynchronous write: \(error.map { "\($0)" } ?? "")")
                                continuation.resume()
                            }
                        } else {
                            try inhabitant.step()
                            continuation.resume()
                        }
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        }
        // Where the realm belongs, or an observer may be called that goes meanwhile.
        await withCheckedContinuation { continuation in
            queue.async {
                known = nil
                continuation.resume()
            }
        }
    }

    /// Runs threads, on one of their own since they block.
    private static func runThreads(_ count: Int, _ world: World, from first: Int) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let result = Result {
                    try HoldfastTestSupport.runThreads(count) { thread in
                        let inhabitant = world.inhabitant(
                            first + thread, in: try Realm(configuration: world.configuration))
                        for _ in 0..<world.stepCount { try inhabitant.step() }
                    }
                }
                continuation.resume(with: result)
            }
        }
    }
}
