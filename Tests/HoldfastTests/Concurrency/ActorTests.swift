import Foundation
import Holdfast
import Testing

@Suite("Actors")
struct ActorTests {
    /// An actor with a realm.
    actor Kennel {
        private var realm: Realm?
        private var dogs: Results<Dog>?

        func open(_ configuration: Realm.Configuration) async throws {
            let realm = try await Realm(configuration: configuration, actor: self)
            let again = try await Realm.open(configuration: configuration)
            #expect(realm == again && realm.autorefresh)
            dogs = realm.objects(Dog.self)
            self.realm = realm
        }

        var count: Int { dogs?.count ?? -1 }

        func name(_ id: Int) -> String? {
            realm?.object(ofType: Dog.self, forPrimaryKey: id)?.name
        }

        func add(_ id: Int, _ name: String = "Rex") async throws -> Int {
            guard let realm else { return -1 }
            return try await realm.asyncWrite {
                realm.add(Dog(value: [id, name]))
                return realm.objects(Dog.self).count
            }
        }

        func addAndThrow(_ id: Int) async throws {
            try await realm?.asyncWrite { [realm] in
                realm?.add(Dog(value: [id]))
                throw Abandoned()
            }
        }

        /// Adds a dog while a plain write of the actor comes first.
        func addBeside(_ id: Int) async throws {
            async let added = add(id)
            await Task.yield()
            try realm?.write { [realm] in realm?.add(Dog(value: [id + 1])) }
            _ = try await added
        }

        /// Writes as the original's guide does: without `self` and without the result.
        func count(_ id: Int) async throws {
            guard let realm else { return }
            try await realm.asyncWrite {
                written += 1
                realm.create(Dog.self, value: ["id": id])
            }
        }

        private(set) var written = 0

        func refresh() async -> Bool? { await realm?.asyncRefresh() }

        func holdWrite(_ holds: Bool) {
            if holds { realm?.beginWrite() } else { realm?.cancelWrite() }
        }

        func reference(_ id: Int) -> ThreadSafeReference<Dog>? {
            realm?.object(ofType: Dog.self, forPrimaryKey: id).map { ThreadSafeReference(to: $0) }
        }

        func resolve(_ reference: ThreadSafeReference<Dog>) -> String? {
            realm?.resolve(reference)?.name
        }

        func setAutorefresh(_ follows: Bool) { realm?.autorefresh = follows }

        struct Abandoned: Error {}
    }

    @Test("have a realm of their own where one before them is gone whose realm something holds")
    func successors() async throws {
        let configuration = Shared.configuration()
        var references: [ThreadSafeReference<Dog>?] = []
        for id in 1...50 {
            let kennel = Kennel()
            try await kennel.open(configuration)
            #expect(try await kennel.add(id) == id)
            references.append(await kennel.reference(id))
        }
        #expect(references.allSatisfy { $0 != nil })
    }

    @Test("have a realm of their own on whichever thread they run, and follow each other's commits")
    func realms() async throws {
        let configuration = Shared.configuration()
        let (first, second) = (Kennel(), Kennel())
        try await first.open(configuration)
        try await second.open(configuration)
        #expect(try await first.add(1) == 1)
        #expect(try await first.add(2, "Bo") == 2)
        for _ in 0..<30_000 where await second.count < 2 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(await second.count == 2)
        #expect(await second.name(2) == "Bo")
        let reference = try #require(await first.reference(1))
        #expect(await second.resolve(reference) == "Rex")
    }

    @Test("write in the order of begin while many tasks do")
    func manyTasks() async throws {
        let configuration = Shared.configuration()
        let kennels = [Kennel(), Kennel(), Kennel(), Kennel()]
        for kennel in kennels { try await kennel.open(configuration) }
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for id in 0..<80 {
                group.addTask { try await kennels[id % 4].add(id) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // Each write saw all before it.
        #expect(counts.sorted() == Array(1...80))
    }

    @Test("roll back what throws and what is cancelled")
    func rollBack() async throws {
        let configuration = Shared.configuration()
        let (kennel, other) = (Kennel(), Kennel())
        try await kennel.open(configuration)
        try await other.open(configuration)
        await #expect(throws: Kennel.Abandoned.self) { try await kennel.addAndThrow(1) }
        _ = try await kennel.add(1)
        await #expect(throws: ValueFault.self) { try await kennel.add(1) }
        // It waits behind a write that goes on.
        await other.holdWrite(true)
        let task = Task { try await kennel.add(2) }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await other.holdWrite(false)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await kennel.add(3)
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(await kennel.count == 1)
        #expect(try await kennel.add(4) == 2)
    }

    @Test("may write at once while an asynchronous write of theirs waits")
    func beside() async throws {
        let kennel = Kennel()
        try await kennel.open(Shared.configuration())
        for id in 0..<20 { try await kennel.addBeside(2 * id) }
        #expect(await kennel.count == 40)
    }

    @Test("refresh when they are asked to where they do not follow")
    func refresh() async throws {
        let configuration = Shared.configuration()
        let (kennel, other) = (Kennel(), Kennel())
        try await kennel.open(configuration)
        try await other.open(configuration)
        await kennel.setAutorefresh(false)
        _ = try await other.add(1)
        #expect(await kennel.count == 0)
        #expect(await kennel.refresh() == true)
        #expect(await kennel.count == 1)
        #expect(await kennel.refresh() == false)
    }

    @Test("other than the main one share nothing with its realm, which is the main thread's")
    @MainActor
    func mainActor() async throws {
        let configuration = Shared.configuration()
        let realm = try await Realm(configuration: configuration, actor: MainActor.shared)
        #expect(try Realm(configuration: configuration) == realm)
        #expect(try Realm(configuration: configuration, queue: .main) == realm)
        #expect(try await Realm.open(configuration: configuration) == realm)
        let kennel = Kennel()
        try await kennel.open(configuration)
        _ = try await kennel.add(1)
        for _ in 0..<30_000 where realm.objects(Dog.self).isEmpty {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(realm.objects(Dog.self).count == 1)
        let count = try await realm.asyncWrite {
            realm.add(Dog(value: [2]))
            return realm.objects(Dog.self).count
        }
        #expect(count == 2)
    }

    @Test(
        "write with blocks that do not escape, also when they throw or are cancelled before they began"
    )
    func blocksDoNotEscape() async throws {
        let kennel = Kennel()
        try await kennel.open(Shared.configuration())
        for id in 1...20 { try await kennel.count(id) }
        #expect(await kennel.written == 20)
        #expect(await kennel.count == 20)
        await #expect(throws: Kennel.Abandoned.self) { try await kennel.addAndThrow(21) }
        let tasks = (30..<50).map { id in Task { try await kennel.count(id) } }
        for task in tasks.suffix(10) { task.cancel() }
        for task in tasks { _ = await task.result }
        let written = await kennel.written
        #expect(await kennel.count == written)
    }

    @Test("are not kept by their realms")
    func notKept() async throws {
        weak var gone: Kennel?
        do {
            let kennel = Kennel()
            try await kennel.open(Shared.configuration())
            _ = try await kennel.add(1)
            gone = kennel
        }
        for _ in 0..<30_000 where gone != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(gone == nil)
    }

    @Test("that a realm does not belong to may not use it")
    func wrongActor() async {
        let ended = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            actor Holder {
                nonisolated(unsafe) var realm: Realm?
                func open() async throws {
                    realm = try await Realm(configuration: Shared.configuration(), actor: self)
                }
            }
            let holder = Holder()
            try await holder.open()
            try Shared.onThread { _ = holder.realm?.objects(Dog.self) }
        }
        Shared.expect(ended, tells: "Realm accessed from incorrect thread.")
    }
}
